import { limits } from "#base";
import { type Address, isRowOf, type RowWriter, type StoredRow } from "#runtime";
import type { Counts } from "../kit/collection.ts";
import { type DirectoryMessage, directoryOf } from "../kit/directory.ts";
import { applyJobs, type JobsEvent, jobRows, jobTimes } from "../kit/jobs.ts";
import { applying } from "../kit/table.ts";
import { webhookKind } from "../kit/webhook.ts";
import { Line } from "./line.ts";
import {
  bodyRows,
  type Delivery,
  deliveries,
  endedRows,
  entryOf,
  type Flow,
  flowRows,
  isOpen,
  keptUntil,
  openRows,
  positionRows,
  type RedeliverJob,
  type RedeliverJobs,
  recordRows,
  type Selection,
  statusOf,
  type Webhook,
} from "./record.ts";

export interface State {
  readonly tenant: string;
  record?: Webhook;
  flow: Flow;
  position: readonly number[];
  line: Line;
  /** When the oldest one that has ended may be forgotten is looked at. */
  retainAt: number;
  readonly counts: Counts;
  readonly jobs: RedeliverJobs;
}

interface Put {
  readonly before: Delivery | null;
  readonly after: Delivery;
  readonly body?: string;
}

interface Publication {
  readonly what: string;
  readonly more?: object;
}

/** What a command changes, as values. */
export interface Changed {
  readonly type: "changed";
  readonly record?: Webhook;
  readonly flow?: Partial<Flow>;
  /** Events were taken up to there. */
  readonly position?: readonly number[];
  /** Events are asked for again, at this time. */
  readonly pumpAt?: number;
  readonly puts?: readonly Put[];
  readonly forgets?: readonly Delivery[];
  readonly retainAt?: number;
  readonly publishes?: readonly Publication[];
}

export type Event =
  | Changed
  | JobsEvent<Selection, "redeliver">
  | { readonly type: "removed"; readonly id: string; readonly publishes: boolean };

export const resident = [recordRows, flowRows, positionRows, openRows, deliveries.resident, jobRows];
const all = [recordRows, flowRows, positionRows, openRows, bodyRows, endedRows, jobRows];

export function empty({ tenant }: Address): State {
  return {
    tenant,
    flow: { window: 0, failingSince: 0, lastGap: 0, bytes: 0, placed: 0 },
    position: [],
    line: new Line("none", []),
    retainAt: 0,
    counts: new Map(),
    jobs: new Map(),
  };
}

export function restore(state: State, row: StoredRow): void {
  if (deliveries.restore(state.counts, row)) return;
  if (isRowOf(row, recordRows)) setRecord(state, row.value);
  else if (isRowOf(row, flowRows)) state.flow = row.value;
  else if (isRowOf(row, positionRows)) state.position = row.value;
  else if (isRowOf(row, openRows)) state.line.put(row.value);
  else if (isRowOf(row, jobRows)) {
    const job = row.value as RedeliverJob;
    state.jobs.set(job.id, job);
  }
}

export function bytesOf({ line, position }: State): number {
  return line.size * 600 + position.length * 8;
}

/** A line has one order: for another one it is made anew. */
function setRecord(state: State, record: Webhook): void {
  if (state.record?.ordering !== record.ordering) state.line = new Line(record.ordering, state.line.values());
  state.record = record;
}

export const apply = applying<State, Event>({
  changed(state, event, rows) {
    if (event.record) putRecord(state, event.record, rows);
    if (event.flow) putFlow(state, event.flow, rows);
    if (event.position) {
      state.position = event.position;
      rows.put(positionRows, [], event.position);
    }
    for (const put of event.puts ?? []) putDelivery(state, put, rows);
    for (const delivery of event.forgets ?? []) forget(state, delivery, rows);
    if (event.retainAt !== undefined) state.retainAt = event.retainAt;
    const { id, recordVersion: record_version } = state.record!;
    for (const { what, more } of event.publishes ?? [])
      rows.publish(`webhook.${what}`, id, { record_version, ...more });
    pump(state, event, rows);
    dispatch(state, rows);
  },
  jobs_changed(state, event, rows) {
    applyJobs(state.jobs, event, rows);
    dispatch(state, rows);
  },
  removed(state, { id, publishes }, rows) {
    if (publishes) rows.publish("webhook.deleted", id, { record_version: state.record!.recordVersion });
    for (const { id: delivery, generation, state: stands } of state.line.values())
      if (stands === "sending") rows.endEffect(`${delivery}.${generation}`);
    rows.endEffect("pump");
    rows.clearTimer("tick");
    deliveries.clear(state.counts, rows);
    for (const collection of all) rows.deletePrefix(collection, []);
    const { tenant } = state;
    Object.assign(state, empty({ kind: webhookKind, tenant, key: "" }));
    delete state.record;
    const gone: DirectoryMessage = { type: "deleted", id };
    rows.send(directoryOf(tenant, webhookKind), gone);
  },
});

