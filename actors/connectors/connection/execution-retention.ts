import { limits } from "#base";
import { type Context, type Decision, rowsOf } from "#runtime";
import { type Execution, executions } from "./record.ts";
import type { Event, State } from "./state.ts";

/** Old executions go, and the oldest where there are too many; those that have not ended stay. */
export function forgetOld(state: State, context: Context): Decision<Event> {
  // Oldest first, unlike the list.
  const rows = context.scan(rowsOf<Execution>("executions.entries"), {
    limit: limits.executionsForgottenAtOnce,
  });
  const { now } = context;
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
      ...(left > 0 ? [{ type: "retention_due", atMs: again } as const] : []),
    ],
    frees: true,
  };
}

const retentionEveryMs = 3_600_000;

export function retentionAt(now: number): Event {
  return { type: "retention_due", atMs: now + retentionEveryMs };
}

/** Sooner than by the hour where there are more than are kept. */
export function retention(state: State, now: number): Event[] {
  const over = executions.total(state.counts) - limits.executionsKept;
  return over > 0 && over % limits.executionsForgottenAtOnce === 0
    ? [{ type: "retention_due", atMs: now }]
    : [];
}
