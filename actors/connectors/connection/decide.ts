import { invalid, isRefusal, limits, refuse } from "#base";
import type { Context, Decision, EffectStep } from "#runtime";
import type { EntityPurge } from "../../kit/directory.ts";
import { checkEnvironment } from "../../kit/environment.ts";
import { type Message, nextRecord, updatedSettings } from "../../kit/record.ts";
import type { EncryptedSecret } from "../../kit/secrets.ts";
import { deciding } from "../../kit/table.ts";
import { checkVersion } from "../../kit/version.ts";
import * as subscriptions from "../subscription/decide.ts";
import * as incoming from "../subscription/incoming.ts";
import type { Incoming } from "../subscription/record.ts";
import { type CallResult, called, forgetOld } from "./execution-results.ts";
import * as execution from "./executions.ts";
import { type ConnectionStatus, connectionMessage, moved, noCredentials } from "./record.ts";
import * as refreshing from "./refresh.ts";
import * as sessions from "./sessions.ts";
import type { Event, State, Unit } from "./state.ts";

export type Command =
  | EntityPurge
  | { readonly type: "get" }
  | (Message & { readonly type: "update" })
  | { readonly type: "delete"; readonly version?: number }
  | { readonly type: "move"; readonly to: "active" | "disabled" | "revoked" }
  | { readonly type: "check" }
  | (Wait & { readonly type: "await_check" })
  /** For effects: encrypted credentials, refreshed first where the token has expired. */
  | { readonly type: "resolve" }
  /** For the module itself: the record as it is. */
  | { readonly type: "look" }
  | (EncryptedSecret & { readonly type: "reencrypt" })
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
  | (execution.ListExecutions & { readonly type: "list_executions" })
  | { readonly type: "cancel_execution"; readonly id: string }
  | (subscriptions.Subscribe & { readonly type: "subscribe" })
  | { readonly type: "look_at_subscription"; readonly id: string }
  | (subscriptions.Update & { readonly type: "update_subscription" })
  | { readonly type: "unsubscribe"; readonly id: string; readonly version?: number }
  | (EncryptedSecret & { readonly type: "reencrypt_subscription"; readonly id: string })
  | { readonly type: "receive"; readonly id: string; readonly event: Incoming }
  | { readonly type: "poll_state"; readonly id: string }
  | { readonly type: "unseen"; readonly id: string; readonly event_ids: readonly string[] }
  | { readonly type: "delivery"; readonly id: string; readonly delivery: string }
  | { readonly type: "effect"; readonly step: EffectStep }
  | { readonly type: "timer"; readonly id: string };

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
  const unit: Unit = { state, record, context, now: context.now };
  if (command.type === "effect") return onEffect(unit, command.step);
  if (command.type === "timer") return onTimer(unit, command.id);
  const foreign = checkEnvironment(record.environment, context.caller);
  return foreign ?? decideFound(unit, command, context);
}

/** What needs the record of a connection that the caller may see. */
type Found = Exclude<Command, { readonly type: "create_session" | "purge" | "effect" | "timer" }>;

