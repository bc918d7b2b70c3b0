import { toRfc3339 } from "#base";
import type { Origin } from "#runtime";
import { Collection } from "../../kit/collection.ts";
import { type Message, type Owned, type Stored, stampsOf } from "../../kit/record.ts";
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
  /** When refreshes began to fail. */
  readonly refreshFailingSince?: number;
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

export function connectionMessage(record: Connection): Message {
  const { credentials } = record;
  return {
    id: record.id,
    provider_config_id: record.providerConfigId,
    provider_key: record.providerKey,
    external_id: record.externalId,
    name: record.name,
    environment: record.environment,
    status: record.status,
    status_reason: record.statusReason,
    granted_scopes: credentials.scopes,
    credential_version: credentials.version,
    key_id: credentials.keyId,
    ...(credentials.expiresAt !== undefined && { expires_at: toRfc3339(credentials.expiresAt) }),
    ...(record.refreshFailingSince !== undefined && {
      refresh_failing_since: toRfc3339(record.refreshFailingSince),
    }),
    metadata: record.metadata,
    tenant_id: record.tenant,
    ...stampsOf(record),
  };
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
  return {
    id: session.id,
    provider_config_id: record.providerConfigId,
    connection_id: record.id,
    external_id: record.externalId,
    scopes: session.scopes,
    return_url: session.returnUrl,
    status: session.status,
    error: session.error,
    expires_at: toRfc3339(session.expiresAt),
    tenant_id: record.tenant,
    environment: record.environment,
    ...stampsOf(session),
  };
}

export type ExecutionStatus =
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

export function executionMessage(
  record: Connection,
  execution: Execution,
  body: { readonly input?: unknown; readonly output?: unknown } = {},
): Message {
  return {
    id: execution.id,
    action_key: execution.actionKey,
    action_version: execution.actionVersion,
    connection_id: record.id,
    status: execution.status,
    attempts: execution.attempts,
    ...body,
    output_invalid: execution.outputInvalid,
    ...(execution.error && { error: execution.error }),
    ...(execution.endedAt !== undefined && { ended_at: toRfc3339(execution.endedAt) }),
    tenant_id: record.tenant,
    environment: record.environment,
    ...stampsOf(execution),
  };
}
