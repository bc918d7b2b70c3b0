import { systemTenantId } from "#base";
import type { Caller } from "#runtime";
import type { Call } from "./call.ts";

/** Who calls, as entities are told. */
export function callerOf(call: Call): Caller {
  const { principal } = call;
  const caller = {
    tenant: call.tenant ?? systemTenantId,
    principalKind: principal?.kind ?? "anonymous",
    subject: principal?.subject ?? "anonymous",
    owner: principal?.owner ?? principal?.subject ?? "anonymous",
    requestId: call.requestId,
    environmentMode: principal?.environmentMode ?? "any",
    platform: principal !== undefined && principal.tenant === undefined,
  };
  const environment = call.headers.get("x-environment");
  const named = environment === undefined ? caller : { ...caller, environment };
  const made = principal?.origin === undefined ? named : { ...named, origin: principal.origin };
  const { trace } = call;
  return trace === undefined ? made : { ...made, trace };
}
