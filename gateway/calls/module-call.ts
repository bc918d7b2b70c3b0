import type { CalledAs, ModuleCall } from "#actors";
import { RefusalError, refuse } from "#base";
import { type Headers, openCall } from "./call.ts";
import { type Invoker, invoked } from "./invoke.ts";

/** How modules call methods of the contract: through the pipeline of the internal plane, as a principal that no door makes. */
export function moduleCall({ methods, invoke }: Invoker): ModuleCall {
  const byName = new Map(methods.map((method) => [method.name, method]));
  return async (name, request, as) => {
    const method = byName.get(name);
    if (method?.kind !== "unary")
      throw new RefusalError(refuse("UNIMPLEMENTED", `${name} is not a method that modules can call`));
    const source = { headers: headersOf(as), signal: as.signal ?? new AbortController().signal };
    const call = openCall({ method, plane: "internal", protocol: "module", source });
    call.principal = {
      kind: "module",
      subject: as.subject,
      tenant: as.tenant,
      roles: [],
      environmentMode: "any",
    };
    return invoked(invoke, call, request);
  };
}

function headersOf({ key, environment }: CalledAs): Headers {
  const headers: Readonly<Record<string, string | undefined>> = {
    "idempotency-key": key,
    "x-environment": environment,
  };
  return { get: (name) => headers[name] };
}
