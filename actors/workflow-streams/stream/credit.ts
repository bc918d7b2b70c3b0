import { limits, type Refusal, refuse } from "#base";
import type { State } from "./record.ts";

/** Durable records that no consumer has acknowledged, connected or not: what an append is measured by. */
interface Credit {
  readonly unreadItems: number;
  readonly unreadBytes: number;
  /** The consumer that is furthest behind. */
  readonly slowest?: string;
}

export function creditOf({ head, consumers }: Pick<State, "head" | "consumers">): Credit {
  let acked = Number.POSITIVE_INFINITY;
  let bytes = 0;
  let slowest: string | undefined;
  for (const consumer of consumers.values())
    if (consumer.acked < acked) {
      acked = consumer.acked;
      bytes = consumer.bytes;
      slowest = consumer.id;
    }
  // Without consumers, and where retention has passed the slowest one, from the beginning of what is kept.
  if (slowest === undefined || acked < head.floor) {
    acked = head.floor;
    bytes = head.floorBytes;
  }
  return {
    unreadItems: head.latest - acked,
    unreadBytes: head.bytes - bytes,
    ...(slowest !== undefined && { slowest }),
  };
}

/** Whether so much more may be appended now. Where everything is read one batch always may, however large. */
export function hasCredit(state: State, items: number, bytes: number): boolean {
  const { unreadItems, unreadBytes } = creditOf(state);
  if (unreadItems === 0) return true;
  const { ceilings } = state.definition!;
  return unreadItems + items <= ceilings.unread_items && unreadBytes + bytes <= ceilings.unread_bytes;
}

export function backpressure(state: State, items: number, bytes: number): Refusal {
  const { unreadItems, unreadBytes, slowest } = creditOf(state);
  const { ceilings } = state.definition!;
  // What is drained is counted in records: bytes that are too many are so many records of the unread ones' average size.
  const excessBytes = (unreadBytes + bytes - ceilings.unread_bytes) / (unreadBytes / unreadItems || 1);
  const excess = Math.max(1, unreadItems + items - ceilings.unread_items, Math.ceil(excessBytes));
  const perSecond = state.head.drained?.perSecond ?? 0;
  const seconds = perSecond > 0 ? Math.ceil(excess / perSecond) : 1;
  return refuse(
    "RATE_LIMITED",
    `${unreadItems} records (${unreadBytes} bytes) are unread: acknowledge some first`,
    {
      reason: "STREAM_BACKPRESSURE",
      retryAfterMs: Math.min(Math.max(seconds, 1), limits.streamRetryAfterSecondsMax) * 1_000,
      extra: {
        unread_items: unreadItems,
        unread_bytes: unreadBytes,
        max_unread_items: ceilings.unread_items,
        max_unread_bytes: ceilings.unread_bytes,
        ...(slowest !== undefined && { slowest_consumer: slowest }),
      },
    },
  );
}

export function overTotal({ head, definition }: State, items: number, bytes: number): Refusal | undefined {
  const { total_items = Infinity, total_bytes = Infinity } = definition!.ceilings;
  if (head.latest + items <= total_items && head.bytes + bytes <= total_bytes) return undefined;
  return refuse("QUOTA_EXCEEDED", "the stream has reached the total ceiling of its definition", {
    reason: "STREAM_TOTAL",
    extra: { total_items: head.latest, total_bytes: head.bytes },
  });
}
