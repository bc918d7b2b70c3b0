import { isRefusal, limits, refuse } from "#base";
import type { Context, Decision, EffectStep } from "#runtime";
import type { EntityPurge } from "../../kit/directory.ts";
import { checkEnvironment } from "../../kit/environment.ts";
import type { PageRequest } from "../../kit/list.ts";
import { type Message, nextRecord, updatedSettings } from "../../kit/record.ts";
import { checkVersion } from "../../kit/version.ts";
import * as subscriptions from "../subscription/decide.ts";
import * as incoming from "../subscription/incoming.ts";
import type { Incoming } from "../subscription/record.ts";
import { type CallResult, called, needsReauth } from "./execution-results.ts";
import { forgetOld } from "./execution-retention.ts";
import * as execution from "./executions.ts";
import { type Connection, type ConnectionStatus, connectionMessage, noCredentials } from "./record.ts";
import * as refreshing from "./refresh.ts";
import * as sessions from "./sessions.ts";
import type { Event, State } from "./state.ts";

export type Command =
  | EntityPurge
  | { readonly type: "get" }
  | { readonly type: "update"; readonly given: Message }
  | { readonly type: "delete"; readonly version?: number }
  | { readonly type: "move"; readonly to: "active" | "disabled" | "revoked" }
  | { readonly type: "check" }
  | (Wait & { readonly type: "await_check" })
  /** For effects: encrypted credentials, refreshed first where the token has expired. */
  | { readonly type: "resolve" }
  /** For the module itself: the record as it is. */
  | { readonly type: "look" }
  | (Reencrypted & { readonly type: "reencrypt" })
  | (sessions.CreateSession & { readonly type: "create_session" })
  | { readonly type: "get_session"; readonly id: string }
  | { readonly type: "look_at_session"; readonly id: string }
  | (Wait & { readonly type: "await_session"; readonly id: string })
  | (sessions.SubmitSession & { readonly type: "submit" })
  | (sessions.Authorize & { readonly type: "authorize" })
  | (sessions.Callback & { readonly type: "callback" })
  | { readonly type: "revoke_session"; readonly id: string }
  | (execution.Execute & { readonly type: "execute" })
  | { readonly type: "attempt"; readonly id: string }
  | (Wait & { readonly type: "get_execution"; readonly id: string })
  | { readonly type: "list_executions"; readonly request: PageRequest & { readonly status?: string } }
  | { readonly type: "cancel_execution"; readonly id: string }
  | (subscriptions.Subscribe & { readonly type: "subscribe" })
  | { readonly type: "look_at_subscription"; readonly id: string }
  | (subscriptions.Update & { readonly type: "update_subscription" })
  | { readonly type: "unsubscribe"; readonly id: string; readonly version?: number }
  | (Reencrypted & { readonly type: "reencrypt_subscription"; readonly id: string })
  | { readonly type: "receive"; readonly id: string; readonly event: Incoming }
  | { readonly type: "poll_state"; readonly id: string }
  | { readonly type: "unseen"; readonly id: string; readonly event_ids: readonly string[] }
  | { readonly type: "delivery"; readonly id: string; readonly delivery: string }
  | { readonly type: "effect"; readonly step: EffectStep }
  | { readonly type: "timer"; readonly id: string };

/** The same secret under another key. */
interface Reencrypted {
  readonly version: number;
  readonly encrypted: string;
  readonly keyId: string;
}

/** How long the answer waits for the end of what it is about; `untilMs` once it waits. */
interface Wait {
  readonly waitMs?: number;
  readonly untilMs?: number;
}

