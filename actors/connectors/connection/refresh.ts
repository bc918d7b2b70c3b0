import { limits, refuse } from "#base";
import type { Context, Decision } from "#runtime";
import type { Connection, Credentials } from "./record.ts";
import type { Event, State } from "./state.ts";

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

/** Time for a new token, though the old one still works. */
export function isRefreshDue(state: State, { credentials }: Connection, now: number): boolean {
  const { expiresAt, issuedAt, refreshable } = credentials;
  if (!refreshable || expiresAt === undefined || state.refresh.working || state.refresh.nextAtMs > now)
    return false;
  const margin = Math.min(limits.refreshMarginMs, limits.refreshMarginShare * (expiresAt - issuedAt));
  return expiresAt - now < margin;
}

/** The caller needs newer credentials: waits for the refresh, which is asked for where none is under way. */
export function askRefresh(state: State, record: Connection, context: Context): Decision<Event> | undefined {
  const { refresh } = state;
  if (!record.credentials.refreshable) return undefined;
  const unavailable = refuse("UNAVAILABLE", "the access token has expired and could not be refreshed yet", {
    reason: "TOKEN_EXPIRED",
    retryAfterMs: Math.max(limits.retryAfterMs, refresh.nextAtMs - context.now),
  });
  if (context.expired) return unavailable;
  const park = { untilMs: context.now + limits.refreshWaitMs };
  if (refresh.working) return { park };
  if (refresh.nextAtMs > context.now) return unavailable;
  return { events: [refreshAsked(state, context.now)], park };
}

export function refreshAsked(state: State, now: number): Event {
  const refresh = { ...state.refresh, generation: state.refresh.generation + 1, working: true };
  return { type: "refresh_put", refresh, effect: { dueMs: now, body: {} } };
}

/** What the handler of a refresh begins with. */
export function beginRefresh(state: State, record: Connection, generation: number): Decision<Event> {
  if (state.refresh.generation !== generation || record.status === "revoked")
    return refuse("NOT_FOUND", "another refresh has taken its place");
  return { events: [], answer: {} };
}

export function refreshed(
  state: State,
  record: Connection,
  generation: number,
  result: RefreshResult,
  context: Context,
): Decision<Event> {
  const { refresh } = state;
  if (refresh.generation !== generation) return { events: [] };
  const { now } = context;
  const idle = { ...refresh, working: false };
  const stamped = { updatedAt: now, recordVersion: record.recordVersion + 1 };
  switch (result.type) {
    case "refreshed": {
      const done: Event = { type: "refresh_put", refresh: { ...idle, failures: 0, nextAtMs: 0 } };
      // A reconnect came first: what it brought is newer.
      if (result.credentials.version !== record.credentials.version + 1 || record.status === "revoked")
        return { events: [done] };
      const { refreshFailingSince: _, ...rest } = record;
      const status = record.status === "needs_reauth" ? ("active" as const) : record.status;
      const next: Connection = {
        ...rest,
        ...stamped,
        status,
        statusReason: "",
        credentials: result.credentials,
      };
      const keepAlive: Event[] =
        result.lifetimeMs === undefined
          ? []
          : [{ type: "keep_alive_due", atMs: now + Math.floor(0.8 * result.lifetimeMs) }];
      return {
        events: [{ type: "record_put", record: next }, { ...done, published: "refreshed" }, ...keepAlive],
      };
    }
    case "rejected":
    case "unreadable": {
      const statusReason = result.type === "rejected" ? result.reason : "KEY_MISSING";
      const events: Event[] = [{ type: "refresh_put", refresh: idle }];
      if (record.status === "active")
        events.push({
          type: "record_put",
          record: { ...record, ...stamped, status: "needs_reauth", statusReason },
        });
      return { events };
    }
    case "failed":
    case "unknown": {
      const failures = refresh.failures + 1;
      const wait = Math.min(
        limits.refreshBackOffMs * 2 ** Math.min(failures, 20),
        limits.refreshBackOffMsMax,
      );
      // An unknown one may have used the refresh token up: to use it again may count as theft, so it waits for the end of the token.
      const { expiresAt = now } = record.credentials;
      const nextAtMs = result.type === "unknown" ? Math.max(expiresAt, now + wait) : now + wait;
      const next: Connection = {
        ...record,
        ...stamped,
        refreshFailingSince: record.refreshFailingSince ?? now,
      };
      return {
        events: [
          { type: "record_put", record: next },
          { type: "refresh_put", refresh: { ...idle, failures, nextAtMs }, published: "refresh_failing" },
        ],
      };
    }
  }
}
