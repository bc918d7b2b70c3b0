import { isRefusal, limits, type Refusal, refuse } from "#base";
import type { Context, Decision, Need } from "#runtime";
import { cutToBytes, type PageRequest } from "../../shared/cursor.ts";
import { newRecord } from "../../shared/records/record.ts";
import { secretOf } from "../../shared/records/state.ts";
import type { Mutation } from "../catalogue/types.ts";
import {
  type Connection,
  type Execution,
  type ExecutionError,
  type ExecutionStatus,
  executionMessage,
  executions,
} from "./record.ts";
import { askRefresh, isExpired, isRefreshDue, refreshAsked } from "./refresh.ts";
import { bodies, type Event, effectId, type State } from "./state.ts";

/** What the door has worked out of the catalogue. */
export interface Execute {
  readonly action_key: string;
  readonly action_version: string;
  readonly mutation: Mutation;
  /** One of these sets has to be granted; none: no scopes are needed. */
  readonly scopes: readonly (readonly string[])[];
  readonly input: unknown;
  readonly bytes: number;
  readonly deadline_ms: number;
  readonly limits: { readonly rps: number; readonly burst: number; readonly concurrency: number };
}

/** What an attempt came to. */
export type CallResult =
  | { readonly type: "succeeded"; readonly output: unknown; readonly outputInvalid: boolean }
  /** Bytes of the request left, and no whole answer came. */
  | { readonly type: "unknown"; readonly message: string }
  | { readonly type: "unreadable"; readonly credentialVersion: number }
  | {
      readonly type: "failed";
      readonly code: string;
      readonly message: string;
      readonly providerStatus?: number;
      /** `unsent`: the provider surely has not acted; `repeatable`: a repeat is of use where it is safe. */
      readonly again: "unsent" | "repeatable" | "no";
      readonly retryAfterMs?: number;
      /** The credentials that the provider refused. */
      readonly unauthorized?: { readonly credentialVersion: number };
    };

export function execute(state: State, record: Connection, asked: Execute, context: Context): Decision<Event> {
  const refusal = notExecutable(state, record, asked);
  if (refusal) return refusal;
  const { now } = context;
  const { rps, burst, concurrency } = asked.limits;
  // GCRA: calls are `interval` apart, of which `burst` may come at once.
  const interval = 1_000 / rps;
  const dueMs = Math.max(now, Math.ceil(state.paceMs - (burst - 1) * interval));
  const after: Execution = newRecord(
    context.newId(context.address.key),
    {
      actionKey: asked.action_key,
      actionVersion: asked.action_version,
      mutation: asked.mutation,
      status: "queued" as const,
      attempts: 0,
      generation: 1,
      deadlineAt: now + asked.deadline_ms,
      concurrency,
      refreshed: false,
      credentialVersionMin: 0,
      outputInvalid: false,
    },
    now,
  );
  const first: Event[] = executions.total(state.counts) === 0 ? [retentionAt(now)] : [];
  return {
    events: [
      ...first,
      {
        type: "execution_put",
        before: null,
        after,
        input: { value: asked.input, bytes: asked.bytes },
        attemptAt: dueMs,
        paceMs: Math.max(now, state.paceMs) + interval,
      },
    ],
    answer: executionMessage(record, after, { input: asked.input, output: null }),
  };
}

function notExecutable(state: State, record: Connection, asked: Execute): Refusal | undefined {
  if (record.status !== "active")
    return refuse("FAILED_PRECONDITION", `the connection is ${record.status}${hint(record)}`, {
      reason: "CONNECTION_NOT_ACTIVE",
    });
  const missing = missingScopes(record, asked.scopes);
  if (missing.length > 0)
    return refuse(
      "FAILED_PRECONDITION",
      `the connection lacks ${missing.join(", ")}: reconnect with these scopes`,
      {
        reason: "MISSING_SCOPES",
        extra: { missing_scopes: missing },
      },
    );
  if (
    state.open.size >= limits.executionsWaitingMax ||
    state.openBytes + asked.bytes > limits.executionsWaitingBytesMax
  )
    return refuse("RATE_LIMITED", `${state.open.size} executions wait for this connection`, {
      reason: "CONNECTION_BUSY",
      retryAfterMs: limits.retryAfterMs,
    });
  return undefined;
}

function hint({ status, statusReason }: Connection): string {
  return status === "needs_reauth" ? ` (${statusReason}): reconnect it` : "";
}

/** Of the set that lacks the fewest. Only OAuth tells which scopes were granted. */
export function missingScopes(
  { authType, credentials }: Pick<Connection, "authType" | "credentials">,
  anyOf: readonly (readonly string[])[],
): readonly string[] {
  if (anyOf.length === 0 || !authType.startsWith("oauth2_")) return [];
  const granted = new Set(credentials.scopes);
  const lacking = anyOf.map((set) => set.filter((scope) => !granted.has(scope)));
  return lacking.reduce((least, one) => (one.length < least.length ? one : least));
}

