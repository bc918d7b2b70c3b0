import {
  type Body,
  bodyFromRow,
  bodyToRow,
  fromRow,
  type Item,
  type ItemRow,
  itemStates,
  toRow,
} from "./item.ts";

/** One step of one item. */
export interface Change {
  readonly cause: Cause;
  /** Where it was; `null`: it is new. */
  readonly from: Place | null;
  readonly item: Item;
  readonly body?: Body;
  readonly result?: unknown;
  /** Removed for good: its rows go. */
  readonly gone?: true;
}

/** The part of an item that decides which index rows it has. */
export type Place = Pick<
  Item,
  | "state"
  | "quarantined"
  | "classNo"
  | "list"
  | "hold"
  | "band"
  | "tag"
  | "order"
  | "notBefore"
  | "expiresAt"
  | "finishedAt"
  | "readyAt"
  | "bytes"
> & { readonly leaseEndsAt: number };

/** Stable names: `queue_item.<cause>` is the kind of the published event. */
export type Cause =
  | "enqueued"
  | "coalesced"
  | "ready"
  | "held"
  | "leased"
  | "extended"
  | "completed"
  | "retry_scheduled"
  | "released"
  | "lease_expired"
  | "dead"
  | "cancelled"
  | "drained"
  | "expired"
  | "superseded"
  | "redriven"
  | "quarantined"
  | "unquarantined"
  | "purged";

/** A change as an event carries it: a list, since the journal keeps every one of them. */
export type ChangeRow = readonly [
  cause: Cause,
  from: readonly unknown[] | null,
  item: ItemRow,
  body: ItemRow | null,
  result: readonly [unknown] | null,
  gone: boolean,
];

export function toChangeRow({ cause, from, item, body, result, gone }: Change): ChangeRow {
  return [
    cause,
    from && placeToRow(from),
    toRow(item),
    body ? bodyToRow(body) : null,
    result === undefined ? null : [result],
    gone === true,
  ];
}

export function fromChangeRow([cause, from, item, body, result, gone]: ChangeRow): Change {
  return {
    cause,
    from: from && placeFromRow(from),
    item: fromRow(item),
    ...(body && { body: bodyFromRow(body) }),
    ...(result && { result: result[0] }),
    ...(gone && { gone }),
  };
}

export function placeOf(item: Item): Place {
  const { state, quarantined, classNo, list, hold, band, tag, order } = item;
  const { notBefore, expiresAt, finishedAt, readyAt, bytes } = item;
  return {
    state,
    quarantined,
    classNo,
    list,
    hold,
    band,
    tag,
    order,
    notBefore,
    expiresAt,
    finishedAt,
    readyAt,
    bytes,
    leaseEndsAt: item.lease?.expiresAt ?? 0,
  };
}

function placeToRow(place: Place): unknown[] {
  return [
    itemStates.indexOf(place.state),
    place.quarantined,
    place.classNo,
    place.list,
    place.hold,
    place.band,
    place.tag,
    place.order,
    place.notBefore,
    place.expiresAt,
    place.finishedAt,
    place.readyAt,
    place.bytes,
    place.leaseEndsAt,
  ];
}

function placeFromRow(row: readonly unknown[]): Place {
  const r = row as readonly never[];
  return {
    state: itemStates[r[0]!]!,
    quarantined: r[1]!,
    classNo: r[2]!,
    list: r[3]!,
    hold: r[4]!,
    band: r[5]!,
    tag: r[6]!,
    order: r[7]!,
    notBefore: r[8]!,
    expiresAt: r[9]!,
    finishedAt: r[10]!,
    readyAt: r[11]!,
    bytes: r[12]!,
    leaseEndsAt: r[13]!,
  };
}
