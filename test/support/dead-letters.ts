import type { QueueBench } from "./queue.ts";

/** Enqueues so many items and rejects them. Returns their ids. */
export function deadLetters(bench: QueueBench, count: number): string[] {
  const ids: string[] = [];
  for (let left = count; left > 0; left -= 100) {
    const items = Array.from({ length: Math.min(100, left) }, (_, i) => ({
      payload: i,
      priority: 2,
      key: "k",
    }));
    bench.ask("QueueService.EnqueueBatch", { items });
    const settlements = bench.claim(100).map(({ item, lease_token }) => {
      ids.push(item.id);
      return { queue_item_id: item.id, lease_token, outcome: "reject", error: "bad", error_type: "t" };
    });
    bench.ask("QueueService.SettleBatch", { settlements });
  }
  return ids;
}
