import type { OidcSignIn, RouteEntry, SessionCookie } from "#actors";
import type { ErrorCode, Refusal } from "#base";
import type { ContractMethod } from "../../contract/method.ts";
import type { Roles } from "../../contract/roles.ts";
import type { Call, PeerCertificate, Plane, Principal } from "../call.ts";
import type { Tenants } from "../tenants.ts";
import type { CredentialKind, CredentialReason } from "./credential-error.ts";
import type { RateLimiter } from "./token-bucket.ts";

/**
 * One stage of the pipeline. `enter` runs outermost first and throws a RefusalError to refuse; it returns a promise only
 * where it has to wait, because a promise per stage and call is what makes pipelines slow. `leave` runs innermost first
 * for every stage whose `enter` passed.
 */
export interface Stage {
  readonly name: StageName;
  readonly enter?: (call: Call, message: unknown) => void | Promise<void>;
  /** For each message of a stream that the caller sends; `enter` saw none. */
  readonly each?: (call: Call, message: unknown) => void;
  readonly leave?: (call: Call, ending: Ending) => void;
  /** For a call that stays open, when what let it in may have changed: throws as `enter` would now. */
  readonly again?: (call: Call) => void | Promise<void>;
}

export type StageName =
  | "recovery"
  | "telemetry"
  | "request-id"
  | "api-version"
  | "authentication"
  | "authorization"
  | "tenant"
  | "deprecation"
  | "validation"
  | "concurrency"
  | "rate-limit"
  | "error-masking"
  | "status-mapping"
  | "slow-request-log";

/** How a call ended; stages on the way out may change it. `thrown` is an error that no stage has judged yet. */
export interface Ending {
  atMs: number;
  response?: unknown;
  thrown?: unknown;
  refusal?: Refusal;
  /** What a masked refusal hides; logged, never sent. */
  cause?: unknown;
}

/** What the stages are made of. */
export interface PipelineParts {
  readonly plane: Plane;
  readonly methods: readonly ContractMethod[];
  readonly roles: Roles;
  /** The contract that is served, as clients name theirs. */
  readonly contractId?: string;
  readonly settings: PipelineSettings;
  readonly providers: Providers;
  readonly telemetry: PipelineTelemetry;
  readonly audit?: CallAudit;
}

export interface PipelineSettings {
  /** False: everyone is the administrator of the tenant `dev`. */
  readonly authEnabled: boolean;
  /** Tenant whose viewer a caller without credentials becomes; absent: such a caller is refused. */
  readonly anonymousTenant?: string;
  readonly authzProvider: "builtin" | "none";
  readonly authzAllowWhenUnconfigured: boolean;
  /** Of this thread; 0: no cap. */
  readonly concurrentRequestsMax: number;
  readonly concurrentRequestsPerTenantMax: number;
  readonly streamsMax: number;
  /** Tokens a second for one method, of all tenants and of one; 0: no limit. */
  readonly globalRps: number;
  readonly tenantRps: number;
  /** What happens when the limiter itself fails. */
  readonly rateLimitFailMode: "open" | "closed";
  /** HTTP dates by method name. */
  readonly sunsets: Readonly<Record<string, string>>;
  readonly slowRequestMs: number;
  readonly entitlementEnforcement: "off" | "report" | "strict";
  readonly entitlementGraceUnprovisioned: boolean;
}

/** Who vouches for callers, and what limits them; absent ones are not configured. */
export interface Providers {
  readonly bearer?: AuthenticationProvider;
  readonly apiKey?: AuthenticationProvider;
  readonly certificate?: CertificateProvider;
  /** Of browsers whose people signed in. */
  readonly session?: SessionProvider;
  /** The principal of a conformance run, whose key is taken in every profile; absent: there are none. */
  readonly sandbox?: (apiKey: string) => Principal | undefined;
  readonly rateLimiter?: RateLimiter;
  /** Which tenants there are; absent: every tenant passes. */
  readonly tenants?: Tenants;
}

export interface AuthenticationProvider {
  /** Throws a RefusalError (UNAUTHENTICATED) for a credential that is not good. */
  authenticate(credential: string, call: Shower): Principal | Promise<Principal>;
}

/** What providers look at of who shows a credential. */
export type Shower = Pick<Call, "requestId" | "deadlineMs" | "remoteAddress">;

export interface SessionProvider {
  /** The cookie of a session, where it counts; absent: the call has none. */
  cookieOf(call: Pick<Call, "headers" | "remoteAddress">): SessionCookie | undefined;
  authenticate(cookie: SessionCookie, call: Shower): Principal | Promise<Principal>;
  readonly oidc?: OidcSignIn;
}

export interface CertificateProvider {
  /** Throws a RefusalError (PERMISSION_DENIED) for a certificate without a known identity. */
  identify(peer: PeerCertificate): Principal;
}

/** Told of every call when its outcome is known, on every door. It must not throw and must not wait. */
export interface CallAudit {
  /** `message` is as the door read it: it may be anything where the call was refused. */
  ended(call: Call, message: unknown, ending: Ending): void;
  /** The call goes on, though strict enforcement of entitlements would refuse it. */
  graceAdmitted(call: Call, item: string, reason: string): void;
  /** At a plain route of the external plane. */
  visited(visitor: Pick<Call, "requestId" | "remoteAddress">, entry: RouteEntry): void;
}

/** What the pipeline reports; a pino logger fits `log`. */
export interface PipelineTelemetry {
  callStarted(call: Call): void;
  callEnded(call: Call, ended: { readonly code: ErrorCode | "OK"; readonly durationMs: number }): void;
  deprecatedCalled(call: Call): void;
  /** A call was let in that strict enforcement of entitlements would refuse. */
  graceAdmitted(call: Call, item: string, reason: string): void;
  credentialsAccepted(call: Call, kind: CredentialKind): void;
  credentialsRefused(call: Call, kind: CredentialKind, reason: CredentialReason): void;
  readonly log: {
    warn(fields: object, text: string): void;
    error(fields: object, text: string): void;
  };
}
