import { devTenantId, systemTenantId } from "#base";
import { badVersion, type Case, nobody } from "./case.ts";

export const cases: readonly Case[] = [
  {
    method: "TenantService.CreateTenant",
    claim: "a name is enough, everything else has a default",
    request: () => ({ name: "acme" }),
  },
  {
    method: "TenantService.CreateTenant",
    claim: "what is given comes back",
    request: () => ({
      name: "acme",
      plan: "team",
      quotas: { enqueue: 100_000 },
      limits: { rps: 50, storage_bytes: 5_000_000_000 },
      settings: { "notification.timezone": "Asia/Kathmandu", "notification.retention_days": 9 },
      environments: ["production", "lab"],
    }),
  },
  {
    method: "TenantService.CreateTenant",
    claim: "an operation that is not counted has no quota",
    request: () => ({ name: "acme", quotas: { dancing: 1 } }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "TenantService.CreateTenant",
    claim: "a setting that tenants do not have is refused",
    request: () => ({ name: "acme", settings: { colour: "green" } }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "TenantService.CreateTenant",
    claim: "several wrong fields are all named",
    request: () => ({ name: "", quotas: { enqueue: -1 }, limits: { rps: 0 }, environments: ["Lab"] }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "TenantService.GetTenant",
    claim: "a tenant is found",
    request: async (world) => ({ tenant_id: await world.tenant() }),
  },
  {
    method: "TenantService.GetTenant",
    claim: "the tenants dev and system exist without being created",
    request: () => ({ tenant_id: systemTenantId }),
  },
  {
    method: "TenantService.GetTenant",
    claim: "an unknown id is not found",
    request: () => ({ tenant_id: nobody }),
    refused: "NOT_FOUND",
  },
  {
    method: "TenantService.GetTenant",
    claim: "a malformed id is refused",
    request: () => ({ tenant_id: "acme" }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "TenantService.ListTenants",
    claim: "a page has the asked size and leads to the next",
    request: async (world) => {
      await world.tenant();
      return { page_size: 1, status: "active" };
    },
  },
  {
    method: "TenantService.ListTenants",
    claim: "a forged cursor is refused",
    request: () => ({ page_token: "forged" }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "TenantService.UpdateTenant",
    claim: "only what is named changes",
    request: async (world) => ({
      tenant_id: await world.tenant({ plan: "team" }),
      name: "acme two",
      status: "suspended",
      update_mask: ["name", "status"],
    }),
  },
  {
    method: "TenantService.UpdateTenant",
    claim: "another version is a conflict",
    request: async (world) => ({
      tenant_id: await world.tenant(),
      name: "acme two",
      record_version: 99,
      update_mask: ["name"],
    }),
    refused: "VERSION_CONFLICT",
  },
  {
    method: "TenantService.UpdateTenant",
    claim: "a setting of another type is refused",
    request: async (world) => ({
      tenant_id: await world.tenant(),
      settings: { "notification.retention_days": "9" },
      update_mask: ["settings"],
    }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "TenantService.UpdateTenant",
    claim: "a fixed tenant is not suspended",
    request: () => ({ tenant_id: devTenantId, status: "suspended", update_mask: ["status"] }),
    refused: "FAILED_PRECONDITION",
  },
  {
    method: "TenantService.DeleteTenant",
    claim: "a tenant is deleted",
    request: async (world) => ({ tenant_id: await world.tenant() }),
  },
  {
    method: "TenantService.DeleteTenant",
    claim: "an unknown one is not found",
    request: () => ({ tenant_id: nobody }),
    refused: "NOT_FOUND",
  },
  {
    method: "TenantService.GetQuota",
    claim: "a limit and what is left of it",
    request: async (world) => ({
      tenant_id: await world.tenant({ quotas: { enqueue: 5 } }),
      operation: "enqueue",
    }),
  },
  {
    method: "TenantService.GetQuota",
    claim: "without a limit only the used amount is returned",
    request: async (world) => ({ tenant_id: await world.tenant(), operation: "route" }),
  },
  {
    method: "TenantService.GetQuota",
    claim: "an operation that is not counted is not found",
    request: async (world) => ({ tenant_id: await world.tenant(), operation: "dancing" }),
    refused: "NOT_FOUND",
  },
  {
    method: "TenantService.PutEntitlements",
    claim: "a snapshot is stored",
    request: async (world) => ({
      tenant_id: await world.tenant(),
      version: 7,
      issued_at: "2026-01-01T00:00:00Z",
      fresh_until: "2030-01-01T00:00:00Z",
      items: [
        { item: "routing", effect: "allow" },
        { item: "export", effect: "deny" },
      ],
    }),
  },
  {
    method: "TenantService.PutEntitlements",
    claim: "an entitlement cannot be both allowed and denied",
    request: async (world) => ({
      tenant_id: await world.tenant(),
      version: 7,
      fresh_until: "2030-01-01T00:00:00Z",
      items: [
        { item: "routing", effect: "allow" },
        { item: "routing", effect: "deny" },
      ],
    }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "TenantService.GetEntitlements",
    claim: "the stored entitlements are returned",
    request: async (world) => {
      const tenant_id = await world.tenant();
      const fresh_until = "2030-01-01T00:00:00Z";
      const issued_at = "2026-01-01T00:00:00Z";
      await world.call("TenantService.PutEntitlements", {
        tenant_id,
        version: 1,
        issued_at,
        fresh_until,
        items: [],
      });
      return { tenant_id };
    },
  },
  {
    method: "TenantService.GetEntitlements",
    claim: "a tenant without entitlements has an empty list",
    request: async (world) => ({ tenant_id: await world.tenant() }),
    refused: "NOT_FOUND",
  },
  {
    method: "TenantService.GetTenant",
    claim: "an old version is refused",
    request: () => ({ tenant_id: devTenantId }),
    headers: badVersion,
    refused: "INVALID_ARGUMENT",
  },
];

export const decided = `
TenantService.CreateTenant    | POST /api/tenants | tenant:admin | | I
TenantService.GetTenant       | GET /api/tenants/{tenant_id} | tenant:read | | R
TenantService.ListTenants     | GET /api/tenants | tenant:read | | R C
TenantService.UpdateTenant    | PATCH /api/tenants/{tenant_id} | tenant:write | admin | I
TenantService.DeleteTenant    | DELETE /api/tenants/{tenant_id} | tenant:admin | | I
TenantService.GetQuota        | GET /api/tenants/{tenant_id}/quota/{operation} | tenant:read | | R
TenantService.PutEntitlements | PUT /api/tenants/{tenant_id}/entitlements | entitlement:write | service | INT I
TenantService.GetEntitlements | GET /api/tenants/{tenant_id}/entitlements | entitlement:read | service | INT R
`;
