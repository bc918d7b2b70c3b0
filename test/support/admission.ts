import type { QueueBench } from "./queue.ts";

/** The key expression of most cases. */
export const key = "item.key";

/** Enqueues and returns what admission did with it, and the number of the item in the answer. */
export function tell(
  bench: QueueBench,
  ids: string[],
  request: Record<string, unknown> = { key: "k" },
): string {
  const { item, admission } = bench.enqueue(request);
  if (!ids.includes(item.id)) ids.push(item.id);
  return `${admission.outcome} ${ids.indexOf(item.id)}`;
}
