import { handleOf, limits } from "#base";
import { type Context, isRowOf, type Origin, type RowWriter, rowsOf, type StoredRow } from "#runtime";
import type { Counts } from "../../kit/collection.ts";
import { type DirectoryMessage, directoryOf } from "../../kit/directory.ts";
import { applying } from "../../kit/table.ts";
import type { OriginFinished } from "../../kit/workflow-run.ts";
import {
  type AskedEffect,
  askEffect,
  forgetTriggers,
  noTriggers,
  restoreTriggers,
  type TriggerEvent,
  type Triggers,
  triggerEvents,
  triggersResident,
} from "../subscription/state.ts";
import { type Connection, type Execution, executions, type Session } from "./record.ts";

export interface State {
  record?: Connection;
  readonly sessions: Map<string, Session>;
  /** Executions that have not ended, with the bytes of their input. */
  readonly open: Map<string, number>;
  openBytes: number;
  readonly counts: Counts;
  refresh: Refresh;
  check: Check;
  /** When the next call may leave, by the provider's limits; forgotten when the entity leaves memory. */
  paceMs: number;
  triggers: Triggers;
}

interface Refresh {
  /** Names the effect. */
  readonly generation: number;
  readonly working: boolean;
  readonly failures: number;
  /** Not before. */
  readonly nextAtMs: number;
}

/** The last question whether the credentials work. */
export interface Check {
  readonly generation: number;
  readonly working: boolean;
  readonly error: string;
}

export type Event =
  | TriggerEvent
  | { readonly type: "record_put"; readonly record: Connection }
  | { readonly type: "session_put"; readonly session: Session }
  | { readonly type: "session_forgotten"; readonly id: string }
  /** `published`: what happened, for subscribers of events and metrics. */
  | { readonly type: "refresh_put"; readonly refresh: Refresh; readonly published?: string }
  | { readonly type: "check_put"; readonly check: Check }
  | {
      readonly type: "execution_put";
      readonly before: Execution | null;
      readonly after: Execution;
      readonly input?: { readonly value: unknown; readonly bytes: number };
      readonly output?: unknown;
      /** When the next attempt is due. */
      readonly attemptAt?: number;
      readonly paceMs?: number;
      /** The effect that is not wanted any more. */
      readonly cancels?: string;
    }
  | { readonly type: "executions_forgotten"; readonly executions: readonly Execution[] }
  | (AskedEffect & { readonly type: "effect_asked" })
  | { readonly type: "timer_set"; readonly id: string; readonly atMs: number }
  | { readonly type: "forgotten" }
  | { readonly type: "purged"; readonly id: string; readonly tenant: string };

/** A connection while a command is decided. */
export interface Unit {
  readonly state: State;
  readonly record: Connection;
  readonly context: Context;
  readonly now: number;
}

const recordRows = rowsOf<Connection, readonly []>("record");
const sessionRows = rowsOf<Session>("sessions");
const openRows = rowsOf<number>("open");
const refreshRows = rowsOf<Refresh, readonly []>("refresh");
const checkRows = rowsOf<Check, readonly []>("check");
export const bodies = rowsOf<unknown, readonly [execution: string, part: "input" | "output"]>("bodies");

export function empty(): State {
  return {
    sessions: new Map(),
    open: new Map(),
    openBytes: 0,
    counts: new Map(),
    refresh: { generation: 0, working: false, failures: 0, nextAtMs: 0 },
    check: { generation: 0, working: false, error: "" },
    paceMs: 0,
    triggers: noTriggers(),
  };
}

const ownResident = [recordRows, sessionRows, openRows, refreshRows, checkRows];
export const resident = [...ownResident, executions.countsName, ...triggersResident];

export function restore(state: State, row: StoredRow): void {
  if (executions.restore(state.counts, row) || restoreTriggers(state.triggers, row)) return;
  if (isRowOf(row, recordRows)) state.record = row.value;
  else if (isRowOf(row, sessionRows)) state.sessions.set(row.key[0], row.value);
  else if (isRowOf(row, openRows)) {
    state.open.set(row.key[0], row.value);
    state.openBytes += row.value;
  } else if (isRowOf(row, refreshRows)) state.refresh = row.value;
  else if (isRowOf(row, checkRows)) state.check = row.value;
}

/** The name of the effects that call over a connection with this many at a time. */
export function callKind(concurrency: number): string {
  return `connector_call_${concurrency}`;
}

export const apply = applying<State, Event>({
  ...triggerEvents,
  record_put: (state, { record }, rows) => putRecord(state, record, rows),
  session_put: (state, { session }, rows) => putSession(state, session, rows),
  session_forgotten(state, { id }, rows) {
    state.sessions.delete(id);
    rows.delete(sessionRows, [id]);
    rows.clearTimer(`session:${id}`);
  },
  refresh_put(state, { refresh, published }, rows) {
    state.refresh = refresh;
    rows.put(refreshRows, [], refresh);
    if (published !== undefined) publish(state.record!, published, rows);
  },
  check_put(state, { check }, rows) {
    state.check = check;
    rows.put(checkRows, [], check);
  },
  execution_put: putExecution,
  executions_forgotten(state, event, rows) {
    for (const execution of event.executions) {
      executions.remove(state.counts, execution, rows);
      rows.deletePrefix(bodies, [execution.id]);
    }
  },
  effect_asked: (state, event, rows) => askEffect(state.record!, event, rows),
  timer_set: (_state, { id, atMs }, rows) => rows.setTimer(id, atMs),
  forgotten: (state, _event, rows) => forget(state, rows),
  purged(_state, { tenant, id }, rows) {
    // Of a connection or a subscription: the directory that does not know it changes nothing.
    for (const kind of ["connection", "trigger_subscription"])
      rows.send(directoryOf(tenant, kind), { type: "deleted", id });
  },
});

