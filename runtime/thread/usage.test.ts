import test from "ava";
import { encodeTuple } from "#base";
import { MemoryStore, openMemory } from "#storage";
import { storedBytes } from "./usage.ts";

test("what tenants have stored is added up over kinds, shards and collections, and nothing of others", async (t) => {
  const { tables } = openMemory(new MemoryStore());
  const row = (parts: readonly string[], key: string, value: string) => ({
    partition: encodeTuple(parts),
    key,
    value: Buffer.from(value),
    seq: 1,
  });
  const flush = (shard: number, changes: readonly ReturnType<typeof row>[]) => ({
    shard,
    deletedRanges: [],
    changes,
    watermark: 1,
  });
  await tables.write([
    flush(1, [
      row(["pool", "A", "1", "items"], "k", "123"),
      row(["pool", "A", "2", "items"], "k", "1234"),
      row(["pool", "B", "1", "items"], "k", "12"),
      row(["~shard", "A"], "k", "1"),
    ]),
    flush(2, [
      row(["stream", "A", "1", "records"], "kk", "1"),
      row(["stream", "C", "1", "records"], "k", "1"),
    ]),
  ]);
  t.deepEqual(Object.fromEntries(await storedBytes(tables, ["C", "A", "D"])), { A: 4 + 5 + 3, C: 2, D: 0 });
});
