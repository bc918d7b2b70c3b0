import { isRefusal, limits, type Refusal, refuse } from "#base";
import type { Context, Decision } from "#runtime";
import { limitReached, newRecord } from "../../kit/record.ts";
import type { AuthType } from "../catalogue/types.ts";
import {
  type Authorization,
  type Connection,
  type Credentials,
  noCredentials,
  type Session,
  type SessionStatus,
  sessionMessage,
} from "./record.ts";
import { type Event, isOpen, type State } from "./state.ts";

export interface CreateSession {
  readonly connection_id: string;
  /** The caller named the connection: it may have credentials already. */
  readonly reconnect: boolean;
  readonly provider_config_id: string;
  readonly provider_key: string;
  readonly auth: string;
  readonly auth_type: AuthType;
  readonly environment: string;
  readonly external_id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly return_url: string;
  readonly ttl_ms: number;
  readonly token_hash: string;
}

/** What the effect of a session came to. */
export type ConnectResult =
  | { readonly type: "connected"; readonly credentials: Credentials; readonly lifetimeMs?: number }
  | { readonly type: "failed"; readonly error: string };

export function createSession(state: State, asked: CreateSession, context: Context): Decision<Event> {
  const { now, address } = context;
  const record = state.record ?? newConnection(asked, address.tenant, now);
  const refusal = refusesSession(state, record, asked);
  if (refusal) return refusal;
  const session: Session = newRecord(
    context.newId(address.key),
    {
      scopes: asked.scopes,
      returnUrl: asked.return_url,
      status: "created" as const,
      error: "",
      expiresAt: now + asked.ttl_ms,
      tokenHash: asked.token_hash,
      attempt: 0,
      working: false,
    },
    now,
  );
  const events: Event[] = [{ type: "session_put", session }];
  if (state.record === undefined) events.unshift({ type: "record_put", record });
  return { events, answer: sessionMessage(record, session) };
}

function newConnection(asked: CreateSession, tenant: string, now: number): Connection {
  return newRecord(
    asked.connection_id,
    {
      tenant,
      environment: asked.environment,
      providerConfigId: asked.provider_config_id,
      providerKey: asked.provider_key,
      auth: asked.auth,
      authType: asked.auth_type,
      externalId: asked.external_id,
      name: asked.name,
      status: "pending" as const,
      statusReason: "",
      metadata: {},
      credentials: noCredentials,
    },
    now,
  );
}

function refusesSession(state: State, record: Connection, asked: CreateSession): Refusal | undefined {
  if (record.id !== asked.connection_id || record.providerConfigId !== asked.provider_config_id)
    return refuse("NOT_FOUND", "there is no such connection of this provider config");
  if (record.status === "revoked") return refuse("STATE_CONFLICT", "the connection is revoked for good");
  if (!asked.reconnect && record.status !== "pending")
    return refuse("ALREADY_EXISTS", `${record.externalId} is connection ${record.id}: name it to reconnect`);
  if ([...state.sessions.values()].filter(isOpen).length >= limits.connectSessionsOpenMax)
    return limitReached("a connection", limits.connectSessionsOpenMax, "open connect sessions");
  return undefined;
}

export function getSession(state: State, record: Connection, id: string): Decision<Event> {
  const session = state.sessions.get(id);
  return session ? { events: [], answer: sessionMessage(record, session) } : noSession;
}

/** For the module itself: what a handler needs to encrypt, to build a page and to know a browser again. */
export function lookAtSession(state: State, record: Connection, id: string): Decision<Event> {
  const session = state.sessions.get(id);
  return session ? { events: [], answer: { session, record } } : noSession;
}

const noSession = refuse("NOT_FOUND", "there is no such connect session");

export interface SubmitSession {
  readonly id: string;
  /** The credentials as they are to be stored, encrypted for `version`; absent: the effect gets them. */
  readonly credentials?: Credentials;
  /** The provider is asked whether they work, or for a token. */
  readonly effect: boolean;
}

