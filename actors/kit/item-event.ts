/**
 * What a published event tells of items, as it is stored: one list for all of them, since every step of every item is kept
 * for a day. Readers get an object for each.
 */
interface ItemSummary {
  readonly id: string;
  readonly state: string;
  readonly attempts: number;
  readonly deliveries: number;
  readonly version: number;
}

const width = 7;

/** Recipient and error are empty where there is none. */
export function packSummary(list: unknown[], item: ItemSummary, recipientId: string, error: string): void {
  const { id, state, attempts, deliveries, version } = item;
  list.push(id, state, attempts, deliveries, version, recipientId || 0, error || 0);
}

/** `undefined`: the event is not about items. */
export function unpackSummaries(payload: unknown): Record<string, unknown>[] | undefined {
  if (!Array.isArray(payload)) return undefined;
  const items: Record<string, unknown>[] = [];
  for (let i = 0; i < payload.length; i += width) {
    const [id, state, attempts, deliveries, record_version, recipient_id, error] = payload.slice(
      i,
      i + width,
    );
    items.push({
      id,
      state,
      attempts,
      deliveries,
      record_version,
      ...(recipient_id !== 0 && { recipient_id }),
      ...(error !== 0 && { error }),
    });
  }
  return items;
}