function putRecord(state: State, record: Webhook, rows: RowWriter): void {
  const isNew = state.record === undefined;
  setRecord(state, record);
  rows.put(recordRows, [], record);
  const noted: DirectoryMessage = { type: "changed", ...entryOf(record) };
  if (!isNew) rows.send(directoryOf(state.tenant, webhookKind), noted);
}

function putFlow(state: State, flow: Partial<Flow>, rows: RowWriter): void {
  state.flow = { ...state.flow, ...flow };
  rows.put(flowRows, [], state.flow);
}

function putDelivery(state: State, { before, after, body }: Put, rows: RowWriter): void {
  const { line } = state;
  if (before === null || before.state !== after.state)
    deliveries.put(state.counts, before && stored(before), stored(after), rows);
  if (body !== undefined) rows.put(bodyRows, [after.id], body);
  if (before && !isOpen(before)) rows.delete(endedRows, [keptUntil(before), before.id]);
  if (isOpen(after)) {
    line.put(after);
    rows.put(openRows, [after.place], after);
    return;
  }
  line.remove(after.id);
  rows.delete(openRows, [after.place]);
  rows.put(endedRows, [keptUntil(after), after.id], null);
}

function stored(delivery: Delivery): Delivery {
  return delivery.state === "sending" ? { ...delivery, state: "pending" } : delivery;
}

function forget(state: State, delivery: Delivery, rows: RowWriter): void {
  deliveries.remove(state.counts, delivery, rows);
  rows.delete(bodyRows, [delivery.id]);
  rows.delete(endedRows, [keptUntil(delivery), delivery.id]);
}

/** While it is disabled no events are taken. */
function pump(state: State, { pumpAt }: Changed, rows: RowWriter): void {
  const { id, kinds, environment, tenant } = state.record!;
  if (statusOf(state.record!) === "disabled") rows.endEffect("pump");
  else if (pumpAt !== undefined)
    rows.effect("pump", {
      kind: "webhook_pump",
      dueMs: pumpAt,
      body: { webhook: id, tenant, kinds, environment, position: state.position },
    });
}

/** As many are sent as may be, and the timer is set to what comes next. */
function dispatch(state: State, rows: RowWriter): void {
  const { record, line, flow } = state;
  if (record === undefined) return;
  const isActive = statusOf(record) === "active";
  while (isActive && line.sending < flow.window) {
    const next = line.take();
    if (next === undefined) break;
    const sending: Delivery = { ...next, state: "sending", generation: next.generation + 1 };
    line.put(sending);
    rows.put(openRows, [next.place], sending);
    rows.effect(`${sending.id}.${sending.generation}`, {
      kind: "webhook_send",
      dueMs: rows.now,
      lane: `${webhookKind}/${record.id}`,
      body: { id: sending.id, generation: sending.generation },
    });
  }
  const hasEnded = deliveries.total(state.counts) > line.size;
  if (hasEnded && state.retainAt === 0) state.retainAt = rows.now + limits.webhookRetainMs;
  const times = jobTimes(state.jobs.values());
  if (state.retainAt > 0) times.push(state.retainAt);
  const nextAt = isActive ? line.nextAt : undefined;
  if (nextAt !== undefined) times.push(nextAt);
  if (mislabelled(state) > 0) times.push(rows.now);
  if (times.length > 0) rows.setTimer("tick", Math.min(...times));
}

/** Open deliveries whose state does not say yet that the endpoint was disabled, or enabled again. */
export function mislabelled({ record, line }: State): number {
  return statusOf(record!) === "active" ? line.held : line.size - line.held - line.sending;
}
