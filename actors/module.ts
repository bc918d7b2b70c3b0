import type { Clock, Refusal } from "#base";
import type { Answers, Requests } from "#protos";
import type {
  Address,
  Answer,
  AnyActorDefinition,
  Ask,
  Asker,
  Caller,
  Cancellation,
  EffectHandlers,
} from "#runtime";
import type { Directory } from "./kit/directory.ts";
import type { TenantLimits } from "./kit/tenant.ts";

/** One module of the domain: the entities it owns and the methods that need more than one entity. */
export interface Module {
  readonly name: string;
  readonly actors: readonly AnyActorDefinition[];
  /**
   * By method name (`QueueControlService.ListQueues`): what is more than a command of one entity. A method of the contract has
   * one target: an entity (its `actor` option), an orchestration or a stream.
   */
  readonly orchestrations?: Handlers & Readonly<Record<string, AnyHandler>>;
  /** By method name: streaming methods. */
  readonly streams?: { readonly [Name in MethodName]?: StreamHandler<Requests[Name]> } & Readonly<
    Record<string, StreamHandler<never>>
  >;
  /** By method name (`connection.Open`): what effects ask by `askAs`, those of other modules too. Callers cannot name them. */
  readonly internal?: Readonly<Record<string, Orchestration<never>>>;
  /** Plain routes beside the contract: what browsers and providers are sent to. */
  readonly routes?: readonly ModuleRoute[];
  /** Of its entities that tenants list; actors/directory serves them. */
  readonly directories?: readonly Directory[];
  /** Entities that a tenant's data begins with, besides its directories: they hear `TenantPurge` when it was deleted. */
  readonly tenantRoots?: (tenant: string) => readonly Address[];
  /** By kind: what runs the effects that its entities ask for. */
  readonly effects?: EffectHandlers;
}

/** A path of the external plane that needs no credentials of the API: what its last part, a cookie or the body holds is the credential. */
export interface ModuleRoute {
  /** `/connect/{token}`: at most one part in braces. */
  readonly path: string;
  readonly methods: Readonly<Partial<Record<RouteVerb, RouteMethod>>>;
}

export type RouteVerb = "GET" | "POST" | "DELETE";

/** One operation of a plain route, as the OpenAPI document describes it. */
export interface RouteMethod {
  readonly operationId: string;
  readonly summary: string;
  /** `connect_session:write`: what it is about. Callers need no permission. */
  readonly about: `${string}:${string}`;
  /** Names of the parameters of its query. */
  readonly query?: readonly string[];
  /** Types of its body; absent: it has none. */
  readonly body?: readonly string[];
  /** By status. A refusal of the whole service (a Host that is not listed) comes on top. */
  readonly answers: Readonly<Record<number, RouteAnswer>>;
  readonly handle: RouteHandler;
}

export interface RouteAnswer {
  readonly description: string;
  /** Of its body; absent: it has none. */
  readonly type?: "text/html" | "text/plain" | "application/json" | "application/problem+json";
}

type RouteHandler = (request: RouteRequest, context: RouteContext) => Promise<RouteResponse>;

export interface RouteRequest {
  /** What stands in the place of the braces. */
  readonly part: string;
  /** As sent, without the question mark. */
  readonly query: string;
  /** By lower-case name. */
  header(name: string): string | undefined;
  headers(): Readonly<Record<string, string>>;
  /** Its own, or one that was made for it: what audit entries, logs and pages name it by. */
  readonly requestId: string;
  /** The other end of the connection, a proxy perhaps. */
  readonly remoteAddress: string;
  /** It came over TLS that ends here. */
  readonly isEncrypted: boolean;
  /** Throws a RefusalError where it is too large. */
  body(): Promise<Buffer>;
}

export interface RouteContext {
  readonly asker: Asker;
  readonly clock: Clock;
  /** Throws a RefusalError unless the tenant is there and active. */
  admit(tenant: string): Promise<void>;
  /** How people sign in on this plane. */
  readonly signIn: SignIn;
  audit(request: RouteRequest, entry: RouteEntry): void;
}

export interface SignIn {
  /** Callers need not: each is the administrator of the tenant `dev`. */
  readonly isOpen: boolean;
  readonly ways: readonly SignInWay[];
  /** Whose credential it is. Throws a RefusalError where it is not good. */
  identify(way: SignInWay, credential: string, request: RouteRequest): Promise<Identified>;
  /** Throws a RefusalError where the issuer says no or cannot be reached. */
  readonly oidc?: OidcSignIn;
}

export type SignInWay = "oidc" | "api_key";