export function submit(
  state: State,
  record: Connection,
  asked: SubmitSession,
  context: Context,
): Decision<Event> {
  const session = openSession(state, asked.id, context.now);
  if (isRefusal(session)) return session;
  const { credentials } = asked;
  if (credentials && credentials.version !== record.credentials.version + 1) return olderCredentials;
  const next = { ...session, attempt: session.attempt + 1 };
  if (!asked.effect && credentials)
    return connect(state, record, next, { type: "connected", credentials }, context.now, true);
  const working = moved(next, { status: "authorizing", working: true, error: "" }, context.now);
  return {
    events: [
      { type: "session_put", session: working, effect: effectOf(working, { credentials }, context.now) },
    ],
    answer: sessionMessage(record, working),
  };
}

const olderCredentials = refuse("VERSION_CONFLICT", "the session was completed with other credentials", {
  reason: "CREDENTIAL_VERSION",
});

function effectOf({ id, attempt }: Session, body: object, dueMs: number) {
  return { dueMs, body: { session: id, attempt, ...body } };
}

/** One that takes credentials or a browser now. */
function openSession(state: State, id: string, now: number): Session | Refusal {
  const session = state.sessions.get(id);
  if (!session) return noSession;
  if (!isOpen(session)) return refuse("STATE_CONFLICT", `the connect session is ${session.status}`);
  if (session.expiresAt <= now) return refuse("STATE_CONFLICT", "the connect session has expired");
  if (session.working) return refuse("STATE_CONFLICT", "credentials of this session are being verified");
  return session;
}

export interface Authorize {
  readonly id: string;
  readonly authorization: Authorization;
}

/** A browser sets out for the provider. */
export function authorize(
  state: State,
  record: Connection,
  asked: Authorize,
  context: Context,
): Decision<Event> {
  const session = openSession(state, asked.id, context.now);
  if (isRefusal(session)) return session;
  const next = moved(session, { status: "authorizing", error: "" }, context.now);
  return {
    events: [{ type: "session_put", session: { ...next, authorization: asked.authorization } }],
    answer: sessionMessage(record, next),
  };
}

export interface Callback {
  readonly id: string;
  readonly state_hash: string;
  readonly cookie_hash: string;
  /** The code, encrypted for the session; or why there is none. */
  readonly encrypted_code?: string;
  readonly error?: string;
}

/** A browser is back. Its state is good for one commit. */
export function callback(
  state: State,
  record: Connection,
  asked: Callback,
  context: Context,
): Decision<Event> {
  const session = state.sessions.get(asked.id);
  if (!session) return noSession;
  const { authorization } = session;
  const over = session.status === "expired" || session.status === "revoked";
  if (over || (isOpen(session) && session.expiresAt <= context.now))
    return refuse("STATE_CONFLICT", "the connect session is over", { reason: "SESSION_OVER" });
  if (!authorization || !isOpen(session) || authorization.stateHash !== asked.state_hash)
    return refuse("INVALID_ARGUMENT", "this state was used already, or is of another attempt", {
      reason: "STATE_USED",
    });
  if (authorization.cookieHash !== asked.cookie_hash)
    return refuse("INVALID_ARGUMENT", "this state is of another browser", { reason: "STATE_FOREIGN" });
  const { authorization: _, ...rest } = session;
  const used = { ...rest, attempt: session.attempt + 1 };
  if (asked.encrypted_code === undefined) {
    const failed = moved(used, { status: "failed", error: asked.error ?? "no code came back" }, context.now);
    return { events: [{ type: "session_put", session: failed }], answer: sessionMessage(record, failed) };
  }
  const working = moved(used, { status: "authorizing", working: true, error: "" }, context.now);
  const body = {
    encryptedCode: asked.encrypted_code,
    encryptedVerifier: authorization.encryptedVerifier,
    redirectUri: authorization.redirectUri,
    scopes: session.scopes,
  };
  return {
    events: [{ type: "session_put", session: working, effect: effectOf(working, body, context.now) }],
    answer: sessionMessage(record, working),
  };
}