/** An attempt asks what it needs just before it builds its request; it waits here for a refresh that it depends on. */
export function attempt(state: State, record: Connection, id: string, context: Context): Decision<Event> {
  const execution = executions.get(id, context);
  if (execution === undefined) return executions.need(id);
  if (execution === null || execution.endedAt !== undefined)
    return refuse("NOT_FOUND", "the execution has ended", { reason: "ENDED" });
  if (context.now > execution.deadlineAt)
    return refuse("FAILED_PRECONDITION", "the deadline of the execution is over", { reason: "DEADLINE" });
  if (record.status !== "active")
    return refuse("FAILED_PRECONDITION", `the connection is ${record.status}${hint(record)}`, {
      reason: "CONNECTION_NOT_ACTIVE",
    });
  const { credentials } = record;
  if (isExpired(credentials, context.now) || credentials.version < execution.credentialVersionMin) {
    const waiting = askRefresh(state, record, context);
    if (waiting) return waiting;
  }
  const ref = { collection: bodies, key: [id, "input"] };
  const input = context.row(ref);
  if (input === undefined) return { need: [ref] };
  const refresh = isRefreshDue(state, record, context.now) ? [refreshAsked(state, context.now)] : [];
  return {
    events: refresh,
    answer: {
      action_key: execution.actionKey,
      mutation: execution.mutation,
      input,
      credentials,
      connection_id: record.id,
      provider_config_id: record.providerConfigId,
      auth: record.auth,
      environment: record.environment,
    },
  };
}

/** The request is about to leave. */
export function begin(id: string, context: Context): Decision<Event> {
  const execution = executions.get(id, context);
  if (execution === undefined) return executions.need(id);
  if (execution === null || execution.endedAt !== undefined)
    return refuse("NOT_FOUND", "the execution has ended", { reason: "ENDED" });
  return {
    events: [put(execution, { status: "running" }, context.now)],
    answer: {},
  };
}

export function called(
  state: State,
  record: Connection,
  id: string,
  result: CallResult,
  context: Context,
): Decision<Event> {
  const execution = executions.get(id, context);
  if (execution === undefined) return executions.need(id);
  if (execution === null || execution.endedAt !== undefined) return { events: [] };
  const { now } = context;
  const attempts = execution.attempts + 1;
  switch (result.type) {
    case "succeeded": {
      const { output, outputInvalid } = result;
      const ended = end(execution, { status: "succeeded", attempts, outputInvalid }, now);
      return { events: [{ ...ended, output: output ?? null }, ...retention(state, now)] };
    }
    case "unknown": {
      const error = {
        code: "OUTCOME_UNKNOWN",
        message: `${result.message}: it may have been performed; look there before you repeat it`,
        retryable: false,
      };
      return { events: [end(execution, { status: "outcome_unknown", attempts, error }, now)] };
    }
    case "unreadable": {
      const error = {
        code: "CREDENTIALS_UNREADABLE",
        message: "the credentials cannot be opened",
        retryable: false,
      };
      const events: Event[] = [end(execution, { status: "failed", attempts, error }, now)];
      if (record.credentials.version === result.credentialVersion)
        events.push({ type: "record_put", record: needsReauth(record, "KEY_MISSING", now) });
      return { events };
    }
    case "failed":
      return failed(state, record, execution, { ...result, attempts }, context);
  }
}

export function needsReauth(record: Connection, reason: string, now: number): Connection {
  if (record.status !== "active") return record;
  return {
    ...record,
    status: "needs_reauth",
    statusReason: reason,
    updatedAt: now,
    recordVersion: record.recordVersion + 1,
  };
}

function failed(
  state: State,
  record: Connection,
  execution: Execution,
  result: Extract<CallResult, { type: "failed" }> & { readonly attempts: number },
  context: Context,
): Decision<Event> {
  const { now } = context;
  const { attempts, again, unauthorized } = result;
  if (unauthorized && !execution.refreshed && record.credentials.refreshable) {
    const credentialVersionMin = unauthorized.credentialVersion + 1;
    const stale = record.credentials.version < credentialVersionMin && !state.refresh.working;
    return {
      events: [
        ...(stale ? [refreshAsked(state, now)] : []),
        retry({ ...execution, refreshed: true, credentialVersionMin }, execution, attempts, now, now),
      ],
    };
  }
  const repeatable =
    again === "unsent" || (again === "repeatable" && execution.mutation !== "non_idempotent");
  const retryAtMs = now + Math.max(backOff(attempts, context.random()), result.retryAfterMs ?? 0);
  const tooLate =
    retryAtMs > execution.deadlineAt || (result.retryAfterMs ?? 0) > limits.executionRetryAfterMsMax;
  if (repeatable && attempts < limits.executionAttemptsMax && !tooLate)
    return { events: [retry(execution, execution, attempts, retryAtMs, now)] };
  const error: ExecutionError = {
    code: result.code,
    ...(result.providerStatus !== undefined && { provider_status: result.providerStatus }),
    message: result.message,
    retryable: repeatable,
  };
  return { events: [end(execution, { status: "failed", attempts, error }, now), ...retention(state, now)] };
}

