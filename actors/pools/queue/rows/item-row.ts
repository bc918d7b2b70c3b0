import {
  type Body,
  classList,
  type Ended,
  type Item,
  type ItemGroups,
  type ItemRow,
  type ItemState,
  itemStates,
  type Lease,
  noGroups,
  type Progress,
  type Settlement,
} from "./item.ts";

const at = {
  id: 0,
  body: 1,
  state: 2,
  band: 3,
  bytes: 4,
  createdAt: 5,
  updatedAt: 6,
  version: 7,
  order: 8,
  tag: 9,
  classNo: 10,
  readyAt: 11,
  list: 12,
  deliveries: 13,
  key: 14,
  groups: 15,
  notBefore: 16,
  lease: 17,
  ended: 18,
  finishedAt: 19,
  attempts: 20,
  cost: 21,
  heldBy: 22,
  error: 23,
  expiresAt: 24,
  dedupId: 25,
  flow: 26,
  sticky: 27,
  retries: 28,
  coalesced: 29,
  quarantined: 30,
  traceparent: 31,
  history: 32,
} as const;

/** `body`: stored with the item; absent where it has a row of its own, or is not wanted. */
export function toRow(item: Item, body?: Body): ItemRow {
  const { createdAt, lease } = item;
  // In the order of `at`.
  const row = [
    item.id,
    body === undefined ? 0 : bodyToRow(body),
    stateIndex[item.state],
    item.band,
    item.bytes,
    createdAt,
    item.updatedAt - createdAt,
    item.version,
    item.order,
    item.tag,
    item.classNo,
    since(createdAt, item.readyAt),
    listToRow(item),
    item.deliveries,
    item.key || 0,
    groupsToRow(item.groups, item.tells),
    item.notBefore,
    lease === null ? 0 : leaseToRow(lease, createdAt),
    item.ended === null ? 0 : endedToRow(item, item.ended),
    since(createdAt, item.finishedAt),
    item.attempts,
    item.cost - 1,
    item.heldBy || 0,
    item.error === null ? 0 : [item.error.message, item.error.type, item.error.at],
    item.expiresAt,
    item.dedupId || 0,
    item.flow || 0,
    item.sticky || 0,
    item.retries,
    item.coalesced,
    item.quarantined ? 1 : 0,
    item.traceparent || 0,
    item.history,
  ];
  let length = row.length;
  while (row[length - 1] === 0) length--;
  row.length = length;
  return row;
}

export function fromRow(row: unknown): Item {
  const r = row as readonly (never | undefined)[];
  const createdAt: number = r[at.createdAt]!;
  const classNo: number = r[at.classNo] ?? 0;
  const list: unknown = r[at.list] ?? 0;
  const lease: LeaseRow | 0 = r[at.lease] ?? 0;
  const error = (r[at.error] || null) as readonly [string, string, number] | null;
  const item = {
    id: r[at.id]!,
    key: r[at.key] || "",
    state: itemStates[r[at.state]!]!,
    quarantined: r[at.quarantined] === 1,
    band: r[at.band]!,
    cost: (r[at.cost] ?? 0) + 1,
    bytes: r[at.bytes]!,
    dedupId: r[at.dedupId] || "",
    attempts: r[at.attempts] ?? 0,
    deliveries: r[at.deliveries] ?? 0,
    retries: r[at.retries] ?? 0,
    coalesced: r[at.coalesced] ?? 0,
    createdAt,
    updatedAt: createdAt + (r[at.updatedAt] ?? 0),
    finishedAt: until(createdAt, r[at.finishedAt]),
    notBefore: r[at.notBefore] ?? 0,
    expiresAt: r[at.expiresAt] ?? 0,
    version: r[at.version]!,
    classNo,
    list: listFromRow(list, classNo),
    recent: isRecentInRow(list),
    heldBy: r[at.heldBy] || "",
    tag: r[at.tag] ?? 0,
    order: r[at.order] ?? 0,
    readyAt: until(createdAt, r[at.readyAt]),
    flow: r[at.flow] || "",
    sticky: r[at.sticky] || "",
    groups: groupsFromRow(r[at.groups] ?? 0),
    tells: tellsFromRow(r[at.groups] ?? 0),
    lease: lease === 0 ? null : leaseFromRow(lease, createdAt),
    ended: null as Ended | null,
    error: error && { message: error[0], type: error[1], at: error[2] },
    traceparent: r[at.traceparent] || "",
    history: r[at.history] ?? 0,
  };
  if (r[at.ended]) item.ended = endedFromRow(item, r[at.ended]);
  return item;
}

export type LeaseRow = readonly [
  recipient: string,
  token: string,
  leasedAt: number,
  expiresAt: number,
  tat?: number,
  progress?: Progress,
];

export function leaseToRow(
  { recipient, token, leasedAt, expiresAt, tat, progress }: Lease,
  createdAt: number,
): LeaseRow {
  if (progress !== null)
    return [recipient, token, leasedAt - createdAt, expiresAt - createdAt, tat, progress];
  if (tat === 0) return [recipient, token, leasedAt - createdAt, expiresAt - createdAt];
  return [recipient, token, leasedAt - createdAt, expiresAt - createdAt, tat];
}

export function leaseFromRow(
  [recipient, token, leasedAt, expiresAt, tat, progress]: LeaseRow,
  createdAt: number,
): Lease {
  return {
    recipient,
    token,
    leasedAt: createdAt + leasedAt,
    expiresAt: createdAt + expiresAt,
    tat: tat ?? 0,
    progress: progress ?? null,
  };
}

