import { limits, type Refusal, refuse } from "#base";
import { deciding } from "../kit/table.ts";
import type { ConsoleSession, EndReason, LeaseAnswer, NewSession } from "./record.ts";
import type { Event, State } from "./state.ts";

export type Command =
  | { readonly type: "start"; readonly given: NewSession }
  | { readonly type: "open" | "await_refresh" | "timer" }
  | { readonly type: "lease"; readonly version: number }
  | { readonly type: "refreshed"; readonly version: number; readonly credential: string }
  | { readonly type: "refresh_failed"; readonly lease: number; readonly isOver: boolean }
  | { readonly type: "end"; readonly why: EndReason };

export const decide = deciding<State, Command, Event>({
  start({ session }, { given }, { now }) {
    if (session !== undefined) return { events: [], answer: {} };
    const begun = { createdAt: now, lastSeenAt: now, version: 1, leases: 0, refreshAt: 0, endedAt: 0 };
    return { events: [{ type: "started", session: { ...given, ...begun, state: "active" } }], answer: {} };
  },

  /** Uses within a minute are written once. */
  open({ session }, _command, { now }) {
    if (!isOpen(session, now)) return noSession();
    const isRecent = now - session.lastSeenAt < limits.consoleSessionSeenEveryMs;
    const seen = { ...session, lastSeenAt: now };
    return { events: isRecent ? [] : [changed(seen)], answer: isRecent ? session : seen };
  },

  lease({ session }, { version }, { now }) {
    if (!isOpen(session, now)) return noSession();
    const told = (answer: LeaseAnswer) => ({ events: [], answer });
    if (session.version !== version) return told({ type: "newer" });
    if (now < session.refreshAt) return told({ type: session.state === "refreshing" ? "wait" : "later" });
    const leases = session.leases + 1;
    const refreshAt = now + limits.consoleSessionLeaseMs;
    return {
      events: [changed({ ...session, state: "refreshing", leases, refreshAt })],
      answer: { type: "leased", lease: leases },
    };
  },

  /** Also of a lease that is over: the issuer has taken the old one back. */
  refreshed({ session }, { version, credential }, { now }) {
    if (!isOpen(session, now) || session.version !== version) return { events: [], answer: {} };
    const next = { state: "active", credential, version: version + 1, refreshAt: 0 } as const;
    return { events: [changed({ ...session, ...next })], answer: {} };
  },

  refresh_failed({ session }, { lease, isOver }, { now }) {
    if (session?.state !== "refreshing" || session.leases !== lease) return { events: [], answer: {} };
    if (isOver) return { events: [ended(session, "refused", now)], answer: {} };
    return { events: [again(session, now)], answer: {} };
  },

  await_refresh({ session }, _command, { now, expired }) {
    if (!isOpen(session, now)) return noSession();
    if (session.state !== "refreshing" || expired) return { events: [], answer: {} };
    return { park: { untilMs: session.refreshAt } };
  },

  end({ session }, { why }, { now }) {
    if (session === undefined || session.state === "ended") return { events: [], answer: {} };
    return { events: [ended(session, why, now)], answer: {} };
  },

  timer({ session }, _command, { now }) {
    if (session === undefined) return { events: [] };
    if (session.state === "ended") return { events: [{ type: "forgotten" }] };
    if (now >= session.expiresAt) return { events: [ended(session, "expired", now)] };
    if (now >= session.lastSeenAt + session.idleMs) return { events: [ended(session, "idle", now)] };
    return { events: session.state === "refreshing" ? [again(session, now)] : [] };
  },
});

/** Who waits for a refresh goes on when it is over. */
export function wake({ session }: State, parked: readonly Command[]): readonly number[] {
  return session?.state === "refreshing" ? [] : [...parked.keys()];
}

function isOpen(session: ConsoleSession | undefined, now: number): session is ConsoleSession {
  if (session === undefined || session.state === "ended") return false;
  return now < session.expiresAt && now < session.lastSeenAt + session.idleMs;
}

/** The refresh came to nothing. */
function again(session: ConsoleSession, now: number): Event {
  return changed({ ...session, state: "active", refreshAt: now + limits.consoleSessionRetryMs });
}

function changed(session: ConsoleSession): Event {
  return { type: "changed", session };
}

/** What could open its credential goes at once. */
function ended(session: ConsoleSession, why: EndReason, now: number): Event {
  const without = { state: "ended", credential: "", secretHash: "", endedAt: now } as const;
  return { type: "ended", session: { ...session, ...without }, why };
}

function noSession(): Refusal {
  return refuse("NOT_FOUND", "there is no such session");
}