function putRecord(state: State, record: Connection, rows: RowWriter): void {
  const before = state.record;
  state.record = record;
  rows.put(recordRows, [], record);
  const { status } = record;
  if (before?.status !== status && status !== "pending") publish(record, status, rows);
  sendToDirectory(before, record, rows);
  if (status === "revoked" && before?.status !== "revoked") freeExternalId(record, rows);
}

function sendToDirectory(before: Connection | undefined, record: Connection, rows: RowWriter): void {
  const { id, name, status, tenant } = record;
  if (status === "pending") return;
  const key_id = record.credentials.keyId;
  const entry = { id, name, status, key_id };
  const tell = (message: DirectoryMessage) => rows.send(directoryOf(tenant, "connection"), message);
  if (before === undefined || before.status === "pending") {
    const { providerKey: provider_key, environment } = record;
    tell({ type: "noted", entry: { ...entry, provider_key, environment } });
  } else if (before.status !== status || before.name !== name || before.credentials.keyId !== key_id)
    tell({ type: "changed", ...entry });
}

/** Its name in the provider config is free for another one. */
function freeExternalId({ tenant, providerConfigId, externalId, id }: Connection, rows: RowWriter): void {
  if (externalId === "") return;
  rows.send(
    { kind: "provider_config", tenant, key: handleOf(providerConfigId) },
    { type: "free_external_id", externalId, connectionId: id },
  );
}

function publish(
  { id, providerKey, credentials, statusReason }: Connection,
  what: string,
  rows: RowWriter,
): void {
  rows.publish(`connection.${what}`, id, {
    provider_key: providerKey,
    credential_version: credentials.version,
    ...(statusReason !== "" && { reason: statusReason }),
  });
}

function putSession(state: State, session: Session, rows: RowWriter): void {
  const before = state.sessions.get(session.id);
  state.sessions.set(session.id, session);
  rows.put(sessionRows, [session.id], session);
  if (before?.status === session.status) return;
  rows.publish(`connect_session.${session.status}`, session.id, { connection_id: state.record!.id });
  const endsAt = isOpen(session) ? session.expiresAt : rows.now + limits.connectSessionKeptMs;
  rows.setTimer(`session:${session.id}`, endsAt);
}

export function isOpen({ status }: Session): boolean {
  return status === "created" || status === "authorizing" || status === "failed";
}

function putExecution(state: State, event: Extract<Event, { type: "execution_put" }>, rows: RowWriter): void {
  const { before, after, input, output, attemptAt, paceMs, cancels } = event;
  executions.put(state.counts, before, after, rows);
  if (input) {
    rows.put(bodies, [after.id, "input"], input.value);
    rows.put(openRows, [after.id], input.bytes);
    state.open.set(after.id, input.bytes);
    state.openBytes += input.bytes;
  }
  if (output !== undefined) rows.put(bodies, [after.id, "output"], output);
  if (after.endedAt !== undefined && before?.endedAt === undefined) {
    rows.delete(openRows, [after.id]);
    state.openBytes -= state.open.get(after.id) ?? 0;
    state.open.delete(after.id);
    if (after.origin) sendToOrigin(state.record!, after, after.origin, output, rows);
  }
  if (paceMs !== undefined) state.paceMs = paceMs;
  if (cancels !== undefined) rows.endEffect(cancels);
  if (attemptAt !== undefined)
    rows.effect(effectId(after), {
      kind: callKind(after.concurrency),
      dueMs: attemptAt,
      body: { execution: after.id },
    });
  if (before?.status !== after.status)
    rows.publish(`connector_execution.${after.status}`, after.id, {
      connection_id: state.record!.id,
      action_key: after.actionKey,
      attempts: after.attempts,
      ...(after.error && { error_code: after.error.code }),
    });
}

/** Its end, once: what waits for it goes on, as after the end of a queue item. */
function sendToOrigin(
  { tenant }: Connection,
  { id, status, error }: Execution,
  { kind, key, ref }: Origin,
  result: unknown,
  rows: RowWriter,
): void {
  const message: OriginFinished = {
    type: "finished",
    ref,
    finished: {
      ok: status === "succeeded",
      id,
      state: status,
      ...(result !== undefined && { result }),
      ...(error && { error: error.message, code: error.code, retryable: error.retryable }),
      ...(status === "outcome_unknown" && { outcomeUnknown: true }),
    },
  };
  rows.send({ kind, tenant, key }, message);
}

export function effectId({ id, generation }: Execution): string {
  return `${id}.${generation}`;
}

/** Everything of a connection goes. */
function forget(state: State, rows: RowWriter): void {
  const { record } = state;
  if (record) forgetTriggers(state.triggers, record, rows);
  for (const collection of [...ownResident, bodies]) rows.deletePrefix(collection, []);
  executions.clear(state.counts, rows);
  for (const id of state.sessions.keys()) rows.clearTimer(`session:${id}`);
  rows.clearTimer("retention");
  rows.clearTimer("keep-alive");
  if (record && record.status !== "pending") {
    const message: DirectoryMessage = { type: "deleted", id: record.id };
    rows.send(directoryOf(record.tenant, "connection"), message);
    rows.publish("connection.deleted", record.id, {
      provider_key: record.providerKey,
      credential_version: record.credentials.version,
    });
  }
  if (record?.status === "pending") freeExternalId(record, rows);
  delete state.record;
  Object.assign(state, empty());
}
