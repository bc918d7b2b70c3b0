import type { ClassSpec } from "../memory/classes.ts";
import { type Change, type ChangeRow, fromChangeRow } from "./change.ts";
import type { Due } from "./due.ts";
import type { Group } from "./group.ts";
import type { KnownItems } from "./known-items.ts";
import type { Remembered } from "./retained.ts";

/** Items moved on, and all that follows from it; one commit. What did not happen is left out. */
export interface ChangedEvent {
  readonly type: "changed";
  readonly changes: readonly ChangeRow[];
  /** Arrivals so far. */
  readonly order: number;
  readonly groups?: readonly (readonly [groupName: string, group: Group | null])[];
  readonly flows?: readonly (readonly [flow: string, finish: number])[];
  readonly classes?: readonly ClassSpec[];
  /** Times at which throttled groups go on, and keys that an item waits for run out. */
  readonly wakes?: { readonly added: readonly Due[]; readonly removed: readonly Due[] };
  readonly virtualTime?: readonly number[];
  /** Requests that were answered with an item that was there already. */
  readonly remembered?: readonly Remembered[];
  /** How long what is finished now can be read. */
  readonly retentionMs?: number;
  /** The changes themselves, for `apply` right after the decision: it does not read them from their rows again. Not stored. */
  readonly [inMemory]?: ReadonlyMap<string, Change>;
}

export const inMemory = Symbol("changes");

/** By item, in order, as they happen to a state. */
export function changesTo(state: KnownItems, event: ChangedEvent, now: number): ReadonlyMap<string, Change> {
  const known = event[inMemory];
  if (known) return known;
  const changes = new Map<string, Change>();
  for (const row of event.changes) {
    const change = fromChangeRow(row, state, now);
    changes.set(change.item.id, change);
  }
  return changes;
}
