import type { EntityMethod } from "#runtime";
import { answeredMethods, answering, versionOf } from "../kit/methods.ts";
import { changedTenants, findTenant, secretOfTenant } from "../kit/tenants.ts";
import type { Command } from "./decide.ts";
import { getTenant, putEntitlements } from "./methods.ts";
import type { Event, State } from "./state.ts";

type Method = EntityMethod<State, Command, Event>;

/** Who may ask what, and in which words, is decided in handlers/tenants.ts. */
export const methods: Readonly<Record<string, Method>> = {
  ...answeredMethods<Command>({
    "TenantService.CreateTenant": (given) => ({ type: "create", given }),
    "TenantService.ListTenants": (request) => ({ type: "list", request }),
    "TenantService.UpdateTenant": (given) => ({ type: "update", id: given.tenant_id, given }),
    "TenantService.DeleteTenant": (given) => ({ type: "delete", id: given.tenant_id, ...versionOf(given) }),
    "TenantService.GetEntitlements": ({ tenant_id }) => ({ type: "get_entitlements", id: tenant_id }),
  }),
  [getTenant.name]: answering(getTenant, ({ tenant_id, deletedToo }) => ({
    type: "get",
    id: tenant_id,
    deletedToo,
  })),
  [putEntitlements.name]: answering(putEntitlements, ({ tenant_id, snapshot }) => ({
    type: "put_entitlements",
    id: tenant_id,
    snapshot,
  })),
  [findTenant.name]: answering(findTenant, ({ tenant_id }) => ({ type: "find", id: tenant_id })),
  [changedTenants.name]: answering(changedTenants, ({ since }) => ({ type: "changes", since })),
  [secretOfTenant.name]: answering(secretOfTenant, ({ tenant_id }) => ({ type: "secret", id: tenant_id })),
};