/** The effect of a session ended. */
export function sessionDone(
  state: State,
  record: Connection,
  { id, attempt, result }: { readonly id: string; readonly attempt: number; readonly result: ConnectResult },
  context: Context,
): Decision<Event> {
  const session = state.sessions.get(id);
  if (!session?.working || session.attempt !== attempt) return { events: [] };
  if (result.type === "failed") {
    const failed = moved(session, { status: "failed", working: false, error: result.error }, context.now);
    return { events: [{ type: "session_put", session: failed }] };
  }
  return connect(state, record, session, result, context.now, false);
}

/** Session and credentials change together. */
function connect(
  state: State,
  record: Connection,
  session: Session,
  result: Extract<ConnectResult, { type: "connected" }>,
  now: number,
  refuses: boolean,
): Decision<Event> {
  const { credentials, lifetimeMs } = result;
  if (credentials.version !== record.credentials.version + 1 || record.status === "revoked") {
    if (refuses) return olderCredentials;
    const error = olderCredentials.detail;
    const failed = moved(session, { status: "failed", working: false, error }, now);
    return { events: [{ type: "session_put", session: failed }] };
  }
  const connected = moved(session, { status: "connected", working: false, error: "" }, now);
  const { refreshFailingSince: _, ...rest } = record;
  const next: Connection = {
    ...rest,
    status: record.status === "disabled" ? "disabled" : "active",
    statusReason: "",
    credentials,
    updatedAt: now,
    recordVersion: record.recordVersion + 1,
  };
  const events: Event[] = [
    { type: "record_put", record: next },
    { type: "session_put", session: connected },
    // A refresh under way is of the credentials before: what comes of it says nothing of these.
    {
      type: "refresh_put",
      refresh: { generation: state.refresh.generation + 1, working: false, failures: 0, nextAtMs: 0 },
    },
  ];
  if (lifetimeMs !== undefined)
    events.push({ type: "keep_alive_due", atMs: now + Math.floor(0.8 * lifetimeMs) });
  return { events, answer: sessionMessage(next, connected) };
}

export function revokeSession(
  state: State,
  record: Connection,
  id: string,
  context: Context,
): Decision<Event> {
  const session = state.sessions.get(id);
  if (!session) return noSession;
  if (session.status === "revoked") return { events: [], answer: sessionMessage(record, session) };
  if (session.status === "connected")
    return refuse("STATE_CONFLICT", `the session has made connection ${record.id}: revoke that`, {
      extra: { connection_id: record.id },
    });
  if (!isOpen(session)) return refuse("STATE_CONFLICT", `the connect session is ${session.status}`);
  const revoked = moved(withoutAuthorization(session), { status: "revoked", working: false }, context.now);
  return { events: [{ type: "session_put", session: revoked }], answer: sessionMessage(record, revoked) };
}

/** Its time is over: an open one expires, an ended one is forgotten; a connection that never was goes with its last session. */
export function sessionTimer(
  state: State,
  record: Connection,
  id: string,
  context: Context,
): Decision<Event> {
  const session = state.sessions.get(id);
  if (!session) return { events: [] };
  if (isOpen(session) && session.working) {
    // What is under way ends within its lease; then the session ends one way or the other.
    return { events: [{ type: "session_extended", id, atMs: context.now + limits.effectLeaseMs }] };
  }
  if (isOpen(session)) {
    const expired = moved(withoutAuthorization(session), { status: "expired" }, context.now);
    return { events: [{ type: "session_put", session: expired }] };
  }
  if (record.status === "pending" && state.sessions.size === 1) return { events: [{ type: "forgotten" }] };
  return { events: [{ type: "session_forgotten", id }] };
}

function withoutAuthorization({ authorization: _, ...session }: Session): Session {
  return session;
}

function moved(
  session: Session,
  change: { readonly status: SessionStatus; readonly working?: boolean; readonly error?: string },
  now: number,
): Session {
  return { ...session, ...change, updatedAt: now, recordVersion: session.recordVersion + 1 };
}
