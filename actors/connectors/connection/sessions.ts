import { isRefusal, limits, type Refusal, refuse } from "#base";
import type { Context, Decision } from "#runtime";
import { limitReached, newRecord } from "../../kit/record.ts";
import type { AuthType } from "../catalogue/types.ts";
import {
  type Authorization,
  type Connection,
  type Credentials,
  moved,
  noCredentials,
  type Session,
  sessionMessage,
} from "./record.ts";
import { keepAlive } from "./refresh.ts";
import { type Event, isOpen, type State, type Unit } from "./state.ts";

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
  const settings = {
    scopes: asked.scopes,
    returnUrl: asked.return_url,
    status: "created" as const,
    error: "",
    expiresAt: now + asked.ttl_ms,
    tokenHash: asked.token_hash,
    attempt: 0,
    working: false,
  };
  const session: Session = newRecord(context.newId(address.key), settings, now);
  const events: Event[] = [{ type: "session_put", session }];
  if (state.record === undefined) events.unshift({ type: "record_put", record });
  return { events, answer: sessionMessage(record, session) };
}

function newConnection(asked: CreateSession, tenant: string, now: number): Connection {
  const settings = {
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
    refreshFailingSince: 0,
  };
  return newRecord(asked.connection_id, settings, now);
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

export function getSession({ state, record }: Unit, id: string): Decision<Event> {
  const session = state.sessions.get(id);
  return session ? { events: [], answer: sessionMessage(record, session) } : noSession;
}

/** For the module itself: what a handler needs to encrypt, to build a page and to know a browser again. */
export function lookAtSession({ state, record }: Unit, id: string): Decision<Event> {
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

export function submit(unit: Unit, { id, credentials, effect }: SubmitSession): Decision<Event> {
  const session = openSession(unit, id);
  if (isRefusal(session)) return session;
  if (credentials && isOlder(unit, credentials)) return olderCredentials;
  const next = { ...session, attempt: session.attempt + 1 };
  if (effect || !credentials) return working(unit, next, { credentials });
  if (unit.record.status === "revoked") return olderCredentials;
  return connect(unit, next, { type: "connected", credentials });
}

const olderCredentials = refuse("VERSION_CONFLICT", "the session was completed with other credentials", {
  reason: "CREDENTIAL_VERSION",
});

function isOlder({ record }: Unit, { version }: Credentials): boolean {
  return version !== record.credentials.version + 1;
}

/** Its effect is under way, which ends in `connected` or `failed`. */
function working(unit: Unit, next: Session, given: object): Decision<Event> {
  const { id, attempt } = next;
  const { events, answer } = put(unit, next, { status: "authorizing", working: true, error: "" });
  const body = { session: id, attempt, ...given };
  const effect: Event = {
    type: "effect_asked",
    what: "connect",
    id: `${id}.${attempt}`,
    dueMs: unit.now,
    body,
  };
  return { events: [...events, effect], answer };
}

function put({ record, now }: Unit, before: Session, change: Partial<Session>) {
  const session = moved(before, change, now);
  const events: Event[] = [{ type: "session_put", session }];
  return { events, answer: sessionMessage(record, session) };
}

/** One that takes credentials or a browser now. */
function openSession({ state, now }: Unit, id: string): Session | Refusal {
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
export function authorize(unit: Unit, { id, authorization }: Authorize): Decision<Event> {
  const session = openSession(unit, id);
  if (isRefusal(session)) return session;
  return put(unit, session, { status: "authorizing", error: "", authorization });
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
export function callback(unit: Unit, asked: Callback): Decision<Event> {
  const session = unit.state.sessions.get(asked.id);
  if (!session) return noSession;
  const { authorization } = session;
  const over = session.status === "expired" || session.status === "revoked";
  if (over || (isOpen(session) && session.expiresAt <= unit.now))
    return refuse("STATE_CONFLICT", "the connect session is over", { reason: "SESSION_OVER" });
  if (!authorization || !isOpen(session) || authorization.stateHash !== asked.state_hash)
    return refuse("INVALID_ARGUMENT", "this state was used already, or is of another attempt", {
      reason: "STATE_USED",
    });
  if (authorization.cookieHash !== asked.cookie_hash)
    return refuse("INVALID_ARGUMENT", "this state is of another browser", { reason: "STATE_FOREIGN" });
  const used = { ...withoutAuthorization(session), attempt: session.attempt + 1 };
  const { encrypted_code: encryptedCode, error = "no code came back" } = asked;
  if (encryptedCode === undefined) return put(unit, used, { status: "failed", error });
  const { encryptedVerifier, redirectUri } = authorization;
  return working(unit, used, { encryptedCode, encryptedVerifier, redirectUri, scopes: session.scopes });
}

/** The effect of a session ended. */
export function sessionDone(unit: Unit, id: string, attempt: number, result: ConnectResult): Decision<Event> {
  const session = unit.state.sessions.get(id);
  if (!session?.working || session.attempt !== attempt) return { events: [] };
  if (result.type === "connected") return connect(unit, session, result);
  return put(unit, session, { status: "failed", working: false, error: result.error });
}

/** Session and credentials change together. */
function connect(
  unit: Unit,
  session: Session,
  { credentials, lifetimeMs }: Extract<ConnectResult, { type: "connected" }>,
): Decision<Event> {
  const { state, record, now } = unit;
  if (isOlder(unit, credentials) || record.status === "revoked")
    return put(unit, session, { status: "failed", working: false, error: olderCredentials.detail });
  const status = record.status === "disabled" ? "disabled" : "active";
  const next = moved(record, { status, statusReason: "", credentials, refreshFailingSince: 0 }, now);
  const connected = put({ ...unit, record: next }, session, {
    status: "connected",
    working: false,
    error: "",
  });
  // A refresh under way is of the credentials before: what comes of it says nothing of these.
  const refresh = { generation: state.refresh.generation + 1, working: false, failures: 0, nextAtMs: 0 };
  return {
    ...connected,
    events: [
      { type: "record_put", record: next },
      ...connected.events,
      { type: "refresh_put", refresh },
      ...keepAlive(lifetimeMs, now),
    ],
  };
}

export function revokeSession(unit: Unit, id: string): Decision<Event> {
  const { state, record } = unit;
  const session = state.sessions.get(id);
  if (!session) return noSession;
  if (session.status === "revoked") return { events: [], answer: sessionMessage(record, session) };
  if (session.status === "connected")
    return refuse("STATE_CONFLICT", `the session has made connection ${record.id}: revoke that`, {
      extra: { connection_id: record.id },
    });
  if (!isOpen(session)) return refuse("STATE_CONFLICT", `the connect session is ${session.status}`);
  return put(unit, withoutAuthorization(session), { status: "revoked", working: false });
}

/** Its time is over: an open one expires, an ended one is forgotten; a connection that never was goes with its last session. */
export function sessionTimer(unit: Unit, id: string): Decision<Event> {
  const { state, record, now } = unit;
  const session = state.sessions.get(id);
  if (!session) return { events: [] };
  // What is under way ends within its lease; then the session ends one way or the other.
  if (isOpen(session) && session.working)
    return { events: [{ type: "timer_set", id: `session:${id}`, atMs: now + limits.effectLeaseMs }] };
  if (isOpen(session)) return put(unit, withoutAuthorization(session), { status: "expired" });
  if (record.status === "pending" && state.sessions.size === 1) return { events: [{ type: "forgotten" }] };
  return { events: [{ type: "session_forgotten", id }] };
}

function withoutAuthorization({ authorization: _, ...session }: Session): Session {
  return session;
}
