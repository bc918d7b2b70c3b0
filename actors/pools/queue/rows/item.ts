import type { TuplePart } from "#base";
import { type Rows, rowsOf } from "#runtime";

/** The life of an item: scheduled → ready → leased → one of the rest; retry_wait leads back to ready. */
export const itemStates = [
  "scheduled",
  "ready",
  "leased",
  "retry_wait",
  "completed",
  "dead",
  "cancelled",
  "expired",
  "superseded",
] as const;
export type ItemState = (typeof itemStates)[number];
export type EndState = Exclude<ItemState, "scheduled" | "ready" | "leased" | "retry_wait">;

/** One item without its payload. Never edited: a change makes a new one. Times in milliseconds, 0 where there is none. */
export interface Item {
  readonly id: string;
  readonly key: string;
  readonly state: ItemState;
  readonly quarantined: boolean;
  readonly band: number;
  readonly cost: number;
  readonly bytes: number;
  readonly dedupId: string;
  /** Failures and expiries. */
  readonly attempts: number;
  /** Claims. */
  readonly deliveries: number;
  /** Retries out of the dead letters. */
  readonly retries: number;
  readonly coalesced: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly finishedAt: number;
  readonly notBefore: number;
  readonly expiresAt: number;
  readonly version: number;
  /** Where it stands in line, while ready. */
  readonly classNo: number;
  /** `c<class>`, or the id of the recipient it is kept for; empty where it is not ready or held back. */
  readonly list: string;
  /** It got into line when it came, without a row there; see memory/recent-line.ts. Means nothing where it is in no list. */
  readonly recent: boolean;
  /** Name of the group that holds it back (`<kind>:<group id>`); empty where none does. */
  readonly heldBy: string;
  readonly tag: number;
  readonly order: number;
  readonly readyAt: number;
  /** Fairness key; empty where the pool has none. */
  readonly flow: string;
  readonly sticky: string;
  readonly groups: ItemGroups;
  /** It has its singleton key, which has no row while the item is recent or leased; see memory/derived.ts. */
  readonly tells: boolean;
  readonly lease: Lease | null;
  /** How the last lease ended: what a repeated settlement is answered from. */
  readonly ended: Ended | null;
  readonly error: ItemError | null;
  /** W3C `traceparent` of the producer, for the worker that claims it; empty where it gave none. */
  readonly traceparent: string;
  /** Entries its history has had; see rows/history.ts. */
  readonly history: number;
}

/** Redacted group ids; empty where the pool has no such control. `control`: its number, see pools/control-numbers.ts. */
export interface ItemGroups {
  readonly singleton: string;
  readonly debounce: string;
  readonly throttle: string;
  readonly concurrency: readonly { readonly id: string; readonly control: number; readonly cost: number }[];
}

export interface Lease {
  readonly recipient: string;
  readonly token: string;
  readonly leasedAt: number;
  readonly expiresAt: number;
  /** How far its throttle key was charged with it: a theoretical arrival time of GCRA; 0: not at all. */
  readonly tat: number;
  /** What the worker said last of how far it is. */
  readonly progress: Progress | null;
}

/** As the contract has it. */
export interface Progress {
  readonly percent?: number;
  readonly note?: string;
  readonly data?: unknown;
}

export function jsonBytesOf(value: unknown): number {
  return value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value));
}

export type Outcome = "complete" | "fail" | "release" | "reject";

export interface Ended {
  readonly token: string;
  readonly by: Outcome | "expired" | "cancelled";
  readonly answer: Settlement;
  /** Who had it: outcomes that come later count for it. */
  readonly recipient: string;
}

/** What the worker that settled is told, then and in a replay. */
export interface Settlement {
  readonly state: ItemState;
  readonly attempts: number;
  readonly deliveries: number;
  readonly notBefore: number;
  readonly at: number;
}

export interface ItemError {
  readonly message: string;
  readonly type: string;
  readonly at: number;
}

export interface Body {
  /** `undefined`: the producer gave none. */
  readonly payload: unknown;
  readonly attributes: Readonly<Record<string, unknown>>;
}

export function isWaiting(state: ItemState): boolean {
  return state === "scheduled" || state === "ready" || state === "retry_wait";
}

/** Finished for good, or dead: no longer in anybody's way. */
export function isOver(state: ItemState): state is EndState {
  return !isWaiting(state) && state !== "leased";
}

export function isFinished(item: Pick<Item, "state">): boolean {
  return isOver(item.state) && item.state !== "dead";
}

/** The collection an item's own row is in. A lease is a row besides: the item's row is not written by a claim. */
export function collectionOf(item: Pick<Item, "state" | "quarantined">): ItemRows {
  if (item.state === "dead") return item.quarantined ? quarantinedRows : deadRows;
  return isOver(item.state) ? doneRows : itemRows;
}

