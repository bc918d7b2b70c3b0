import type { QueueBench } from "./queue.ts";

/** The key expression of most cases. */
export const key = "item.key";

/** Enqueues and says what admission made of it, with the number of the item it showed. */
export function tell(
  bench: QueueBench,
  ids: string[],
  request: Record<string, unknown> = { key: "k" },
): string {
  const { item, admission } = bench.enqueue(request);
  if (!ids.includes(item.id)) ids.push(item.id);
  return `${admission.outcome} ${ids.indexOf(item.id)}`;
}
