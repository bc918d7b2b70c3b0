import { systemTenantId } from "#base";
import type { Address } from "#runtime";
import type { CallContext } from "../module.ts";
import { type Asking, ask, method } from "./ask.ts";
import type { FoundTenant, TenantChanges } from "./tenant.ts";

/** The one entity that has the records of all tenants. */
export const tenantsAddress: Address = { kind: "tenants", tenant: systemTenantId, key: "all" };

export const findTenant = method<{ readonly tenant_id: string }, FoundTenant>("tenants", "Find");
export const changedTenants = method<{ readonly since: number }, TenantChanges>("tenants", "Changes");
export const secretOfTenant = method<{ readonly tenant_id: string }, TenantSecret>("tenants", "Secret");

export interface TenantSecret {
  readonly secret: string;
}

/**
 * The key of what must not be guessed or compared from outside: redacted admission keys, pseudonyms, receipts, fingerprints of
 * requests. Each use puts its own word before what it hashes. The secret never leaves the nodes of the installation.
 */
export async function tenantSecretOf(
  call: Asking & Pick<Partial<CallContext>, "tenantSecret">,
): Promise<string> {
  if (call.tenantSecret !== undefined) return call.tenantSecret;
  const request = { tenant_id: call.caller.tenant };
  return (await ask(call, secretOfTenant, { ...tenantsAddress, request })).secret;
}