const decideFound = deciding<Unit, Found, Event>({
  get: (unit) => ({ events: [], answer: connectionMessage(unit.record) }),
  update,
  delete: (unit, { version }) => remove(unit, version),
  move: (unit, { to }) => move(unit, to),
  check,
  await_check(unit, command) {
    const answer = { connection: connectionMessage(unit.record), check: unit.state.check };
    return waiting(unit, command) ?? { events: [], answer };
  },
  resolve,
  look: (unit) => ({ events: [], answer: unit.record }),
  reencrypt(unit, { type: _, ...newSecret }) {
    const { record } = unit;
    const reencrypted = record.credentials.version === newSecret.version;
    const next = { ...record, credentials: { ...record.credentials, ...newSecret } };
    return { events: reencrypted ? [{ type: "record_put", record: next }] : [], answer: { reencrypted } };
  },
  get_session: (unit, { id }) => sessions.getSession(unit, id),
  look_at_session: (unit, { id }) => sessions.lookAtSession(unit, id),
  await_session: (unit, command) => waiting(unit, command) ?? sessions.getSession(unit, command.id),
  submit: sessions.submit,
  authorize: sessions.authorize,
  callback: sessions.callback,
  revoke_session: (unit, { id }) => sessions.revokeSession(unit, id),
  execute: execution.execute,
  attempt: (unit, { id }) => execution.attempt(unit, id),
  get_execution: (unit, command) => waiting(unit, command) ?? execution.getExecution(unit, command.id),
  list_executions: execution.list,
  cancel_execution: (unit, { id }) => execution.cancel(unit, id),
  subscribe: subscriptions.subscribe,
  look_at_subscription: (unit, { id }) => subscriptions.lookAt(unit, id),
  update_subscription: subscriptions.update,
  unsubscribe: (unit, { id, version }) => subscriptions.unsubscribe(unit, id, version),
  reencrypt_subscription: subscriptions.reencrypt,
  receive: (unit, { id, event }) => incoming.receive(unit, id, event),
  poll_state: (unit, { id }) => incoming.pollState(unit, id),
  unseen: (_unit, { id, event_ids }, context) => incoming.unseen(id, event_ids, context),
  delivery: (unit, { id, delivery }) => incoming.deliveryOf(unit, id, delivery),
});

