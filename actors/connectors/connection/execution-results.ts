import { limits } from "#base";
import { type Decision, rowsOf } from "#runtime";
import { type Execution, type ExecutionError, executions, moved } from "./record.ts";
import { needsReauth, refreshAsked } from "./refresh.ts";
import type { Event, State, Unit } from "./state.ts";

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

export function called(unit: Unit, id: string, result: CallResult): Decision<Event> {
  const { state, record, context, now } = unit;
  const execution = executions.get(id, context);
  if (execution === null || execution.endedAt !== undefined) return { events: [] };
  const attempts = execution.attempts + 1;
  switch (result.type) {
    case "succeeded": {
      const { output, outputInvalid } = result;
      const ended = end(execution, { status: "succeeded", attempts, outputInvalid }, now);
      return { events: [{ ...ended, output: output ?? null }, ...retention(state, now)] };
    }
    case "unknown": {
      const message = `${result.message}: it may have been performed; look there before you repeat it`;
      const error = { code: "OUTCOME_UNKNOWN", message, retryable: false };
      return { events: [end(execution, { status: "outcome_unknown", attempts, error }, now)] };
    }
    case "unreadable": {
      const message = "the credentials cannot be opened";
      const error = { code: "CREDENTIALS_UNREADABLE", message, retryable: false };
      const current = record.credentials.version === result.credentialVersion;
      return {
        events: [
          end(execution, { status: "failed", attempts, error }, now),
          ...(current ? needsReauth(record, "KEY_MISSING", now) : []),
        ],
      };
    }
    case "failed":
      return failed(unit, { ...execution, attempts }, execution, result);
  }
}

/** `counted`: with this attempt. */
function failed(
  { state, record, context, now }: Unit,
  counted: Execution,
  before: Execution,
  result: Extract<CallResult, { type: "failed" }>,
): Decision<Event> {
  const { attempts, mutation, deadlineAt } = counted;
  const { again, unauthorized, retryAfterMs = 0 } = result;
  if (unauthorized && !before.refreshed && record.credentials.refreshable) {
    const credentialVersionMin = unauthorized.credentialVersion + 1;
    const stale = record.credentials.version < credentialVersionMin && !state.refresh.working;
    const next = { ...counted, refreshed: true, credentialVersionMin };
    return { events: [...(stale ? refreshAsked(state, now) : []), retry(next, before, now, now)] };
  }
  const repeatable = again === "unsent" || (again === "repeatable" && mutation !== "non_idempotent");
  const retryAtMs = now + Math.max(backOff(attempts, context.random()), retryAfterMs);
  const tooLate = retryAtMs > deadlineAt || retryAfterMs > limits.executionRetryAfterMsMax;
  if (repeatable && attempts < limits.executionAttemptsMax && !tooLate)
    return { events: [retry(counted, before, retryAtMs, now)] };
  const error: ExecutionError = {
    code: result.code,
    ...(result.providerStatus !== undefined && { provider_status: result.providerStatus }),
    message: result.message,
    retryable: repeatable,
  };
  return { events: [end(before, { status: "failed", attempts, error }, now), ...retention(state, now)] };
}

/** Full jitter. */
function backOff(attempts: number, random: number): number {
  const most = Math.min(limits.executionBackOffMs * 2 ** attempts, limits.executionBackOffMsMax);
  return Math.ceil(random * most);
}

function retry(next: Execution, before: Execution, attemptAt: number, now: number): Event {
  const after = moved(next, { status: "waiting", generation: before.generation + 1 }, now);
  return { type: "execution_put", before, after, attemptAt };
}

export function put(before: Execution, change: Partial<Execution>, now: number) {
  return { type: "execution_put", before, after: moved(before, change, now) } as const;
}

export function end(before: Execution, change: Partial<Execution>, now: number) {
  return put(before, { ...change, endedAt: now }, now);
}

/** Old executions go, and the oldest where there are too many; those that have not ended stay. */
export function forgetOld({ state, context, now }: Unit): Decision<Event> {
  // Oldest first, unlike the list.
  const rows = context.scan(rowsOf<Execution>("executions.entries"), {
    limit: limits.executionsForgottenAtOnce,
  });
  let surplus = executions.total(state.counts) - limits.executionsKept;
  const old = rows
    .map(({ value }) => value)
    .filter(({ endedAt, createdAt }) => {
      if (endedAt === undefined) return false;
      return surplus-- > 0 || createdAt < now - limits.executionKeptMs;
    });
  const again = old.length === limits.executionsForgottenAtOnce ? now : now + retentionEveryMs;
  const left = executions.total(state.counts) - old.length;
  return {
    events: [
      ...(old.length > 0 ? [{ type: "executions_forgotten", executions: old } as const] : []),
      ...(left > 0 ? [retentionAt(again)] : []),
    ],
    frees: true,
  };
}

export const retentionEveryMs = 3_600_000;

export function retentionAt(atMs: number): Event {
  return { type: "timer_set", id: "retention", atMs };
}

/** Sooner than by the hour where there are more than are kept. */
function retention(state: State, now: number): Event[] {
  const over = executions.total(state.counts) - limits.executionsKept;
  return over > 0 && over % limits.executionsForgottenAtOnce === 0 ? [retentionAt(now)] : [];
}
