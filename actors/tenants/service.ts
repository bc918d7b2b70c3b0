import type { EntityMethod } from "#runtime";
import type { Command, Message } from "./decide.ts";
import type { ListRequest } from "./list.ts";
import type { Snapshot } from "./record.ts";
import type { Event, State } from "./state.ts";

type Method = EntityMethod<State, Command, Event>;

interface TenantRef {
  readonly tenant_id: string;
  readonly record_version?: number;
}

/** Who may ask what, and in which words, is decided in methods.ts. */
export const methods: Readonly<Record<string, Method>> = {
  "TenantService.CreateTenant": answered((given: Message) => ({ type: "create", given })),
  "TenantService.GetTenant": answered(({ tenant_id, deletedToo }: TenantRef & { deletedToo: boolean }) => ({
    type: "get",
    id: tenant_id,
    deletedToo,
  })),
  "TenantService.ListTenants": answered((request: ListRequest) => ({ type: "list", request })),
  "TenantService.UpdateTenant": answered((request: TenantRef) => ({
    type: "update",
    id: request.tenant_id,
    given: request as unknown as Message,
  })),
  "TenantService.DeleteTenant": {
    command: (request) => {
      const { tenant_id: id, record_version: version } = request as TenantRef;
      return { type: "delete", id, ...(version !== undefined && { version }) };
    },
    respond: (_state, _events, command) => ({ id: (command as { id: string }).id, deleted: true }),
  },
  "TenantService.PutEntitlements": answered(
    ({ tenant_id, snapshot }: TenantRef & { snapshot: Snapshot }) => ({
      type: "put_entitlements",
      id: tenant_id,
      snapshot,
    }),
  ),
  "TenantService.GetEntitlements": answered(({ tenant_id }: TenantRef) => ({
    type: "get_entitlements",
    id: tenant_id,
  })),
  "Tenants.Find": answered(({ tenant_id }: TenantRef) => ({ type: "find", id: tenant_id })),
  "Tenants.Changes": answered(({ since }: { since: number }) => ({ type: "changes", since })),
};

function answered<Request>(make: (request: Request) => Command): Method {
  return {
    command: (request) => make(request as Request),
    respond: (_state, _events, _command, _context, answer) => answer,
  };
}
