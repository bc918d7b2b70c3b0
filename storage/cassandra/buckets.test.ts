import test from "ava";
import { eventually } from "../../test/support/eventually.ts";
import { undivided } from "./arrangement.ts";
import { Buckets } from "./buckets.ts";
import { Lanes } from "./lanes.ts";
import { Layout } from "./layouts.ts";
import type { Session } from "./session.ts";

test("a full bucket cannot be read: that it was not divided is logged, and not again within a minute", async (t) => {
  let reads = 0;
  const session = {
    // biome-ignore lint/correctness/useYield: it fails before the first row
    async *readAll() {
      reads++;
      throw new Error("the connection was cut");
    },
  } as unknown as Session;
  const logged: string[] = [];
  const buckets = new Buckets(session, new Lanes(() => 1), {
    bytesMax: 1_000,
    log: (sentence) => logged.push(sentence),
  });
  const handle = { shard: 3, granted: 1, owner: "o", epoch: 1, head: 0, trimmed: 0, lost: undefined };
  const layout = new Layout(undivided, handle);
  for (const turn of [1, 2]) {
    buckets.wrote(layout, [{ partition: "p", bucket: 0, putBytes: 2_000 }], turn);
    await eventually("the bucket is measured", () => reads === turn || undefined);
  }
  await buckets.close();
  t.deepEqual(logged, [
    "a collection could not be divided or joined and grows until a later try succeeds: the connection was cut",
  ]);
});
