import type { EntityMethod } from "#runtime";
import { answered, answering, versionOf } from "../kit/methods.ts";
import { changedTenants, findTenant, secretOfTenant } from "../kit/tenants.ts";
import type { Command, ListRequest, Message } from "./decide.ts";
import type { Snapshot } from "./record.ts";
import type { Event, State } from "./state.ts";

type Method = EntityMethod<State, Command, Event>;

/** Who may ask what, and in which words, is decided in handlers/tenants.ts. */
export const methods: Readonly<Record<string, Method>> = {
  "TenantService.CreateTenant": answered((given) => ({ type: "create", given })),
  "TenantService.GetTenant": answered((request) => ({
    type: "get",
    id: idOf(request),
    deletedToo: request.deletedToo as boolean,
  })),
  "TenantService.ListTenants": answered((request) => ({ type: "list", request: request as ListRequest })),
  "TenantService.UpdateTenant": answered((given) => ({ type: "update", id: idOf(given), given })),
  "TenantService.DeleteTenant": answered((request) => ({
    type: "delete",
    id: idOf(request),
    ...versionOf(request),
  })),
  "TenantService.PutEntitlements": answered((request) => ({
    type: "put_entitlements",
    id: idOf(request),
    snapshot: request.snapshot as Snapshot,
  })),
  "TenantService.GetEntitlements": answered((request) => ({ type: "get_entitlements", id: idOf(request) })),
  [findTenant.name]: answering(findTenant, ({ tenant_id }) => ({ type: "find", id: tenant_id })),
  [changedTenants.name]: answering(changedTenants, ({ since }) => ({ type: "changes", since })),
  [secretOfTenant.name]: answering(secretOfTenant, ({ tenant_id }) => ({ type: "secret", id: tenant_id })),
};

function idOf(request: Message): string {
  return request.tenant_id as string;
}