export function decide(state: State, command: Command, context: Context): Decision<Event> {
  const { record } = state;
  if (command.type === "create_session") {
    const foreign = record && checkEnvironment(record.environment, context.caller);
    return foreign ?? sessions.createSession(state, command, context);
  }
  if (command.type === "purge") {
    const { id, tenant } = command;
    if (state.triggers.subscriptions.has(id))
      return { events: [{ type: "subscription_forgotten", id }], frees: true };
    return {
      events: [record?.id === id ? { type: "forgotten" } : { type: "purged", id, tenant }],
      frees: true,
    };
  }
  if (record === undefined) return refuse("NOT_FOUND", "there is no such connection");
  if (command.type === "effect") return onEffect(state, record, command.step, context);
  if (command.type === "timer") return onTimer(state, record, command.id, context);
  const foreign = checkEnvironment(record.environment, context.caller);
  if (foreign) return foreign;
  switch (command.type) {
    case "get":
      return { events: [], answer: connectionMessage(record) };
    case "update":
      return update(record, command.given, context);
    case "delete":
      return remove(state, record, command.version);
    case "move":
      return move(record, command.to, context);
    case "check": {
      if (state.check.working) return { events: [], answer: {} };
      const check = { generation: state.check.generation + 1, working: true, error: "" };
      return { events: [{ type: "check_put", check, effect: { dueMs: context.now, body: {} } }], answer: {} };
    }
    case "await_check":
      return (
        waiting(state, command, context) ?? {
          events: [],
          answer: { connection: connectionMessage(record), check: state.check },
        }
      );
    case "resolve":
      return resolve(state, record, context);
    case "look":
      return { events: [], answer: record };
    case "reencrypt": {
      const { version, encrypted, keyId } = command;
      if (record.credentials.version !== version) return { events: [], answer: { reencrypted: false } };
      const next = { ...record, credentials: { ...record.credentials, encrypted, keyId } };
      return { events: [{ type: "record_put", record: next }], answer: { reencrypted: true } };
    }
    case "get_session":
      return sessions.getSession(state, record, command.id);
    case "look_at_session":
      return sessions.lookAtSession(state, record, command.id);
    case "await_session":
      return waiting(state, command, context) ?? sessions.getSession(state, record, command.id);
    case "submit":
      return sessions.submit(state, record, command, context);
    case "authorize":
      return sessions.authorize(state, record, command, context);
    case "callback":
      return sessions.callback(state, record, command, context);
    case "revoke_session":
      return sessions.revokeSession(state, record, command.id, context);
    case "execute":
      return execution.execute(state, record, command, context);
    case "attempt":
      return execution.attempt(state, record, command.id, context);
    case "get_execution":
      return waiting(state, command, context) ?? execution.getExecution(record, command.id, context);
    case "list_executions":
      return execution.list(state, record, command.request, context);
    case "cancel_execution":
      return execution.cancel(record, command.id, context);
    case "subscribe":
      return subscriptions.subscribe(state.triggers, record, command, context);
    case "look_at_subscription":
      return subscriptions.lookAt(state.triggers, record, command.id);
    case "update_subscription":
      return subscriptions.update(state.triggers, record, command, context);
    case "unsubscribe":
      return subscriptions.unsubscribe(state.triggers, command.id, command.version);
    case "reencrypt_subscription":
      return subscriptions.reencryptSubscription(state.triggers, command);
    case "receive":
      return incoming.receive(state.triggers, command, context);
    case "poll_state":
      return incoming.pollState(state.triggers, command.id);
    case "unseen":
      return incoming.unseen(command.id, command.event_ids, context);
    case "delivery":
      return incoming.deliveryOf(state.triggers, record, command, context);
  }
}

function waiting(state: State, command: Command & Wait, context: Context): Decision<Event> | undefined {
  const { untilMs = context.now + (command.waitMs ?? 0) } = command;
  if (isReady(state, command) || context.expired || context.now >= untilMs) return undefined;
  return { park: { untilMs, command: { ...command, untilMs } } };
}

/** Which waiting commands a change may have an answer for. */
export function wake(state: State, parked: readonly Command[]): readonly number[] {
  return parked.flatMap((command, index) => (isReady(state, command) ? [index] : []));
}