/** Nearly all stand in the line of their class, with a row there or as recent ones; recent ones may wait for a time. */
export function listToRow({ list, classNo, recent }: Pick<Item, "list" | "classNo" | "recent">): unknown {
  if (list === "") return recent ? 3 : 0;
  return list === classList(classNo) ? (recent ? 2 : 1) : list;
}

export function isRecentInRow(list: unknown): boolean {
  return list === 2 || list === 3;
}

export function listFromRow(list: unknown, classNo: number): string {
  return list === 0 || list === 3 ? "" : typeof list === "string" ? list : classList(classNo);
}

/** The payload that is stored with an item; `undefined` where it has a row of its own. */
export function bodyInRow(row: unknown): Body | undefined {
  const body = bodyRowIn(row);
  return body === 0 ? undefined : bodyFromRow(body);
}

/** 0 where it has none. */
export function bodyRowIn(row: unknown): unknown {
  return (row as ItemRow)[at.body];
}

/** An absent payload is not a payload of `null`. */
export function bodyToRow({ payload, attributes }: Body): ItemRow {
  if (payload === undefined) return isEmpty(attributes) ? [] : [null, attributes, noPayload];
  return isEmpty(attributes) ? [payload] : [payload, attributes];
}

export function bodyFromRow(row: unknown): Body {
  const [payload, attributes, mark] = row as [unknown, Record<string, unknown> | undefined, unknown];
  return { payload: mark === noPayload ? undefined : payload, attributes: attributes ?? {} };
}

const noPayload = 1;

export const stateIndex = Object.fromEntries(itemStates.map((state, index) => [state, index])) as Readonly<
  Record<ItemState, number>
>;

function isEmpty(attributes: Body["attributes"]): boolean {
  for (const _ in attributes) return false;
  return true;
}

/** One more than the time that passed: 0 is no time at all. */
function since(createdAt: number, time: number): number {
  return time === 0 ? 0 : time - createdAt + 1;
}

function until(createdAt: number, passed: number | undefined): number {
  return passed ? createdAt + passed - 1 : 0;
}

function endedToRow(item: Item, { token, by, answer, recipient }: Ended): unknown[] {
  return [token, by, isToldBy(item, answer) ? 0 : answer, recipient];
}

function endedFromRow(item: Item, row: unknown): Ended {
  const [token, by, answer, recipient] = row as [string, Ended["by"], Settlement | 0, string];
  return { token, by, answer: answer || answerOf(item), recipient };
}

/** What the worker that ends a lease is told of the item. */
export function answerOf(item: Item): Settlement {
  const { state, attempts, deliveries, notBefore, updatedAt } = item;
  return { state, attempts, deliveries, notBefore: state === "retry_wait" ? notBefore : 0, at: updatedAt };
}

function isToldBy(item: Item, answer: Settlement): boolean {
  return (
    answer.at === item.updatedAt &&
    answer.state === item.state &&
    answer.attempts === item.attempts &&
    answer.deliveries === item.deliveries &&
    answer.notBefore === (item.state === "retry_wait" ? item.notBefore : 0)
  );
}

/** Controls of one key have one id: it is written once, and a number says for which of them; see `shared`. */
function groupsToRow(groups: ItemGroups, tells: boolean): unknown {
  if (groups === noGroups) return 0;
  const { singleton, debounce, throttle, concurrency } = groups;
  const first = singleton || debounce || throttle || concurrency[0]?.id;
  if (!first) return 0;
  const sharing = sharingOf(groups, first);
  if (sharing >= 0) return [first, tells ? sharing | shared.tells : sharing];
  const row = [tells ? 1 : 0, singleton, debounce, throttle];
  for (const { id, control, cost } of concurrency) row.push(id, control, cost);
  return row;
}

/** What the controls of one id are, as bits: nearly all items have either one id or none. */
const shared = { singleton: 1, tells: 2, debounce: 4, throttle: 8, slot: 16 } as const;

/** Less than 0: they do not all have this id, or take other slots than one of the first concurrency control. */
function sharingOf({ singleton, debounce, throttle, concurrency }: ItemGroups, id: string): number {
  let bits = 0;
  if (singleton === id) bits |= shared.singleton;
  else if (singleton !== "") return -1;
  if (debounce === id) bits |= shared.debounce;
  else if (debounce !== "") return -1;
  if (throttle === id) bits |= shared.throttle;
  else if (throttle !== "") return -1;
  if (concurrency.length === 0) return bits;
  const slot = concurrency[0]!;
  const isUsual = concurrency.length === 1 && slot.id === id && slot.control === 0 && slot.cost === 1;
  return isUsual ? bits | shared.slot : -1;
}

function groupsFromRow(row: unknown): ItemGroups {
  if (row === 0) return noGroups;
  const [first, second, ...rest] = row as readonly (string | number)[];
  if (typeof first === "string") {
    const idOf = (bit: number) => ((second as number) & bit ? first : "");
    return {
      singleton: idOf(shared.singleton),
      debounce: idOf(shared.debounce),
      throttle: idOf(shared.throttle),
      concurrency: (second as number) & shared.slot ? [{ id: first, control: 0, cost: 1 }] : [],
    };
  }
  const [debounce, throttle, ...slots] = rest;
  const concurrency = [];
  for (let i = 0; i < slots.length; i += 3)
    concurrency.push({
      id: slots[i] as string,
      control: slots[i + 1] as number,
      cost: slots[i + 2] as number,
    });
  return {
    singleton: second as string,
    debounce: debounce as string,
    throttle: throttle as string,
    concurrency,
  };
}

function tellsFromRow(row: unknown): boolean {
  if (row === 0) return false;
  const [first, second] = row as readonly (string | number)[];
  return typeof first === "string" ? ((second as number) & shared.tells) !== 0 : first === 1;
}
