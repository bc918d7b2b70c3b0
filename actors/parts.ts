import type { Clock } from "#base";
import type { Origin } from "#runtime";
import type { ConformanceRunner } from "./conformance/runner.ts";
import type { Outgoing } from "./outgoing.ts";

/** What a module is made of besides its own code. */
export interface ModuleParts {
  /** By name, as in docs/configuration.md; a module knows the types of its own. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly clock: Clock;
  /** The one way to the outside. */
  readonly outgoing: Outgoing;
  /** Absent: no key is configured, and what needs one refuses. */
  readonly keyRing?: KeyRing;
  /** What roles and permissions there are. */
  readonly access: Access;
  /** For secrets that are shown once and stored as a hash. */
  readonly keyHasher: KeyHasher;
  /** Large bodies, beside the rows. */
  readonly objects: ObjectStore;
  /** Calls a method of the contract on a tenant's behalf, for effects. */
  readonly call: ModuleCall;
  /** What the contract's methods count against quotas: `enqueue`, `route`, … */
  readonly quotaOperations: () => ReadonlySet<string>;
  /** What is wrong with a tenant's own value of a setting; `undefined`: nothing. */
  readonly tenantValueProblem: (name: string, value: unknown) => string | undefined;
  /** SHA-256 of the contract that this build serves, as hex. */
  readonly contractSha256: () => string;
  /** Tests the node that it runs on. */
  readonly conformance: ConformanceRunner;
  /** Signs what leaves the service as evidence. */
  readonly signer: Signer;
  /** How old the last look of this node at what it depends on is, and whether all of it answered; absent: there was none. */
  readonly dependencies: () => { readonly ageMs: number; readonly isAvailable: boolean } | undefined;
  /** Figures of this thread; gateway/telemetry/catalogue.ts lists them. */
  readonly metrics: {
    add(name: string, labels?: Readonly<Record<string, string>>): void;
    /** Milliseconds, into a histogram. */
    observe(name: string, ms: number, labels: Readonly<Record<string, string>>): void;
    /** Here and below, `read` is called when the metrics are collected. Threads are added up, or the most of them counts. */
    gauge(
      name: string,
      labels: Readonly<Record<string, string>>,
      read: () => number,
      of?: "sum" | "max",
    ): void;
    counter(name: string, labels: Readonly<Record<string, string>>, read: () => number): void;
    /** `counts` has one more than there are bounds. */
    histogram(
      name: string,
      boundsMs: readonly number[],
      read: () => { readonly counts: readonly number[]; readonly sumMs: number },
    ): void;
  };
}

/** Ed25519: the same bytes have the same signature. */
export interface Signer {
  /** SHA-256 of the public key (SPKI, DER), as hex. */
  readonly keyId: string;
  /** `x` of its JSON Web Key (RFC 8037). */
  readonly publicX: string;
  sign(bytes: Uint8Array): Buffer;
}

/** Large bodies by key. A put is durable when it resolves and never visible in part. */
export interface ObjectStore {
  put(key: string, body: AsyncIterable<Uint8Array>): Promise<{ readonly bytes: number }>;
  /** `undefined` where there is no such object. `end` is exclusive. */
  get(key: string, range?: { start: number; end?: number }): Promise<AsyncIterable<Uint8Array> | undefined>;
  delete(key: string): Promise<void>;
}

/** The roles and permissions of the contract. */
export interface Access {
  isRole(name: string): boolean;
  /** Permissions are what credentials may name as scopes. */
  isPermission(name: string): boolean;
  /** Whether the permissions of this role are the scopes of its holder. */
  isByScopes(role: string): boolean;
  /** What the roles grant, narrowed by the scopes. */
  permissionsOf(holder: Holder): readonly string[];
}

export interface Holder {
  readonly roles: readonly string[];
  /** Absent: not narrowed. */
  readonly scopes?: readonly string[];
  /** Absent: a platform principal. */
  readonly tenant?: string;
}

/** Slow by design, in threads of its own, some at a time: throws UNAVAILABLE where too many wait. */
export interface KeyHasher {
  /** From the operating system's generator. */
  drawSecret(): string;
  hash(secret: string): Promise<string>;
  /** Without a hash it takes as long, and is false. */
  verify(secret: string, hash: string | undefined): Promise<boolean>;
}

/** Encrypts what must not be readable where it is stored. */
export interface KeyRing {
  /** The key that encrypts. */
  readonly activeId: string;
  /** Decrypts only for the same record: its kind, tenant and whatever else makes it this one. */
  encrypt(plain: Uint8Array, record: readonly string[]): Uint8Array;
  /** `undefined` where it was encrypted for another record, with a key that is not here, or was changed. */
  decrypt(encrypted: Uint8Array, record: readonly string[]): Uint8Array | undefined;
  /** Which key encrypted it. */
  keyIdOf(encrypted: Uint8Array): string | undefined;
}

/**
 * The dispatch that the interfaces use. It asks for no credentials and no permission: the module asked `may` when it took the work.
 * Everything else holds. Throws a RefusalError.
 */
export type ModuleCall = (method: string, request: unknown, as: CalledAs) => Promise<unknown>;

export interface CalledAs {
  readonly tenant: string;
  /** For whom: what audit entries and records name. */
  readonly subject: string;
  /** As Idempotency-Key: a call that is repeated with it applies once. */
  readonly key: string;
  readonly environment?: string;
  readonly signal?: AbortSignal;
  /** Answers a method that the contract does not have, unless a module has it in `internal`; see kit/ask.ts. */
  readonly entity?: { readonly kind: string; readonly key: string };
  /** Who hears how what the call starts has ended; see kit/workflow-run.ts. An entity of the same tenant. */
  readonly origin?: Origin;
}

/** Where people and programs outside reach this service; empty: nowhere. */
export function publicUrlOf(settings: ModuleParts["settings"]): string {
  return ((settings["server.public_url"] as string | undefined) ?? "").replace(/\/$/, "");
}
