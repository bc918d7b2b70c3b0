import { readyItem } from "./fired-rows.ts";
import {
  type Body,
  completion,
  finishedItem,
  type Item,
  type ItemRow,
  type ItemState,
  itemStates,
  leasedItem,
} from "./item.ts";
import {
  bodyFromRow,
  bodyInRow,
  bodyToRow,
  fromRow,
  isRecentInRow,
  type LeaseRow,
  leaseFromRow,
  leaseToRow,
  listFromRow,
  listToRow,
  stateIndex,
  toRow,
} from "./item-row.ts";
import type { KnownItems } from "./known-items.ts";

/** One step of one item. */
export interface Change {
  readonly cause: Cause;
  /** Where it was; `null`: it is new. */
  readonly from: Place | null;
  readonly item: Item;
  /** Its payload, where the step writes it: a new one, or one that is stored with the item. */
  readonly body?: Body | undefined;
  /** Its payload, for the answer alone: not stored. */
  shown?: Body | undefined;
  readonly result?: unknown;
  /** Removed for good: its rows go. */
  readonly gone?: true | undefined;
}

/** The part of an item that decides which rows it has. */
export type Place = Pick<
  Item,
  | "state"
  | "quarantined"
  | "classNo"
  | "list"
  | "recent"
  | "heldBy"
  | "band"
  | "tag"
  | "order"
  | "notBefore"
  | "expiresAt"
  | "finishedAt"
  | "readyAt"
  | "bytes"
>;

/** Stable names: `queue_item.<cause>` is the kind of the published event. New ones go to the end: events hold the index. */
const causes = [
  "enqueued",
  "coalesced",
  "ready",
  "held",
  "leased",
  "extended",
  "completed",
  "retry_scheduled",
  "released",
  "lease_expired",
  "dead",
  "cancelled",
  "drained",
  "expired",
  "superseded",
  "redriven",
  "quarantined",
  "unquarantined",
  "purged",
] as const;
export type Cause = (typeof causes)[number];

const causeIndex = Object.fromEntries(causes.map((cause, index) => [cause, index])) as Readonly<
  Record<Cause, number>
>;

/** A change as an event carries it: a list, since the journal keeps every one of them. */
export type ChangeRow = WholeRow | ShortRow;

type WholeRow = readonly [
  cause: number,
  /** With its payload, where there is one. */
  item: ItemRow,
  from: readonly unknown[] | 0,
  result?: readonly [unknown] | 0,
  gone?: 1,
];

/**
 * The usual steps of items that are in memory where the event is applied: recent ones and leases. What follows the id is the
 * place in line of one whose delay is over, the lease of one that is claimed, payload and result of one that is completed.
 */
type ShortRow = readonly [cause: number, id: string, ...what: unknown[]];

/** A recent item's delay is over and it stays a recent one: its own row need not be written. */
export function isFiring(from: Place | null, item: Item): boolean {
  return item.recent && item.state === "ready" && from?.recent === true && from.state === "scheduled";
}

export function toChangeRow(change: Change, state: KnownItems): ChangeRow {
  const { cause, from, item, body, result, gone } = change;
  const index = causeIndex[cause];
  if (isFiring(from, item)) return [index, item.id, item.tag, item.order];
  if (cause === "leased" && from !== null && from === state.recent.find(item.id))
    return [index, item.id, leaseToRow(item.lease!, item.createdAt)];
  const lease = cause === "completed" ? state.leases.get(item.id) : undefined;
  // One that the same command extended before has come two steps.
  if (lease !== undefined && from === lease && item.version === lease.version + 1)
    return [index, item.id, body === undefined ? 0 : bodyToRow(body), result === undefined ? 0 : [result]];
  const row = toRow(item, body);
  const place = from === null ? 0 : placeToRow(from, item);
  if (gone) return [index, row, place, 0, 1];
  return result === undefined ? [index, row, place] : [index, row, place, [result]];
}

/** `state`: as it was before; `now`: when it happened. */
export function fromChangeRow(change: ChangeRow, state: KnownItems, now: number): Change {
  if (typeof change[1] === "string") return fromShortRow(change as ShortRow, state, now);
  const [cause, row, place, result, gone] = change as WholeRow;
  const item = fromRow(row);
  return {
    cause: causes[cause]!,
    from: place === 0 ? null : placeFromRow(place, item),
    item,
    body: bodyInRow(row),
    result: result ? result[0] : undefined,
    gone: gone ? true : undefined,
  };
}

function fromShortRow([index, id, first, second]: ShortRow, state: KnownItems, now: number): Change {
  const cause = causes[index]!;
  if (cause === "completed") {
    const from = state.leases.get(id)!;
    return {
      cause,
      from,
      item: finishedItem(from, "completed", now, completion),
      body: first === 0 ? undefined : bodyFromRow(first),
      result: second === 0 ? undefined : (second as readonly [unknown])[0],
    };
  }
  const from = state.recent.find(id)!;
  const item =
    cause === "leased"
      ? leasedItem(from, leaseFromRow(first as LeaseRow, from.createdAt))
      : readyItem(from, now, first as number, second as number);
  return { cause, from, item };
}

/** Mostly an item stays where it is but for its state and line: the rest is written only where it differs. */
function placeToRow(from: Place, item: Item): unknown[] {
  const row: unknown[] = [stateIndex[from.state], listToRow(from), from.heldBy || 0];
  if (isElsewhere(from, item))
    row.push(
      from.quarantined,
      from.classNo,
      from.band,
      from.tag,
      from.order,
      from.notBefore,
      from.expiresAt,
      from.finishedAt,
      from.readyAt,
      from.bytes,
    );
  return row;
}

/** When it was finished matters only where it is found by that time. */
function isElsewhere(from: Place, item: Item): boolean {
  return (
    from.order !== item.order ||
    from.tag !== item.tag ||
    from.notBefore !== item.notBefore ||
    from.expiresAt !== item.expiresAt ||
    from.readyAt !== item.readyAt ||
    from.bytes !== item.bytes ||
    from.classNo !== item.classNo ||
    from.band !== item.band ||
    from.quarantined !== item.quarantined ||
    (from.state === "dead" && from.finishedAt !== item.finishedAt)
  );
}

function placeFromRow(row: readonly unknown[], item: Item): Place {
  const r = row as readonly never[];
  const state: ItemState = itemStates[r[0]!]!;
  const heldBy = r[2] || "";
  const recent = isRecentInRow(row[1]);
  if (row.length === 3) return { ...item, state, list: listFromRow(r[1], item.classNo), recent, heldBy };
  return {
    state,
    list: listFromRow(r[1], r[4]!),
    recent,
    heldBy,
    quarantined: r[3]!,
    classNo: r[4]!,
    band: r[5]!,
    tag: r[6]!,
    order: r[7]!,
    notBefore: r[8]!,
    expiresAt: r[9]!,
    finishedAt: r[10]!,
    readyAt: r[11]!,
    bytes: r[12]!,
  };
}
