import type { SwitchyardError } from "../errors.ts";
import type { LeasedItem } from "../generated.ts";
import type { Lease } from "./outcome.ts";

/** What came of a settlement or an extension. */
export interface Settled {
  readonly queue_item_id: string;
  /** `leased`: of an extension. */
  readonly state: string;
  readonly error?: SwitchyardError;
}

export interface LineEvents {
  assigned(items: readonly LeasedItem[]): void;
  settled(results: readonly Settled[]): void;
  /** A lease that is over for its worker. */
  lost(lease: Lease, reason: string): void;
  /** These were to be settled or extended, and one of them made the server refuse all of them. */
  refused(error: SwitchyardError, itemIds: readonly string[]): void;
  /** Once, and the last. Without an error: it was finished. */
  ended(end: LineEnd): void;
}

export interface LineEnd {
  readonly error?: SwitchyardError | undefined;
  /** What the server asks for before the next one. */
  readonly retryAfterMs?: number | undefined;
  /** The server had answered on it. */
  readonly wasOpen: boolean;
}

export interface Extension {
  readonly lease: Lease;
  readonly leaseSeconds: number | undefined;
  readonly progress?: unknown;
}

/** A worker's way to its queue: one at a time. */
export interface Line {
  /** So many more items may come. */
  credit(items: number): void;
  /** `settlement` is JSON text. `alone`: not together with others, because it may be the one that is refused. */
  settle(settlement: string, alone: boolean): void;
  extend(extension: Extension): void;
  /** No more items; what was sent is still answered. Then it ends. */
  finish(): void;
  close(): void;
}

export interface Hello {
  readonly poolId: string;
  readonly recipientId: string;
  readonly leaseSeconds: number | undefined;
  readonly credit: number;
}

/** Texts in groups that one frame or request may have: by number, and by size. */
export function grouped(texts: readonly string[], countMax: number): readonly string[][] {
  const groups: string[][] = [];
  let size = groupLengthMax;
  for (const text of texts) {
    const last = groups.at(-1);
    if (last !== undefined && last.length < countMax && size + text.length <= groupLengthMax) last.push(text);
    else {
      groups.push([text]);
      size = 0;
    }
    size += text.length;
  }
  return groups;
}

/** A frame has 4 MiB at most, and a character three bytes. */
const groupLengthMax = 1_000_000;