export interface OidcSignIn {
  /** Where the browser is sent to. */
  addressOf(attempt: OidcAttempt): Promise<string>;
  /** `answer`: the query that the browser came back with. */
  exchange(attempt: OidcAttempt, answer: URLSearchParams): Promise<OidcTokens>;
}

export interface OidcAttempt {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly redirectUri: string;
}

export interface OidcTokens {
  readonly accessToken: string;
  readonly refreshToken?: string;
}

/** A principal that signed in. */
export interface Identified extends Pick<Caller, "subject"> {
  readonly kind: Caller["principalKind"];
  readonly owner?: string;
  readonly tenant?: string;
}

/** For the audit log; without a refusal it was done. */
export interface RouteEntry {
  /** `ConsoleSession.Start` */
  readonly act: string;
  readonly about: RouteMethod["about"];
  readonly caller?: Identified | undefined;
  readonly refusal?: Refusal | undefined;
  readonly target?: Readonly<Record<string, string>> | undefined;
}

export interface RouteResponse {
  readonly status: number;
  /** By name; a header that is sent several times has several values. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string;
}

export interface CallContext {
  readonly caller: Caller;
  readonly asker: Asker;
  readonly deadlineMs: number;
  readonly signal: Cancellation;
  readonly clock: Clock;
  /**
   * Whether the caller holds this permission (`pool:write`): for what an orchestration does on the caller's behalf. `grant`: for a
   * key that has the caller's limits, also where the caller's environments keep it from using the permission.
   */
  may(permission: string, use?: "grant"): boolean;
  /** What the tenant's record limits; absent: nothing. */
  readonly tenantLimits?: TenantLimits | undefined;
  /** The tenant's own values of dynamic settings; see kit/tenant-setting.ts. */
  readonly tenantSettings?: Readonly<Record<string, unknown>> | undefined;
  /** Absent: not known here; `tenantSecretOf` asks for it. */
  readonly tenantSecret?: string | undefined;
  /** Names; absent: not known here. */
  readonly tenantEnvironments?: readonly string[] | undefined;
  /** Of the caller, as its credentials name them: for resources that ask for a role of their own. */
  readonly roles: readonly string[];
  /** What those are narrowed to; absent: they are not narrowed. */
  readonly scopes?: readonly string[] | undefined;
  /** When the API key of the caller ends; absent: it does not, or the caller has none. */
  readonly keyExpiresAtMs?: number | undefined;
  /** Of the request, by lower-case name: HTTP headers, gRPC metadata, the headers frame of a WebSocket. */
  readonly headers: { get(name: string): string | undefined };
  /** Present when the caller sent an Idempotency-Key. */
  readonly idempotency?: { readonly scope: string; readonly fingerprint: string } | undefined;
}

/** `PoolService.CreatePool`: a method of the contract. */
export type MethodName = keyof Requests & keyof Answers;

/** Asks several entities and joins their answers. Throws a RefusalError to refuse. */
export type Orchestration<Request = unknown> = (request: Request, call: CallContext) => Promise<unknown>;

/** The orchestration of this method of the contract: its request has been validated, and absent fields completed. */
export type Handler<Name extends MethodName> = Orchestration<Requests[Name]>;

/** Of a method that is looked up by its name. */
export type AnyHandler = Orchestration<never> | Question<never>;

/** By method of the contract. */
export type Handlers = { readonly [Name in MethodName]?: Handler<Name> | Question<Requests[Name]> };

/**
 * The orchestration that asks one entity, nearly always, and puts its answer into the words of the contract: no promise
 * where one question is all. Both functions throw a RefusalError to refuse.
 */
export interface Question<Request = unknown> {
  ask(request: Request, call: CallContext): Ask;
  /** A promise only where the answer led to more questions. */
  read(answer: Answer, request: Request, call: CallContext): unknown;
}

/** A message of a stream that breaks the contract, in its place: the handler answers it, and the stream goes on. */
export class RefusedMessage {
  readonly message: unknown;
  readonly refusal: Refusal;

  constructor(message: unknown, refusal: Refusal) {
    this.message = message;
    this.refusal = refusal;
  }
}

/**
 * What a stream yields before its first message, when it has looked at the request and is going to answer: interfaces that wait for a
 * first answer before they send their head send it now. Callers do not see it.
 */
export const opened = Symbol("opened");

/** Requests are messages, or a `RefusedMessage` where one may not be taken. */
export type StreamHandler<Request = unknown> = (
  requests: AsyncIterable<Request | RefusedMessage>,
  call: CallContext,
) => AsyncIterable<unknown>;
