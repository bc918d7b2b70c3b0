import type { TuplePart } from "#base";

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
  /** Group that holds it back, as `<kind>:<group id>`; empty where none does. */
  readonly hold: string;
  readonly tag: number;
  readonly order: number;
  readonly readyAt: number;
  /** Fairness key; empty where the pool has none. */
  readonly flow: string;
  readonly sticky: string;
  readonly groups: ItemGroups;
  readonly lease: Lease | null;
  /** How the last lease ended: what a repeated settlement is answered from. */
  readonly ended: Ended | null;
  readonly error: ItemError | null;
}

/** Redacted group ids; empty where the pool has no such control. */
export interface ItemGroups {
  readonly singleton: string;
  readonly debounce: string;
  readonly throttle: string;
  readonly concurrency: readonly { readonly id: string; readonly index: number; readonly cost: number }[];
}

interface Lease {
  readonly recipient: string;
  readonly token: string;
  readonly leasedAt: number;
  readonly expiresAt: number;
}

export type Outcome = "complete" | "fail" | "release" | "reject";

export interface Ended {
  readonly token: string;
  readonly by: Outcome | "expired" | "cancelled";
  readonly answer: Settlement;
}

/** What whoever settled is told, then and again. */
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
  readonly payload: unknown;
  readonly attributes: Readonly<Record<string, unknown>>;
}

export function isWaiting(state: ItemState): boolean {
  return state === "scheduled" || state === "ready" || state === "retry_wait";
}

/** Finished for good, or dead: no longer in anybody's way. */
export function isOver(state: ItemState): boolean {
  return !isWaiting(state) && state !== "leased";
}

/** The collection an item's own row is in. A lease is a row besides: the item's row is not written by a claim. */
export function collectionOf(item: Pick<Item, "state" | "quarantined">): string {
  if (item.state === "dead") return item.quarantined ? "quarantined" : "dead";
  return isOver(item.state) ? "done" : "item";
}

export type ItemRow = readonly unknown[];

/** A row is a list in this order; new members go to the end and are absent in old rows. */
export function toRow(item: Item): ItemRow {
  const row = makeRow(item);
  // Whoever made the row and whoever reads it are often the same turn; the item need not be made twice.
  items.set(row, item);
  return row;
}

const items = new WeakMap<ItemRow, Item>();

export function fromRow(row: unknown): Item {
  return items.get(row as ItemRow) ?? readRow(row);
}

function makeRow(item: Item): ItemRow {
  const { singleton, debounce, throttle, concurrency } = item.groups;
  const grouped = singleton || debounce || throttle || concurrency.length > 0;
  return [
    item.id,
    item.key,
    itemStates.indexOf(item.state),
    item.quarantined ? 1 : 0,
    item.band,
    item.cost,
    item.bytes,
    item.dedupId,
    item.attempts,
    item.deliveries,
    item.retries,
    item.coalesced,
    item.createdAt,
    item.updatedAt,
    item.finishedAt,
    item.notBefore,
    item.expiresAt,
    item.version,
    item.classNo,
    item.list,
    item.hold,
    item.tag,
    item.order,
    item.readyAt,
    item.flow,
    item.sticky,
    grouped
      ? [singleton, debounce, throttle, concurrency.flatMap(({ id, index, cost }) => [id, index, cost])]
      : 0,
    item.lease && [item.lease.recipient, item.lease.token, item.lease.leasedAt, item.lease.expiresAt],
    item.ended && [item.ended.token, item.ended.by, settlementRow(item.ended.answer)],
    item.error && [item.error.message, item.error.type, item.error.at],
  ];
}

function readRow(row: unknown): Item {
  const r = row as readonly never[];
  const parts = row as readonly (readonly never[] | null)[];
  const lease = parts[27] ?? null;
  const ended = parts[28] ?? null;
  const error = parts[29] ?? null;
  return {
    id: r[0]!,
    key: r[1]!,
    state: itemStates[r[2]!]!,
    quarantined: r[3] === 1,
    band: r[4]!,
    cost: r[5]!,
    bytes: r[6]!,
    dedupId: r[7]!,
    attempts: r[8]!,
    deliveries: r[9]!,
    retries: r[10]!,
    coalesced: r[11]!,
    createdAt: r[12]!,
    updatedAt: r[13]!,
    finishedAt: r[14]!,
    notBefore: r[15]!,
    expiresAt: r[16]!,
    version: r[17]!,
    classNo: r[18]!,
    list: r[19]!,
    hold: r[20]!,
    tag: r[21]!,
    order: r[22]!,
    readyAt: r[23]!,
    flow: r[24]!,
    sticky: r[25]!,
    groups: groupsFromRow(r[26]),
    lease: lease && { recipient: lease[0]!, token: lease[1]!, leasedAt: lease[2]!, expiresAt: lease[3]! },
    ended: ended && { token: ended[0]!, by: ended[1]!, answer: settlementFromRow(ended[2]) },
    error: error && { message: error[0]!, type: error[1]!, at: error[2]! },
  };
}

export const noGroups: ItemGroups = { singleton: "", debounce: "", throttle: "", concurrency: [] };

export function bodyToRow(body: Body): ItemRow {
  return [body.payload ?? null, body.attributes];
}

export function bodyFromRow(row: unknown): Body {
  const [payload, attributes] = row as [unknown, Record<string, unknown>];
  return { payload, attributes };
}

/** Key of a ready item in the `ready` collection: its list, band, virtual start and arrival. */
export function readyKey(item: Pick<Item, "list" | "band" | "tag" | "order">): TuplePart[] {
  return [item.list, item.band, item.tag, item.order];
}

/** Key of a held item in the `parked` collection: each class of a group has its own line. */
export function parkedKey(item: Pick<Item, "hold" | "classNo" | "band" | "tag" | "order">): TuplePart[] {
  return [item.hold, item.classNo, item.band, item.tag, item.order];
}

function groupsFromRow(row: unknown): ItemGroups {
  if (row === 0) return noGroups;
  const [singleton, debounce, throttle, flat] = row as [string, string, string, (string | number)[]];
  const concurrency = [];
  for (let i = 0; i < flat.length; i += 3)
    concurrency.push({ id: flat[i] as string, index: flat[i + 1] as number, cost: flat[i + 2] as number });
  return { singleton, debounce, throttle, concurrency };
}

function settlementRow(answer: Settlement): unknown[] {
  const { state, attempts, deliveries, notBefore, at } = answer;
  return [itemStates.indexOf(state), attempts, deliveries, notBefore, at];
}

function settlementFromRow(row: unknown): Settlement {
  const [state, attempts, deliveries, notBefore, at] = row as number[];
  return {
    state: itemStates[state!]!,
    attempts: attempts!,
    deliveries: deliveries!,
    notBefore: notBefore!,
    at: at!,
  };
}
