import { limits } from "#base";
import type { Context, Decision } from "#runtime";
import { retention } from "./execution-retention.ts";
import {
  type Connection,
  type Execution,
  type ExecutionError,
  type ExecutionStatus,
  executions,
} from "./record.ts";
import { refreshAsked } from "./refresh.ts";
import type { Event, State } from "./state.ts";

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

export function called(
  state: State,
  record: Connection,
  id: string,
  result: CallResult,
  context: Context,
): Decision<Event> {
  const execution = executions.get(id, context);
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

export function put(
  before: Execution,
  change: Change,
  now: number,
): Extract<Event, { type: "execution_put" }> {
  const after = { ...before, ...change, updatedAt: now, recordVersion: before.recordVersion + 1 };
  return { type: "execution_put", before, after };
}

export function end(
  before: Execution,
  change: Change,
  now: number,
): Extract<Event, { type: "execution_put" }> {
  const event = put(before, change, now);
  return { ...event, after: { ...event.after, endedAt: now } };
}
