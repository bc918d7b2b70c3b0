import type { ContractMethod } from "./contract/method.ts";

/** One request on its way through the pipeline, the same whichever door it came by. */
export interface Call {
  readonly method: ContractMethod;
  readonly plane: Plane;
  readonly protocol: Protocol;
  /** Lower-case names; HTTP headers or gRPC metadata. */
  readonly headers: Headers;
  /** Aborted when the caller goes away or the deadline passes. */
  readonly signal: AbortSignal;
  /** TLS client certificate, on listeners that ask for one. */
  readonly peer?: PeerCertificate;
  readonly startedAtMs: number;
  deadlineMs: number;
  requestId: string;
  apiVersion: string;
  principal?: Principal;
  /** The tenant the call acts in; set by the tenant stage. */
  tenant?: string;
  /** Sent with the answer by every door (gRPC: as metadata). */
  readonly responseHeaders: Map<string, string>;
  /** True when the answer is a stored one. */
  replayed: boolean;
}

export type Plane = "external" | "internal";
export type Protocol = "rest" | "connect" | "grpc" | "grpc-web";

export interface Headers {
  get(name: string): string | undefined;
}

export interface PeerCertificate {
  readonly names: readonly string[];
}

/** Who calls, as authentication found it. */
export interface Principal {
  readonly kind: "user" | "api_key" | "service" | "anonymous";
  readonly subject: string;
  /** Absent: a platform principal, which selects a tenant with X-Tenant-ID. */
  readonly tenant?: string;
  readonly roles: readonly string[];
  /** `undefined`: not narrowed. */
  readonly scopes?: readonly string[];
  readonly environmentMode: "any" | "production_only" | "non_production_only";
}

/** Unary: message in, message out, both plain objects with proto names. Throws RefusalError. */
export type Invoke = (call: Call, message: unknown) => Promise<unknown>;

/** Any streaming kind; a unary side is an iterable of one. */
export type InvokeStream = (call: Call, messages: AsyncIterable<unknown>) => AsyncIterable<unknown>;
