import { createHash } from "node:crypto";
import { systemTenantId } from "#base";
import { type Address, rowsOf } from "#runtime";
import { method } from "../kit/ask.ts";

/** One sign-in as its entity keeps it. */
export interface ConsoleSession {
  readonly id: string;
  readonly tenant: string;
  readonly principalKind: "oidc" | "api_key";
  /** Of the principal, as audit entries name it. */
  readonly subject: string;
  readonly state: "active" | "refreshing" | "ended";
  /** Encrypted under a key that only the cookie gives; empty when it has ended. */
  readonly credential: string;
  /** Counts the credentials: what was asked for with an older one does not replace a newer one. */
  readonly version: number;
  /** SHA-256 of the secret of the cookie; empty when it has ended. */
  readonly secretHash: string;
  readonly createdAt: number;
  readonly lastSeenAt: number;
  /** At the latest; and so long after `lastSeenAt`. */
  readonly expiresAt: number;
  readonly idleMs: number;
  /** Counts the leases of refreshes. */
  readonly leases: number;
  /** While it is refreshing: when the lease is over. Else: before this it is not refreshed again. */
  readonly refreshAt: number;
  readonly endedAt: number;
}

/** Why a session ended; the event has it as its reason. */
export type EndReason =
  | "signed_out"
  | "idle"
  | "expired"
  /** The same principal began newer ones. */
  | "replaced"
  /** The provider does not take its credential any more. */
  | "refused";

export type NewSession = Pick<
  ConsoleSession,
  "id" | "tenant" | "principalKind" | "subject" | "credential" | "secretHash" | "expiresAt" | "idleMs"
>;

/** What a thread that wants to refresh is told. `wait`: another one does it; `later`: it failed a moment ago. */
export type LeaseAnswer =
  | { readonly type: "leased"; readonly lease: number }
  | { readonly type: "newer" | "wait" | "later" };

const kind = "console_session";

export const startSession = method<NewSession, object>(kind, "Start");
/** Looks at a session that is used. NOT_FOUND where there is none, or it has ended. */
export const openSession = method<object, ConsoleSession>(kind, "Open");
export const leaseRefresh = method<{ readonly version: number }, LeaseAnswer>(kind, "Lease");
export const refreshed = method<{ readonly version: number; readonly credential: string }, object>(
  kind,
  "Refreshed",
);
/** `isOver`: the issuer says that there is nothing to refresh any more. */
export const refreshFailed = method<{ readonly lease: number; readonly isOver: boolean }, object>(
  kind,
  "RefreshFailed",
);
/** Answers when no refresh is under way. */
export const awaitRefresh = method<object, object>(kind, "AwaitRefresh");
export const endSession = method<{ readonly why: EndReason }, object>(kind, "End");

/** A cookie is met before its tenant is known: the id alone leads to its session. */
export function sessionAddress(id: string): Address {
  return { kind, tenant: systemTenantId, key: id };
}

/** Told to every thread when a session has ended, with its id and subject. */
export const sessionEndedTopic = "console_session.ended";

export const sessionRows = rowsOf<ConsoleSession, readonly []>("session");

/** From a session to the list of its principal. */
export type SessionMessage = SessionOf &
  ({ readonly type: "started"; readonly at: number } | { readonly type: "ended"; readonly why: EndReason });

type SessionOf = Pick<ConsoleSession, "id" | "principalKind" | "subject">;

const listKind = "console_sessions";

export const endAllSessions = method<object, { readonly ended: number }>(listKind, "EndAll");

/** The open sessions of one principal. */
export function sessionListOf(
  session: Pick<ConsoleSession, "tenant" | "principalKind" | "subject">,
): Address {
  const { tenant, principalKind, subject } = session;
  const key = createHash("sha256").update(`${principalKind}\0${subject}`).digest("base64url");
  return { kind: listKind, tenant, key };
}