/**
 * An item as rows and events hold it: a list of values, those that most items lack at its end, where absent means none.
 * Rows are written several times in the life of every item, so what costs nothing to work out is not in them: times count
 * from the item's creation, the list of a class is a number, an answer that the item itself tells is a 0.
 */
export type ItemRow = readonly unknown[];
export type ItemRows = Rows<ItemRow>;
export const itemRows = rowsOf<ItemRow>("item");
const doneRows = rowsOf<ItemRow>("done");
export const deadRows = rowsOf<ItemRow>("dead");
export const quarantinedRows = rowsOf<ItemRow>("quarantined");
/** Dead letters by the time at which they failed. */
export const failedRows = rowsOf<0, readonly [failedAt: number, id: string]>("failed");

/** The line of a class. */
export function classList(classNo: number): string {
  return classNo === 0 ? "c0" : `c${classNo}`;
}

/** In the line of one recipient, for a while. */
export function isKept(place: Pick<Item, "list">): boolean {
  return place.list !== "" && !place.list.startsWith("c");
}

export const noGroups: ItemGroups = { singleton: "", debounce: "", throttle: "", concurrency: [] };

/** Key of a ready item in the `ready` collection: its list, band, virtual start and arrival. */
export function readyKey(item: Pick<Item, "list" | "band" | "tag" | "order">): TuplePart[] {
  return [item.list, item.band, item.tag, item.order];
}

/** Rows of held items. Stored data has the collection under this name. */
export const heldCollection = rowsOf<ItemRow, readonly TuplePart[]>("parked");

/** Key of a held item in its collection: each class of a group has its own line. */
export function heldKey(item: Pick<Item, "heldBy" | "classNo" | "band" | "tag" | "order">): TuplePart[] {
  return [item.heldBy, item.classNo, item.band, item.tag, item.order];
}

/** One that is not shared yet. */
export type OwnItem = { -readonly [Name in keyof Item]: Item[Name] };

/**
 * For making the next version of an item. Member by member, and in the order in which all items are made: V8 gives every
 * place that spreads an object a shape of its own, and code that meets many shapes is slow (a tenth of a life cycle).
 */
export function copyItem(item: Item): OwnItem {
  return {
    id: item.id,
    key: item.key,
    state: item.state,
    quarantined: item.quarantined,
    band: item.band,
    cost: item.cost,
    bytes: item.bytes,
    dedupId: item.dedupId,
    attempts: item.attempts,
    deliveries: item.deliveries,
    retries: item.retries,
    coalesced: item.coalesced,
    createdAt: item.createdAt,
    updatedAt: item.updatedAt,
    finishedAt: item.finishedAt,
    notBefore: item.notBefore,
    expiresAt: item.expiresAt,
    version: item.version,
    classNo: item.classNo,
    list: item.list,
    recent: item.recent,
    heldBy: item.heldBy,
    tag: item.tag,
    order: item.order,
    readyAt: item.readyAt,
    flow: item.flow,
    sticky: item.sticky,
    groups: item.groups,
    tells: item.tells,
    lease: item.lease,
    ended: item.ended,
    error: item.error,
    traceparent: item.traceparent,
    history: item.history,
  };
}

/** For a step that happens now. */
export function touchedItem(item: Item, now: number): OwnItem {
  const touched = copyItem(item);
  touched.updatedAt = now;
  touched.version++;
  return touched;
}

/** The item as its claimer gets it. */
export function leasedItem(item: Item, lease: Lease): Item {
  const leased = copyItem(item);
  leased.state = "leased";
  leased.list = "";
  leased.recent = false;
  leased.deliveries++;
  leased.updatedAt = lease.leasedAt;
  leased.version++;
  leased.lease = lease;
  return leased;
}

/** A leased item that says nothing of its throttle key. */
export function withoutCharge(item: Item): Item {
  const uncharged = copyItem(item);
  uncharged.lease = { ...item.lease!, tat: 0 };
  return uncharged;
}

export interface Finishing {
  readonly by?: Ended["by"];
  readonly attempts?: number;
  readonly error?: ItemError | null;
}

/** The item when it is over: in no line, its lease void. */
export function finishedItem(item: Item, state: EndState, now: number, how: Finishing): Item {
  const attempts = how.attempts ?? item.attempts;
  const { deliveries, lease } = item;
  const finished = copyItem(item);
  finished.state = state;
  finished.attempts = attempts;
  finished.list = "";
  finished.recent = false;
  finished.heldBy = "";
  finished.lease = null;
  finished.finishedAt = now;
  finished.updatedAt = now;
  finished.version++;
  if (lease) {
    const by = how.by ?? "cancelled";
    const answer = { state, attempts, deliveries, notBefore: 0, at: now };
    finished.ended = { token: lease.token, by, answer, recipient: lease.recipient };
    if (by !== "complete") finished.history++;
  }
  if (how.error !== undefined) finished.error = how.error;
  return finished;
}

/** How a lease that did its work ends. */
export const completion: Finishing = { by: "complete", error: null };