function isReady(state: State, command: Command): boolean {
  switch (command.type) {
    case "get_execution":
      return !state.open.has(command.id);
    case "await_session":
      return !state.sessions.get(command.id)?.working;
    case "await_check":
      return !state.check.working;
    case "attempt":
    case "resolve":
      return !state.refresh.working;
    default:
      return false;
  }
}

function update(record: Connection, given: Message, context: Context): Decision<Event> {
  const { name, metadata } = record;
  const changed = updatedSettings(record, { name, metadata }, given, {
    fields: ["name", "metadata"],
    required: ["name"],
  });
  if (isRefusal(changed)) return changed;
  const { name: newName, metadata: newMetadata = {} } = changed as { name: string; metadata?: Message };
  if (Buffer.byteLength(JSON.stringify(newMetadata)) > limits.connectionMetadataBytesMax) {
    const reason = `is longer than ${limits.connectionMetadataBytesMax} bytes`;
    return refuse("INVALID_ARGUMENT", `metadata ${reason}`, { fields: [{ field: "metadata", reason }] });
  }
  const next = nextRecord(record, { ...record, name: newName, metadata: newMetadata }, context.now);
  return put(record, next);
}

function put(record: Connection, next: Connection | undefined): Decision<Event> {
  if (next === undefined) return { events: [], answer: connectionMessage(record) };
  return { events: [{ type: "record_put", record: next }], answer: connectionMessage(next) };
}

const movesFrom: Readonly<Record<"active" | "disabled" | "revoked", readonly ConnectionStatus[]>> = {
  active: ["disabled"],
  disabled: ["active"],
  revoked: ["active", "needs_reauth", "disabled"],
};

function move(record: Connection, to: "active" | "disabled" | "revoked", context: Context): Decision<Event> {
  if (record.status === to) return { events: [], answer: connectionMessage(record) };
  if (!movesFrom[to].includes(record.status))
    return refuse("STATE_CONFLICT", `a connection that is ${record.status} cannot become ${to}`);
  const next = nextRecord(record, { ...record, status: to, statusReason: "" }, context.now)!;
  const events: Event[] = [{ type: "record_put", record: next }];
  if (to === "revoked") events.push({ type: "revocation_asked", dueMs: context.now, attempt: 1 });
  return { events, answer: connectionMessage(next) };
}

function remove(state: State, record: Connection, version: number | undefined): Decision<Event> {
  const conflict = checkVersion(record.recordVersion, version);
  if (conflict) return conflict;
  if (record.status !== "revoked")
    return refuse("STATE_CONFLICT", "revoke the connection before you delete it");
  if (state.open.size > 0)
    return refuse("STATE_CONFLICT", `${state.open.size} executions of the connection have not ended`);
  return { events: [{ type: "forgotten" }], answer: { id: record.id, deleted: true }, frees: true };
}

function resolve(state: State, record: Connection, context: Context): Decision<Event> {
  if (record.status !== "active")
    return refuse("FAILED_PRECONDITION", `the connection is ${record.status}`, {
      reason: "CONNECTION_NOT_ACTIVE",
    });
  if (refreshing.isExpired(record.credentials, context.now)) {
    const waiting = refreshing.askRefresh(state, record, context);
    if (waiting) return waiting;
  }
  const due = refreshing.isRefreshDue(state, record, context.now);
  return { events: due ? [refreshing.refreshAsked(state, context.now)] : [], answer: record };
}

/**
 * Ids of effects: `refresh.<n>`, `check.<n>`, `revoke.<n>`, `<session>.<n>`, `<execution>.<n>`, `poll.<subscription>.<n>`,
 * `deliver.<subscription>.<delivery>.<n>`.
 */
