import type { TenantFacts } from "#actors";
import { limits, type Refusal } from "#base";
import type { Caller, Cancellation } from "#runtime";
import type { ContractMethod } from "../contract/method.ts";
import { AnswerHeaders } from "./answer-headers.ts";

/** What a door knows of a request before the pipeline has seen it; an HTTP request is one. */
export interface CallSource {
  readonly headers: Headers;
  readonly signal: AbortSignal;
  /** Absent: the signal does it. */
  readonly cancellation?: Cancellation;
  readonly peer?: PeerCertificate;
  readonly remoteAddress?: string;
  /** Absent where nothing waits for the reader. */
  hurry?(): void;
}

/**
 * One request on its way through the pipeline, the same whichever door it came by. The signal is only asked for when there is a
 * listener: making one is not free.
 */
export class Call {
  readonly method: ContractMethod;
  readonly plane: Plane;
  readonly protocol: Protocol;
  /** Lower-case names; HTTP headers or gRPC metadata. */
  readonly headers: Headers;
  readonly startedAtMs: number;
  deadlineMs: number;
  requestId = "";
  apiVersion = "";
  principal?: Principal;
  /** The tenant the call acts in; set by the tenant stage. */
  tenant?: string;
  /** What this thread knows of that tenant; set with it. */
  tenantFacts?: TenantFacts;
  /** Its place in a trace, as a W3C `traceparent`; absent: it is not traced. */
  trace?: string;
  /** What the call uses of an operation that has no limit, if it succeeds. */
  uses = 0;
  /** The tenant's own secret, where the request has secrets and can be repeated. */
  fingerprintKey?: string;
  /** Sent with the answer by every door (gRPC: as metadata). */
  readonly responseHeaders = new AnswerHeaders();
  /** True when the answer is a stored one. */
  replayed = false;
  /** Stages of the pipeline that have let it in. */
  entered = 0;
  readonly #source: CallSource;
  #trailers: AnswerHeaders | undefined;

  constructor(parts: { method: ContractMethod; plane: Plane; protocol: Protocol; source: CallSource }) {
    this.method = parts.method;
    this.plane = parts.plane;
    this.protocol = parts.protocol;
    this.headers = parts.source.headers;
    this.startedAtMs = Date.now();
    this.deadlineMs = this.startedAtMs + limits.requestTimeoutMs;
    this.#source = parts.source;
  }

  /** Aborted when the caller goes away or the deadline passes. */
  get signal(): AbortSignal {
    return this.#source.signal;
  }

  /** As `signal`, for entities: most of them never look, and an AbortSignal costs more than many of their answers. */
  get cancellation(): Cancellation {
    return this.#source.cancellation ?? this.#source.signal;
  }

  /** TLS client certificate, on listeners that ask for one. */
  get peer(): PeerCertificate | undefined {
    return this.#source.peer;
  }

  /** The other end of the connection, a proxy perhaps; empty where it is not known. Read while the caller is connected. */
  get remoteAddress(): string {
    return this.#source.remoteAddress ?? "";
  }

  /** Few calls have one, and asking for them makes the list. */
  get hasTrailers(): boolean {
    return this.#trailers !== undefined;
  }

  /** Sent after the answer by the doors that have trailers. */
  get responseTrailers(): AnswerHeaders {
    this.#trailers ??= new AnswerHeaders();
    return this.#trailers;
  }

  /** Nothing more is done for this call: a client that does not read what it was sent is not waited for long. */
  hurry(): void {
    this.#source.hurry?.();
  }
}

export type Plane = "external" | "internal";
export type Protocol = "rest" | "connect" | "grpc" | "grpc-web" | "websocket" | "mcp" | "module";

export interface Headers {
  get(name: string): string | undefined;
}

export interface PeerCertificate {
  readonly names: readonly string[];
  readonly expiresAtMs: number;
}

/** Who calls, as authentication found it. */
export interface Principal {
  readonly kind: Caller["principalKind"];
  /** Only of modules. */
  readonly origin?: Caller["origin"];
  readonly subject: string;
  /** Who made the API key; absent: the subject answers for itself. */
  readonly owner?: string;
  /** Absent: a platform principal, which selects a tenant with X-Tenant-ID. */
  readonly tenant?: string;
  readonly roles: readonly string[];
  /** `undefined`: not narrowed. */
  readonly scopes?: readonly string[];
  readonly environmentMode: "any" | "production_only" | "non_production_only";
  /** When its credential ends; absent: it does not. */
  readonly expiresAtMs?: number;
  /** When the API key ends that it signed in with; absent: it did not, or the key has no end. */
  readonly keyExpiresAtMs?: number;
  /** Operates the installation as well, although it has a tenant: everyone does where authentication is off. */
  readonly operates?: boolean;
}

/**
 * Unary: message in, message out, both plain objects with proto names. A door that could not read the message passes
 * the RefusalError in its place: who may not call at all is told that first.
 */
export type Invoke = (call: Call, message: unknown, done: Done) => void;

/** How a unary call ended: refused, or with this response. */
export type Done = (refusal: Refusal | undefined, response: unknown) => void;

/** How the handling of a call ended; what was thrown is not judged yet. */
export type Settle = (thrown: unknown, response: unknown) => void;

/** Any streaming kind; a unary side is an iterable of one. The pipeline runs when the answer is first asked for. */
export type InvokeStream = (call: Call, messages: AsyncIterable<unknown>) => AsyncIterable<unknown>;
