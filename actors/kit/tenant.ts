/** The broadcast that a tenant has changed; its payload is a `TenantChange`. */
export const tenantChangedTopic = "tenant.changed";

export interface TenantChange {
  readonly id: string;
}

/**
 * The tenant was deleted, and its data goes: `tenants` tells the entities that a tenant's data begins with, and these tell those
 * they have made. It may come more than once.
 */
export interface TenantPurge {
  readonly type: "purge";
}

export type TenantStatus = "active" | "suspended" | "deleted";

/** An unset member: what the installation's settings say. */
export interface TenantLimits {
  readonly rps?: number;
  readonly concurrency?: number;
  readonly queue_depth?: number;
  readonly storage_bytes?: number;
}

/** What every thread knows of a tenant whose callers it serves. */
export interface TenantFacts {
  readonly id: string;
  readonly name: string;
  readonly status: TenantStatus;
  /** By operation: how often a day. */
  readonly quotas: Readonly<Record<string, number>>;
  readonly limits: TenantLimits;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly environments: readonly string[];
  /** See `tenantSecretOf`. */
  readonly secret: string;
  /** Absent: none was ever put. */
  readonly entitlements?: EntitlementFacts;
}

interface EntitlementFacts {
  readonly freshUntilMs: number;
  readonly allowed: readonly string[];
  readonly denied: readonly string[];
}

/** `tenant` is absent where there is none. */
export interface FoundTenant {
  readonly tenant?: TenantFacts;
  /** The number of the newest change of any tenant. */
  readonly head: number;
}

/** Which tenants have changed after change number `since`, each once. */
export interface TenantChanges {
  readonly ids: readonly string[];
  /** The number to ask from next. */
  readonly head: number;
}

export const defaultEnvironments: readonly string[] = ["production", "staging", "development"];
