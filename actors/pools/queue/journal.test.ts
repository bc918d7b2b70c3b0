import test from "ava";
import { limits } from "#base";
import { MemoryStore } from "../../../storage/memory/index.ts";
import { startModules } from "../../../test/support/modules.ts";
import { untrimmed } from "../../../test/support/untrimmed.ts";

/** How often it stands in everything that was ever appended. */
function timesInJournal(store: MemoryStore, text: string): number {
  let times = 0;
  for (const { entries } of store.shards.values())
    for (const entry of entries) times += Buffer.from(entry).toString("latin1").split(text).length - 1;
  return times;
}

for (const [where, backlog, bytes] of [
  ["of an item that is claimed soon", 0, 100],
  ["of an item behind a backlog", limits.queueRecentMax, 100],
  ["that has a row of its own", 0, limits.queueInlineBytesMax * 4],
] as const)
  test(`the journal has a payload once: one ${where}`, async (t) => {
    const store = new MemoryStore();
    const { createQueue, inQueue } = await startModules(t, store, untrimmed);
    const { poolId } = await createQueue();
    for (let left = backlog; left > 0; left -= limits.enqueueBatchMax) {
      const items = Array.from({ length: Math.min(left, limits.enqueueBatchMax) }, () => ({
        payload: "other",
      }));
      await inQueue(poolId, "QueueService.EnqueueBatch", { items });
    }
    const items = ["first", "second"].map((name) => ({ payload: `<${name}>${"x".repeat(bytes)}` }));
    await inQueue(poolId, "QueueService.EnqueueBatch", { items });
    t.deepEqual([timesInJournal(store, "<first>"), timesInJournal(store, "<second>")], [1, 1]);
  });