function waiting({ state, context, now }: Unit, command: Command & Wait): Decision<Event> | undefined {
  const { untilMs = now + (command.waitMs ?? 0) } = command;
  if (isReady(state, command) || context.expired || now >= untilMs) return undefined;
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

function update({ record, now }: Unit, given: Message): Decision<Event> {
  const { name, metadata } = record;
  const changed = updatedSettings(record, { name, metadata }, given, {
    fields: ["name", "metadata"],
    required: ["name"],
  });
  if (isRefusal(changed)) return changed;
  const settings = { name, metadata: {}, ...changed };
  const most = limits.connectionMetadataBytesMax;
  if (Buffer.byteLength(JSON.stringify(settings.metadata)) > most)
    return invalid({ field: "metadata", reason: `is longer than ${most} bytes` });
  const next = nextRecord(record, { ...record, ...settings }, now);
  return {
    events: next ? [{ type: "record_put", record: next }] : [],
    answer: connectionMessage(next ?? record),
  };
}

const movesFrom: Readonly<Record<"active" | "disabled" | "revoked", readonly ConnectionStatus[]>> = {
  active: ["disabled"],
  disabled: ["active"],
  revoked: ["active", "needs_reauth", "disabled"],
};

function move({ record, now }: Unit, to: "active" | "disabled" | "revoked"): Decision<Event> {
  if (record.status === to) return { events: [], answer: connectionMessage(record) };
  if (!movesFrom[to].includes(record.status))
    return refuse("STATE_CONFLICT", `a connection that is ${record.status} cannot become ${to}`);
  const next = moved(record, { status: to, statusReason: "" }, now);
  const events: Event[] = [{ type: "record_put", record: next }];
  if (to === "revoked") events.push(revocationAsked(1, now));
  return { events, answer: connectionMessage(next) };
}

function revocationAsked(attempt: number, dueMs: number): Event {
  return { type: "effect_asked", what: "revoke", id: `revoke.${attempt}`, dueMs };
}

function remove({ state, record }: Unit, version: number | undefined): Decision<Event> {
  const conflict = checkVersion(record.recordVersion, version);
  if (conflict) return conflict;
  if (record.status !== "revoked")
    return refuse("STATE_CONFLICT", "revoke the connection before you delete it");
  if (state.open.size > 0)
    return refuse("STATE_CONFLICT", `${state.open.size} executions of the connection have not ended`);
  return { events: [{ type: "forgotten" }], answer: { id: record.id, deleted: true }, frees: true };
}

function check({ state, now }: Unit): Decision<Event> {
  if (state.check.working) return { events: [], answer: {} };
  const generation = state.check.generation + 1;
  return {
    events: [
      { type: "check_put", check: { generation, working: true, error: "" } },
      { type: "effect_asked", what: "check", id: `check.${generation}`, dueMs: now },
    ],
    answer: {},
  };
}

function resolve(unit: Unit): Decision<Event> {
  const { record, now } = unit;
  const { status, credentials } = record;
  if (status !== "active")
    return refuse("FAILED_PRECONDITION", `the connection is ${status}`, { reason: "CONNECTION_NOT_ACTIVE" });
  if (refreshing.isExpired(credentials, now)) {
    const waiting = refreshing.askRefresh(unit);
    if (waiting) return waiting;
  }
  return { events: refreshing.refreshIfDue(unit), answer: record };
}

/**
 * Ids of effects: `refresh.<n>`, `check.<n>`, `revoke.<n>`, `<session>.<n>`, `<execution>.<n>`, `poll.<subscription>.<n>`,
 * `deliver.<subscription>.<delivery>.<n>`.
 */
function onEffect(unit: Unit, step: EffectStep): Decision<Event> {
  const { sessions: open } = unit.state;
  const [of = "", second = "", third = "", fourth] = step.id.split(".");
  const generation = Number(second);
  if (step.type === "begin") {
    if (of === "refresh") return refreshing.beginRefresh(unit, generation);
    if (open.has(of)) return { events: [], answer: {} };
    return execution.begin(unit, of);
  }
  if ((step.result as Partial<Gone> | undefined)?.type === "gone") return { events: [] };
  switch (of) {
    case "poll":
      return incoming.polled(unit, second, Number(third), step.result as incoming.PollResult);
    case "deliver": {
      const delivery = { id: second, delivery: third, attempt: Number(fourth) };
      return incoming.delivered(unit, delivery, step.result as incoming.DeliverResult);
    }
    case "refresh":
      return refreshing.refreshed(unit, generation, step.result as refreshing.RefreshResult);
    case "check":
      return checked(unit, generation, step.result as CheckResult);
    case "revoke":
      return revoked(unit, generation, step.result as RevokeResult);
  }
  if (open.has(of)) return sessions.sessionDone(unit, of, generation, step.result as sessions.ConnectResult);
  return called(unit, of, step.result as CallResult);
}

/** What the effect was for is not there any more. */
export interface Gone {
  readonly type: "gone";
}

export type CheckResult =
  | { readonly type: "works" }
  | { readonly type: "rejected"; readonly credentialVersion: number; readonly reason: string }
  | { readonly type: "failed"; readonly error: string };

function checked({ state, record, now }: Unit, generation: number, result: CheckResult): Decision<Event> {
  if (state.check.generation !== generation) return { events: [] };
  const put = (error: string): Event => ({ type: "check_put", check: { generation, working: false, error } });
  if (result.type === "works") return { events: [put("")] };
  if (result.type === "failed") return { events: [put(result.error)] };
  const current = result.credentialVersion === record.credentials.version;
  return {
    events: [put(result.reason), ...(current ? refreshing.needsReauth(record, result.reason, now) : [])],
  };
}

export interface RevokeResult {
  /** The provider has done so, or never will. */
  readonly revoked: boolean;
}

/** The credentials are erased once the provider has revoked them, or after a day. */
function revoked({ record, now }: Unit, attempt: number, result: RevokeResult): Decision<Event> {
  if (record.status !== "revoked") return { events: [] };
  const tooLong = now > record.updatedAt + limits.revocationMs;
  if (!result.revoked && !tooLong)
    return { events: [revocationAsked(attempt + 1, now + refreshing.backOff(attempt))] };
  const credentials = { ...noCredentials, version: record.credentials.version };
  return { events: [{ type: "record_put", record: { ...record, credentials } }] };
}

function onTimer(unit: Unit, id: string): Decision<Event> {
  const { state, record, now } = unit;
  if (id === "retention") return forgetOld(unit);
  if (id === "seen") return incoming.forgetSeen(unit);
  if (id.startsWith("poll:")) return incoming.pollDue(unit, id.slice("poll:".length));
  if (id === "keep-alive") {
    const idle = state.refresh.working || !record.credentials.refreshable || record.status !== "active";
    return { events: idle ? [] : refreshing.refreshAsked(state, now) };
  }
  return sessions.sessionTimer(unit, id.slice("session:".length));
}
