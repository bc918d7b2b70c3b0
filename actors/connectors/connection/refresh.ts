import { limits, refuse } from "#base";
import type { Decision } from "#runtime";
import { type Connection, type Credentials, moved } from "./record.ts";
import type { Event, State, Unit } from "./state.ts";

export type RefreshResult =
  | { readonly type: "refreshed"; readonly credentials: Credentials; readonly lifetimeMs?: number }
  /** The provider says no: it needs a person. */
  | { readonly type: "rejected"; readonly reason: string }
  /** Network, 5xx: later. */
  | { readonly type: "failed" }
  /** The request may have been performed and its answer is lost. */
  | { readonly type: "unknown" }
  | { readonly type: "unreadable" };

export function isExpired({ expiresAt, refreshable }: Credentials, now: number): boolean {
  return refreshable && expiresAt !== undefined && expiresAt <= now;
}

/** A refresh where it is time for a new token, though the old one still works. */
export function refreshIfDue({ state, record, now }: Unit): Event[] {
  const { expiresAt, issuedAt, refreshable } = record.credentials;
  if (!refreshable || expiresAt === undefined || state.refresh.working || state.refresh.nextAtMs > now)
    return [];
  const margin = Math.min(limits.refreshMarginMs, limits.refreshMarginShare * (expiresAt - issuedAt));
  return expiresAt - now < margin ? refreshAsked(state, now) : [];
}

/** The caller needs newer credentials: waits for the refresh, which is asked for where none is under way. */
export function askRefresh({ state, record, context, now }: Unit): Decision<Event> | undefined {
  const { refresh } = state;
  if (!record.credentials.refreshable) return undefined;
  const unavailable = refuse("UNAVAILABLE", "the access token has expired and could not be refreshed yet", {
    reason: "TOKEN_EXPIRED",
    retryAfterMs: Math.max(limits.retryAfterMs, refresh.nextAtMs - now),
  });
  if (context.expired) return unavailable;
  const park = { untilMs: now + limits.refreshWaitMs };
  if (refresh.working) return { park };
  if (refresh.nextAtMs > now) return unavailable;
  return { events: refreshAsked(state, now), park };
}

export function refreshAsked(state: State, now: number): Event[] {
  const refresh = { ...state.refresh, generation: state.refresh.generation + 1, working: true };
  const id = `refresh.${refresh.generation}`;
  return [
    { type: "refresh_put", refresh },
    { type: "effect_asked", what: "refresh", id, dueMs: now },
  ];
}

/** Refreshed while four fifths of the refresh token's life are over, also where nothing is called meanwhile. */
export function keepAlive(lifetimeMs: number | undefined, now: number): Event[] {
  if (lifetimeMs === undefined) return [];
  return [{ type: "timer_set", id: "keep-alive", atMs: now + Math.floor(0.8 * lifetimeMs) }];
}

/** What the handler of a refresh begins with. */
export function beginRefresh({ state, record }: Unit, generation: number): Decision<Event> {
  if (state.refresh.generation !== generation || record.status === "revoked")
    return refuse("NOT_FOUND", "another refresh has taken its place");
  return { events: [], answer: {} };
}

export function refreshed(
  { state, record, now }: Unit,
  generation: number,
  result: RefreshResult,
): Decision<Event> {
  const { refresh } = state;
  if (refresh.generation !== generation) return { events: [] };
  const idle = { ...refresh, working: false };
  switch (result.type) {
    case "refreshed": {
      const { credentials, lifetimeMs } = result;
      const done = { type: "refresh_put", refresh: { ...idle, failures: 0, nextAtMs: 0 } } as const;
      // A reconnect came first: what it brought is newer.
      if (credentials.version !== record.credentials.version + 1 || record.status === "revoked")
        return { events: [done] };
      const status = record.status === "needs_reauth" ? "active" : record.status;
      const next = moved(record, { status, statusReason: "", credentials, refreshFailingSince: 0 }, now);
      return {
        events: [
          { type: "record_put", record: next },
          { ...done, published: "refreshed" },
          ...keepAlive(lifetimeMs, now),
        ],
      };
    }
    case "rejected":
    case "unreadable": {
      const reason = result.type === "rejected" ? result.reason : "KEY_MISSING";
      return { events: [{ type: "refresh_put", refresh: idle }, ...needsReauth(record, reason, now)] };
    }
    case "failed":
    case "unknown": {
      const failures = refresh.failures + 1;
      const wait = backOff(failures);
      // An unknown one may have used the refresh token up: to use it again may count as theft, so it waits for the end of the token.
      const { expiresAt = now } = record.credentials;
      const nextAtMs = result.type === "unknown" ? Math.max(expiresAt, now + wait) : now + wait;
      const next = moved(record, { refreshFailingSince: record.refreshFailingSince || now }, now);
      return {
        events: [
          { type: "record_put", record: next },
          { type: "refresh_put", refresh: { ...idle, failures, nextAtMs }, published: "refresh_failing" },
        ],
      };
    }
  }
}

/** Of refreshes and revocations, after so many that failed. */
export function backOff(failures: number): number {
  return Math.min(limits.refreshBackOffMs * 2 ** Math.min(failures, 20), limits.refreshBackOffMsMax);
}

/** An active connection needs a person. */
export function needsReauth(record: Connection, statusReason: string, now: number): Event[] {
  if (record.status !== "active") return [];
  return [{ type: "record_put", record: moved(record, { status: "needs_reauth", statusReason }, now) }];
}
