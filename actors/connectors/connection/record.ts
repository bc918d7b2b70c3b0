import { toRfc3339 } from "#base";
import type { Origin } from "#runtime";
import { Collection } from "../../kit/collection.ts";
import { messageOf } from "../../kit/message.ts";
import type { Message, Owned, Stored } from "../../kit/record.ts";
import type { AuthType, Mutation } from "../catalogue/types.ts";

export type ConnectionStatus = "pending" | "active" | "needs_reauth" | "disabled" | "revoked";

export interface Connection extends Owned {
  readonly providerConfigId: string;
  readonly providerKey: string;
  readonly auth: string;
  readonly authType: AuthType;
  readonly externalId: string;
  readonly name: string;
  readonly status: ConnectionStatus;
  readonly statusReason: string;
  readonly metadata: Message;
  readonly credentials: Credentials;
  /** When refreshes began to fail; 0: the last one did not. */
  readonly refreshFailingSince: number;
}

export interface Credentials {
  /** For this connection and `version`; empty: none. */
  readonly encrypted: string;
  readonly version: number;
  readonly keyId: string;
  readonly scopes: readonly string[];
  /** There is a refresh token, or the client can ask for another one. */
  readonly refreshable: boolean;
  readonly issuedAt: number;
  readonly expiresAt?: number;
}

export const noCredentials: Credentials = {
  encrypted: "",
  version: 0,
  keyId: "",
  scopes: [],
  refreshable: false,
  issuedAt: 0,
};

export function connectionMessage({
  credentials,
  refreshFailingSince,
  tenant,
  ...record
}: Connection): Message {
  const { scopes, version, keyId, expiresAt } = credentials;
  return {
    ...messageOf(record, ["auth", "authType"]),
    tenant_id: tenant,
    granted_scopes: scopes,
    credential_version: version,
    key_id: keyId,
    ...messageOf({ expiresAt }),
    ...(refreshFailingSince > 0 && { refresh_failing_since: toRfc3339(refreshFailingSince) }),
  };
}

/** What sessions, executions and subscriptions say of their connection. */
export function placeOf({ id, tenant, environment }: Connection): Message {
  return { connection_id: id, tenant_id: tenant, environment };
}

/** The next version of what is stored. */
export function moved<Value extends Stored>(value: Value, change: Partial<Value>, now: number): Value {
  return { ...value, ...change, updatedAt: now, recordVersion: value.recordVersion + 1 };
}

export type SessionStatus = "created" | "authorizing" | "connected" | "failed" | "expired" | "revoked";

export interface Session extends Stored {
  readonly scopes: readonly string[];
  readonly returnUrl: string;
  readonly status: SessionStatus;
  readonly error: string;
  readonly expiresAt: number;
  /** Of the random part of its token. */
  readonly tokenHash: string;
  /** How often credentials were submitted or codes came in; names the effect. */
  readonly attempt: number;
  /** An effect is under way that ends in `connected` or `failed`. */
  readonly working: boolean;
  /** Of the browser's way through the provider; used once. */
  readonly authorization?: Authorization;
}

export interface Authorization {
  readonly stateHash: string;
  readonly cookieHash: string;
  /** For the session. */
  readonly encryptedVerifier: string;
  readonly redirectUri: string;
}

export function sessionMessage(record: Connection, session: Session): Message {
  const { providerConfigId, externalId } = record;
  return {
    ...messageOf(session, ["tokenHash", "attempt", "working", "authorization"]),
    provider_config_id: providerConfigId,
    external_id: externalId,
    ...placeOf(record),
  };
}

type ExecutionStatus =
  | "queued"
  | "running"
  | "waiting"
  | "succeeded"
  | "failed"
  | "outcome_unknown"
  | "cancelled";

export interface ExecutionError {
  readonly code: string;
  readonly provider_status?: number;
  readonly message: string;
  readonly retryable: boolean;
}

export interface Execution extends Stored {
  readonly actionKey: string;
  readonly actionVersion: string;
  readonly mutation: Mutation;
  readonly status: ExecutionStatus;
  readonly attempts: number;
  /** Names the effect of the next attempt. */
  readonly generation: number;
  readonly deadlineAt: number;
  readonly concurrency: number;
  /** The provider has said 401 once, and a refresh was asked for. */
  readonly refreshed: boolean;
  /** Older credentials are of no use to it. */
  readonly credentialVersionMin: number;
  readonly outputInvalid: boolean;
  readonly error?: ExecutionError;
  readonly endedAt?: number;
  /** The entity that hears how it ends. */
  readonly origin?: Origin;
}

export const executions = new Collection<Execution>({
  name: "executions",
  filters: ["status"],
  order: "descending",
});

/** What callers are not told. */
const internal = [
  "mutation",
  "generation",
  "deadlineAt",
  "concurrency",
  "refreshed",
  "credentialVersionMin",
  "origin",
];

export function executionMessage(
  record: Connection,
  execution: Execution,
  body: { readonly input?: unknown; readonly output?: unknown } = {},
): Message {
  return { ...messageOf(execution, internal), ...body, ...placeOf(record) };
}
