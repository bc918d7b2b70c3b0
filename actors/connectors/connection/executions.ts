import { limits, type Refusal, refuse } from "#base";
import type { Context, Decision } from "#runtime";
import { listed, type PageRequest } from "../../kit/list.ts";
import { newRecord } from "../../kit/record.ts";
import type { Mutation } from "../catalogue/types.ts";
import { end, put, retentionAt, retentionEveryMs } from "./execution-results.ts";
import { type Connection, type Execution, executionMessage, executions } from "./record.ts";
import { askRefresh, isExpired, refreshIfDue } from "./refresh.ts";
import { bodies, type Event, effectId, type Unit } from "./state.ts";

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

export function execute(unit: Unit, asked: Execute): Decision<Event> {
  const refusal = notExecutable(unit, asked);
  if (refusal) return refusal;
  const { state, record, context, now } = unit;
  const { rps, burst, concurrency } = asked.limits;
  // GCRA: calls are `interval` apart, of which `burst` may come at once.
  const interval = 1_000 / rps;
  const settings = {
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
    ...(context.caller?.origin && { origin: context.caller.origin }),
  };
  const after: Execution = newRecord(context.newId(context.address.key), settings, now);
  const isFirst = executions.total(state.counts) === 0;
  return {
    events: [
      ...(isFirst ? [retentionAt(now + retentionEveryMs)] : []),
      {
        type: "execution_put",
        before: null,
        after,
        input: { value: asked.input, bytes: asked.bytes },
        attemptAt: Math.max(now, Math.ceil(state.paceMs - (burst - 1) * interval)),
        paceMs: Math.max(now, state.paceMs) + interval,
      },
    ],
    answer: executionMessage(record, after, { input: asked.input, output: null }),
  };
}

function notExecutable({ state, record }: Unit, asked: Execute): Refusal | undefined {
  const inactive = notActive(record);
  if (inactive) return inactive;
  const missing = missingScopes(record, asked.scopes);
  if (missing.length > 0) {
    const detail = `the connection lacks ${missing.join(", ")}: reconnect with these scopes`;
    const extra = { missing_scopes: missing };
    return refuse("FAILED_PRECONDITION", detail, { reason: "MISSING_SCOPES", extra });
  }
  const { size } = state.open;
  const bytes = state.openBytes + asked.bytes;
  if (size < limits.executionsWaitingMax && bytes <= limits.executionsWaitingBytesMax) return undefined;
  return refuse("RATE_LIMITED", `${size} executions wait for this connection`, {
    reason: "CONNECTION_BUSY",
    retryAfterMs: limits.retryAfterMs,
  });
}

function notActive({ status, statusReason }: Connection): Refusal | undefined {
  if (status === "active") return undefined;
  const hint = status === "needs_reauth" ? ` (${statusReason}): reconnect it` : "";
  return refuse("FAILED_PRECONDITION", `the connection is ${status}${hint}`, {
    reason: "CONNECTION_NOT_ACTIVE",
  });
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
export function attempt(unit: Unit, id: string): Decision<Event> {
  const { record, context, now } = unit;
  const execution = executions.get(id, context);
  if (execution === null || execution.endedAt !== undefined) return ended;
  if (now > execution.deadlineAt)
    return refuse("FAILED_PRECONDITION", "the deadline of the execution is over", { reason: "DEADLINE" });
  const inactive = notActive(record);
  if (inactive) return inactive;
  const { credentials } = record;
  if (isExpired(credentials, now) || credentials.version < execution.credentialVersionMin) {
    const waiting = askRefresh(unit);
    if (waiting) return waiting;
  }
  const input = context.get(bodies, [id, "input"]);
  // One that is not safe to repeat runs from `begin` on: the mark that its request may have left.
  const isRunning = execution.status === "running" || execution.mutation === "non_idempotent";
  const running = isRunning ? [] : [put(execution, { status: "running" }, now)];
  const { actionKey: action_key, mutation } = execution;
  const answer: Attempted = { action_key, mutation, input, record };
  return { events: [...refreshIfDue(unit), ...running], answer };
}

const ended = refuse("NOT_FOUND", "the execution has ended", { reason: "ENDED" });

/** The request is about to leave. */
export function begin({ context, now }: Unit, id: string): Decision<Event> {
  const execution = executions.get(id, context);
  if (execution === null || execution.endedAt !== undefined) return ended;
  return { events: [put(execution, { status: "running" }, now)], answer: {} };
}

export function cancel({ record, context, now }: Unit, id: string): Decision<Event> {
  const execution = executions.get(id, context);
  if (execution === null) return noExecution;
  const body = bodyOf(id, context);
  if (execution.endedAt !== undefined)
    return { events: [], answer: executionMessage(record, execution, body) };
  const left = execution.status === "running" && execution.mutation !== "none";
  const message = left
    ? "cancelled while the request was under way: it may have been performed"
    : "cancelled";
  const error = { code: left ? "OUTCOME_UNKNOWN" : "CANCELLED", message, retryable: false };
  const event = end(execution, { status: left ? "outcome_unknown" : "cancelled", error }, now);
  return {
    events: [{ ...event, cancels: effectId(execution) }],
    answer: executionMessage(record, event.after, body),
  };
}

const noExecution = refuse("NOT_FOUND", "there is no such execution");

export function getExecution({ record, context }: Unit, id: string): Decision<Event> {
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

export interface ListExecutions extends PageRequest {
  readonly status?: string;
}

export function list({ state, record, context }: Unit, request: ListExecutions): Decision<Event> {
  const asked = { request, filter: { status: request.status } };
  const show = (one: Execution) => executionMessage(record, one);
  return listed("executions", executions.page(state.counts, asked, show, context));
}