/** Full jitter. */
function backOff(attempts: number, random: number): number {
  const most = Math.min(limits.executionBackOffMs * 2 ** attempts, limits.executionBackOffMsMax);
  return Math.ceil(random * most);
}

function retry(next: Execution, before: Execution, attempts: number, attemptAt: number, now: number): Event {
  const after: Execution = {
    ...next,
    status: "waiting",
    attempts,
    generation: before.generation + 1,
    updatedAt: now,
    recordVersion: before.recordVersion + 1,
  };
  return { type: "execution_put", before, after, attemptAt };
}

type Change = Partial<Pick<Execution, "attempts" | "outputInvalid" | "error">> & {
  readonly status: ExecutionStatus;
};

function put(before: Execution, change: Change, now: number): Extract<Event, { type: "execution_put" }> {
  const after = { ...before, ...change, updatedAt: now, recordVersion: before.recordVersion + 1 };
  return { type: "execution_put", before, after };
}

function end(before: Execution, change: Change, now: number): Extract<Event, { type: "execution_put" }> {
  const event = put(before, change, now);
  return { ...event, after: { ...event.after, endedAt: now } };
}

export function cancel(record: Connection, id: string, context: Context): Decision<Event> {
  const execution = executions.get(id, context);
  if (execution === undefined) return executions.need(id);
  if (execution === null) return noExecution;
  const bodyOf = bodyOrNeed(id, context);
  if ("need" in bodyOf) return bodyOf;
  if (execution.endedAt !== undefined)
    return { events: [], answer: executionMessage(record, execution, bodyOf) };
  const left = execution.status === "running" && execution.mutation === "non_idempotent";
  const error: ExecutionError = left
    ? { code: "OUTCOME_UNKNOWN", message: "cancelled while the request was under way", retryable: false }
    : { code: "CANCELLED", message: "cancelled", retryable: false };
  const event = end(execution, { status: left ? "outcome_unknown" : "cancelled", error }, context.now);
  return {
    events: [{ ...event, cancels: effectId(execution) }],
    answer: executionMessage(record, event.after, bodyOf),
  };
}

const noExecution = refuse("NOT_FOUND", "there is no such execution");

export function getExecution(record: Connection, id: string, context: Context): Decision<Event> {
  const execution = executions.get(id, context);
  if (execution === undefined) return executions.need(id);
  if (execution === null) return noExecution;
  const body = bodyOrNeed(id, context);
  if ("need" in body) return body;
  return { events: [], answer: executionMessage(record, execution, body) };
}

function bodyOrNeed(
  id: string,
  context: Context,
): Need | { readonly input: unknown; readonly output: unknown } {
  const refs = ["input", "output"].map((part) => ({ collection: bodies, key: [id, part] }));
  const missing = refs.filter((ref) => context.row(ref) === undefined);
  if (missing.length > 0) return { need: missing };
  return { input: context.row(refs[0]!), output: context.row(refs[1]!) };
}

export function list(
  state: State,
  record: Connection,
  request: PageRequest & { readonly status?: string },
  context: Context,
): Decision<Event> {
  const filter = request.status === undefined ? {} : { status: request.status };
  const page = executions.page(state.counts, { request, filter, secret: state.secret }, context);
  if (isRefusal(page) || "need" in page) return page;
  const shown = cutToBytes(page.values.map((execution) => executionMessage(record, execution)));
  const { secret, drawn } = secretOf(state, context);
  const more = page.more || shown.length < page.values.length;
  return {
    events: drawn,
    answer: {
      executions: shown,
      next_page_token: more ? page.cursorAfter(page.values[shown.length - 1]!.id, secret) : "",
      total: page.total,
    },
  };
}

/** Old executions go, and the oldest where there are too many; those that have not ended stay. */
export function forgetOld(state: State, context: Context): Decision<Event> {
  const range = {
    collection: "executions.entries",
    limit: limits.executionsForgottenAtOnce,
  };
  const rows = context.range(range);
  if (rows === undefined) return { need: [range] };
  const { now } = context;
  let surplus = executions.total(state.counts) - limits.executionsKept;
  const old = rows
    .map(({ value }) => value as Execution)
    .filter(({ endedAt, createdAt }) => {
      if (endedAt === undefined) return false;
      return surplus-- > 0 || createdAt < now - limits.executionKeptMs;
    });
  const again = old.length === limits.executionsForgottenAtOnce ? now : now + retentionEveryMs;
  const left = executions.total(state.counts) - old.length;
  return {
    events: [
      ...(old.length > 0 ? [{ type: "executions_forgotten", executions: old } as const] : []),
      ...(left > 0 ? [{ type: "retention_due", atMs: again } as const] : []),
    ],
    frees: true,
  };
}

const retentionEveryMs = 3_600_000;

function retentionAt(now: number): Event {
  return { type: "retention_due", atMs: now + retentionEveryMs };
}

/** Sooner than by the hour where there are more than are kept. */
function retention(state: State, now: number): Event[] {
  const over = executions.total(state.counts) - limits.executionsKept;
  return over > 0 && over % limits.executionsForgottenAtOnce === 0
    ? [{ type: "retention_due", atMs: now }]
    : [];
}
