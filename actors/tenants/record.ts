import { devTenantId, type Refusal, refuse, systemTenantId, toRfc3339 } from "#base";
import type { CreateTenantRequest, EntitlementItem } from "#protos";
import {
  defaultEnvironments,
  type TenantFacts,
  type TenantLimits,
  type TenantStatus,
} from "../kit/tenant.ts";

export interface TenantRecord {
  readonly id: string;
  readonly name: string;
  readonly status: TenantStatus;
  readonly plan: string;
  readonly quotas: Readonly<Record<string, number>>;
  readonly limits: TenantLimits;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly environments: readonly string[];
  /** See `tenantSecretOf`; empty once the tenant is deleted. */
  readonly secret: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly recordVersion: number;
  /** The number of its last change among those of all tenants. */
  readonly change: number;
}

export interface Snapshot {
  readonly version: number;
  readonly issuedAt: number;
  readonly freshUntil: number;
  readonly items: readonly EntitlementItem[];
}

/** Fields that a tenant's own administrator may change; the others are for the operator of the installation. */
export const ownFields: readonly string[] = ["name", "settings"];
export const updatedFields = [
  "name",
  "status",
  "plan",
  "quotas",
  "limits",
  "settings",
  "environments",
] as const;

/** There from the start, in every installation. */
export const fixedTenants: Readonly<Record<string, string>> = {
  [devTenantId]: "dev",
  [systemTenantId]: "system",
};

export function newTenant(
  id: string,
  now: number,
  secret: string,
  given: Partial<CreateTenantRequest> = {},
): TenantRecord {
  return {
    id,
    name: fixedTenants[id] ?? "",
    plan: "",
    quotas: {},
    limits: {},
    settings: {},
    ...given,
    secret,
    status: "active",
    environments: given.environments?.length ? given.environments : defaultEnvironments,
    createdAt: now,
    updatedAt: now,
    recordVersion: 1,
    change: 0,
  };
}

export function tenantResource(tenant: TenantRecord): Record<string, unknown> {
  const { createdAt, updatedAt, recordVersion, change: _, secret: __, ...shown } = tenant;
  return {
    ...shown,
    created_at: toRfc3339(createdAt),
    updated_at: toRfc3339(updatedAt),
    record_version: recordVersion,
  };
}

export function tenantFacts(tenant: TenantRecord, snapshot: Snapshot | null): TenantFacts {
  const { id, name, status, quotas, limits, settings, environments, secret } = tenant;
  const facts = { id, name, status, quotas, limits, settings, environments, secret };
  if (snapshot === null) return facts;
  const named = (effect: EntitlementItem["effect"]) =>
    snapshot.items.flatMap((one) => (one.effect === effect ? [one.item] : []));
  const entitlements = { freshUntilMs: snapshot.freshUntil, allowed: named("allow"), denied: named("deny") };
  return { ...facts, entitlements };
}

export function snapshotResource(tenantId: string, snapshot: Snapshot): Record<string, unknown> {
  return {
    tenant_id: tenantId,
    version: snapshot.version,
    issued_at: toRfc3339(snapshot.issuedAt),
    fresh_until: toRfc3339(snapshot.freshUntil),
    items: snapshot.items,
  };
}

export function noTenant(): Refusal {
  return refuse("NOT_FOUND", "there is no such tenant");
}
