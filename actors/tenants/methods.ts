import type { Entitlements, Tenant } from "#protos";
import { contractMethod } from "../kit/ask.ts";
import type { Snapshot } from "./record.ts";

/** What the handlers ask of the one entity that has all tenants. */
interface TenantRef {
  readonly tenant_id: string;
}

export const createTenant = contractMethod("tenants", "TenantService.CreateTenant");
export const getTenant = contractMethod<TenantRef & { readonly deletedToo: boolean }, Tenant>(
  "tenants",
  "TenantService.GetTenant",
);
export const listTenants = contractMethod("tenants", "TenantService.ListTenants");
export const updateTenant = contractMethod("tenants", "TenantService.UpdateTenant");
export const deleteTenant = contractMethod("tenants", "TenantService.DeleteTenant");
export const putEntitlements = contractMethod<TenantRef & { readonly snapshot: Snapshot }, Entitlements>(
  "tenants",
  "TenantService.PutEntitlements",
);
export const getEntitlements = contractMethod("tenants", "TenantService.GetEntitlements");
