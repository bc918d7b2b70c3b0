import type { EntityMethod } from "#runtime";
import { answered, versionOf } from "../kit/methods.ts";
import type { Command, Message } from "./decide.ts";
import type { ListRequest } from "./list.ts";
import type { Snapshot } from "./record.ts";
import type { Event, State } from "./state.ts";

type Method = EntityMethod<State, Command, Event>;

/** Who may ask what, and in which words, is decided in orchestrate.ts. */
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
  "Tenants.Find": answered((request) => ({ type: "find", id: idOf(request) })),
  "Tenants.Changes": answered(({ since }) => ({ type: "changes", since: since as number })),
};

function idOf(request: Message): string {
  return request.tenant_id as string;
}