function onEffect(state: State, record: Connection, step: EffectStep, context: Context): Decision<Event> {
  const [of = "", number = "0"] = step.id.split(".");
  const generation = Number(number);
  if (step.type === "begin") {
    if (of === "refresh") return refreshing.beginRefresh(state, record, generation);
    if (state.sessions.has(of)) return { events: [], answer: {} };
    return execution.begin(of, context);
  }
  if ((step.result as Partial<Gone> | undefined)?.type === "gone" && of !== "poll" && of !== "deliver")
    return { events: [] };
  if (of === "poll" || of === "deliver") return onTriggerEffect(state, step.id, step.result, context);
  if (of === "refresh")
    return refreshing.refreshed(state, record, generation, step.result as refreshing.RefreshResult, context);
  if (of === "check") return checked(state, record, generation, step.result as CheckResult, context);
  if (of === "revoke") return revoked(record, generation, step.result as RevokeResult, context);
  if (state.sessions.has(of)) {
    const result = step.result as sessions.ConnectResult;
    return sessions.sessionDone(state, record, { id: of, attempt: generation, result }, context);
  }
  return called(state, record, of, step.result as CallResult, context);
}

function onTriggerEffect(
  { triggers }: State,
  effect: string,
  result: unknown,
  context: Context,
): Decision<Event> {
  const [of, id = "", second = "", attempt] = effect.split(".");
  if (of === "poll") {
    const asked = { id, generation: Number(second), result: result as incoming.PollResult };
    return incoming.polled(triggers, asked, context);
  }
  const asked = { id, delivery: second, attempt: Number(attempt), result: result as incoming.DeliverResult };
  return incoming.delivered(triggers, asked, context);
}

/** What the effect was for is not there any more. */
export interface Gone {
  readonly type: "gone";
}

export type CheckResult =
  | { readonly type: "works" }
  | { readonly type: "rejected"; readonly credentialVersion: number; readonly reason: string }
  | { readonly type: "failed"; readonly error: string };

function checked(
  state: State,
  record: Connection,
  generation: number,
  result: CheckResult,
  context: Context,
): Decision<Event> {
  if (state.check.generation !== generation) return { events: [] };
  const error = result.type === "works" ? "" : result.type === "rejected" ? result.reason : result.error;
  const events: Event[] = [{ type: "check_put", check: { generation, working: false, error } }];
  if (
    result.type === "rejected" &&
    result.credentialVersion === record.credentials.version &&
    record.status === "active"
  )
    events.push({ type: "record_put", record: needsReauth(record, result.reason, context.now) });
  return { events };
}

export interface RevokeResult {
  /** The provider has done so, or never will. */
  readonly revoked: boolean;
}

/** The credentials are erased once the provider has revoked them, or after a day. */
function revoked(
  record: Connection,
  attempt: number,
  { revoked: isRevoked }: RevokeResult,
  context: Context,
): Decision<Event> {
  if (record.status !== "revoked") return { events: [] };
  const tooLong = context.now > record.updatedAt + limits.revocationMs;
  if (!isRevoked && !tooLong) {
    const wait = Math.min(limits.refreshBackOffMs * 2 ** Math.min(attempt, 20), limits.refreshBackOffMsMax);
    return { events: [{ type: "revocation_asked", dueMs: context.now + wait, attempt: attempt + 1 }] };
  }
  const { version } = record.credentials;
  return {
    events: [{ type: "record_put", record: { ...record, credentials: { ...noCredentials, version } } }],
  };
}

function onTimer(state: State, record: Connection, id: string, context: Context): Decision<Event> {
  if (id === "retention") return forgetOld(state, context);
  if (id === "seen") return incoming.forgetSeen(state.triggers, context);
  if (id.startsWith("poll:")) return incoming.pollDue(state.triggers, id.slice("poll:".length));
  if (id === "keep-alive") {
    const idle = state.refresh.working || !record.credentials.refreshable || record.status !== "active";
    return { events: idle ? [] : [refreshing.refreshAsked(state, context.now)] };
  }
  return sessions.sessionTimer(state, record, id.slice("session:".length), context);
}
