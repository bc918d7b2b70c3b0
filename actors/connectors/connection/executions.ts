import { limits, type Refusal, refuse } from "#base";
import type { Context, Decision } from "#runtime";
import { listed, type PageRequest } from "../../kit/list.ts";
import { newRecord } from "../../kit/record.ts";
import type { Mutation } from "../catalogue/types.ts";
import { end, put } from "./execution-results.ts";
import { retentionAt } from "./execution-retention.ts";
import {
  type Connection,
  type Execution,
  type ExecutionError,
  executionMessage,
  executions,
} from "./record.ts";
import { askRefresh, isExpired, isRefreshDue, refreshAsked } from "./refresh.ts";
import { bodies, type Event, effectId, type State } from "./state.ts";

/** What the handler has read in the catalogue. */
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

export function execute(state: State, record: Connection, asked: Execute, context: Context): Decision<Event> {
  const refusal = notExecutable(state, record, asked);
  if (refusal) return refusal;
  const { now, caller } = context;
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
      ...(caller?.origin && { origin: caller.origin }),
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

/** Of the set that lacks the fewest. Only OAuth says which scopes were granted. */
export function missingScopes(
  { authType, credentials }: Pick<Connection, "authType" | "credentials">,
  anyOf: readonly (readonly string[])[],
): readonly string[] {
  if (anyOf.length === 0 || !authType.startsWith("oauth2_")) return [];
  const granted = new Set(credentials.scopes);
  const lacking = anyOf.map((set) => set.filter((scope) => !granted.has(scope)));
  return lacking.reduce((least, one) => (one.length < least.length ? one : least));
}

export interface Attempted {
  readonly action_key: string;
  readonly mutation: Mutation;
  readonly input: unknown;
  readonly record: Connection;
}

/** An attempt asks what it needs just before it builds its request; it waits here for a refresh that it depends on. */
export function attempt(state: State, record: Connection, id: string, context: Context): Decision<Event> {
  const execution = executions.get(id, context);
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
  const input = context.get(bodies, [id, "input"]);
  const refresh = isRefreshDue(state, record, context.now) ? [refreshAsked(state, context.now)] : [];
  // One that is not safe to repeat runs from `begin` on: the mark that its request may have left.
  const isRunning = execution.status === "running" || execution.mutation === "non_idempotent";
  const running = isRunning ? [] : [put(execution, { status: "running" }, context.now)];
  const { actionKey: action_key, mutation } = execution;
  const answer: Attempted = { action_key, mutation, input, record };
  return { events: [...refresh, ...running], answer };
}

/** The request is about to leave. */
export function begin(id: string, context: Context): Decision<Event> {
  const execution = executions.get(id, context);
  if (execution === null || execution.endedAt !== undefined)
    return refuse("NOT_FOUND", "the execution has ended", { reason: "ENDED" });
  return {
    events: [put(execution, { status: "running" }, context.now)],
    answer: {},
  };
}

export function cancel(record: Connection, id: string, context: Context): Decision<Event> {
  const execution = executions.get(id, context);
  if (execution === null) return noExecution;
  const body = bodyOf(id, context);
  if (execution.endedAt !== undefined)
    return { events: [], answer: executionMessage(record, execution, body) };
  const left = execution.status === "running" && execution.mutation !== "none";
  const error: ExecutionError = left
    ? {
        code: "OUTCOME_UNKNOWN",
        message: "cancelled while the request was under way: it may have been performed",
        retryable: false,
      }
    : { code: "CANCELLED", message: "cancelled", retryable: false };
  const event = end(execution, { status: left ? "outcome_unknown" : "cancelled", error }, context.now);
  return {
    events: [{ ...event, cancels: effectId(execution) }],
    answer: executionMessage(record, event.after, body),
  };
}

const noExecution = refuse("NOT_FOUND", "there is no such execution");

export function getExecution(record: Connection, id: string, context: Context): Decision<Event> {
  const execution = executions.get(id, context);
  if (execution === null) return noExecution;
  return { events: [], answer: executionMessage(record, execution, bodyOf(id, context)) };
}

function bodyOf(id: string, context: Context): { readonly input: unknown; readonly output: unknown } {
  const [input, output] = context.getMany(bodies, [
    [id, "input"],
    [id, "output"],
  ]);
  return { input, output };
}

export function list(
  state: State,
  record: Connection,
  request: PageRequest & { readonly status?: string },
  context: Context,
): Decision<Event> {
  const asked = { request, filter: { status: request.status } };
  const show = (one: Execution) => executionMessage(record, one);
  return listed("executions", executions.page(state.counts, asked, show, context));
}
