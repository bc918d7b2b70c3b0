import { decodeTuple } from "#base";
import { unpackSummaries } from "../../../actors/kit/item-event.ts";
import type { PublishedEvent } from "../../../runtime/event-page.ts";
import { eventOf } from "../../../runtime/shard/published.ts";
import { eventsPartition } from "../../../runtime/shard/recorder.ts";
import { simulatedLimits } from "../process.ts";
import type { DurableEntry } from "../watch.ts";

/** Events of a shard up to a position were deleted. */
interface Trim {
  readonly shard: number;
  readonly upTo: number;
  readonly atMs: number;
}

/** Every published event from the journal, deleted or not. */
export class EventHistory {
  /** In order, shard by shard. */
  readonly events: PublishedEvent[] = [];
  readonly #trims: Trim[] = [];

  constructor(durable: Iterable<DurableEntry>) {
    for (const { shard, entry } of durable)
      for (const change of entry.changes) {
        if (change.partition.text !== eventsPartition.text) continue;
        if (change.type === "row") {
          const value = entry.bytes.subarray(change.start, change.end);
          this.events.push(eventOf(shard, { key: change.key, value }));
        } else {
          const [next] = decodeTuple(change.to!);
          this.#trims.push({ shard, upTo: Number(next) - 1, atMs: entry.now });
        }
      }
  }

  /** No event is deleted before its time, by the clock of the owner. */
  *tooEarly(): Generator<string> {
    const trimmed = new Map<number, number>();
    for (const { shard, upTo, atMs } of this.#trims) {
      for (const event of this.events)
        if (event.shard === shard && event.seq > (trimmed.get(shard) ?? 0) && event.seq <= upTo)
          if (atMs - event.atMs < simulatedLimits.publishedKeptMs)
            yield `event ${shard}-${event.seq} was forgotten after ${atMs - event.atMs} ms`;
      trimmed.set(shard, upTo);
    }
  }

  trimmedTo(shard: number): number {
    return this.#trims.filter((trim) => trim.shard === shard).at(-1)?.upTo ?? 0;
  }
}

/** What subscribers are sent for an event: one message for each of its items. */
export function messagesOf(event: PublishedEvent): readonly { readonly id: string; readonly text: string }[] {
  const { shard, seq, index, kind, subject, payload } = event;
  const id = `${shard}-${seq}-${index}`;
  const items = unpackSummaries(payload);
  if (items === undefined) return [{ id, text: JSON.stringify([kind, subject, payload ?? {}]) }];
  return items.map((item, i) => ({
    id: `${id}-${i}`,
    text: JSON.stringify([kind, item.id, { pool_id: subject, ...item }]),
  }));
}
