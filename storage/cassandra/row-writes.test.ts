import test from "ava";
import { limits } from "#base";
import { drop, flush, put } from "../tables.cases.ts";
import { undivided } from "./arrangement.ts";
import { Layout } from "./layouts.ts";
import { rowWrites } from "./row-writes.ts";

test("a batch holds rows of one partition and stays below the size at which servers warn", (t) => {
  const changes = Array.from({ length: 300 }, (_, i) =>
    put(`key ${i}`, "v".repeat(i * 3), i + 1, i % 2 ? "p" : "q"),
  );
  const batches = rowWrites(flush(7, 300, changes), new Layout(undivided)).batches;
  t.is(batches.flat().length, 300);
  for (const batch of batches) {
    t.is(new Set(batch.map(({ params }) => String(params[1]))).size, 1);
    const bytes = batch.reduce((sum, { params }) => sum + (params[4] as Buffer).length, 0);
    t.true(batch.length === 1 || bytes <= limits.cassandraRowBatchBytesMax);
  }
});

test("the write time of a row is its event's sequence, and that of a range delete is just before it", (t) => {
  const range = { partition: "p", from: "a", seq: 10 };
  const changes = [put("a", "1", 10), drop("b", 9)];
  const part = { shard: 1, deletedRanges: [range], changes, watermark: 10 };
  const [clear, stored, removed] = rowWrites(part, new Layout(undivided)).batches.flat();
  const times = [clear!.params[0], stored!.params.at(-1), removed!.params[0]] as number[];
  t.deepEqual(times, [20, 21, 19]);
});
