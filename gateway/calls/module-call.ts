import { ask, type CallContext, type CalledAs, type Module, type ModuleCall } from "#actors";
import { limits, refusalError, systemClock } from "#base";
import type { Asker } from "#runtime";
import { Call, type Headers } from "./call.ts";
import { type Invoker, invoked } from "./invoke.ts";

export interface ModuleCallParts extends Pick<Invoker, "methods" | "invoke"> {
  readonly asker: Asker;
  readonly modules: readonly Module[];
}

/**
 * How modules call methods of the contract: through the pipeline of the internal plane, as a principal that no credentials make. Methods
 * that modules have for one another only are not in the contract and have no pipeline.
 */
export function moduleCall({ methods, invoke, asker, modules }: ModuleCallParts): ModuleCall {
  const byName = new Map(methods.map((method) => [method.name, method]));
  const internal = new Map(modules.flatMap((module) => Object.entries(module.internal ?? {})));
  return async (name, request, as) => {
    const own = internal.get(name);
    if (own !== undefined) return own(request as never, contextOf(as, asker));
    if (as.entity !== undefined) {
      const { kind, key } = as.entity;
      return ask(contextOf(as, asker), { kind, name }, { key, request });
    }
    const method = byName.get(name);
    if (method?.kind !== "unary")
      throw refusalError("UNIMPLEMENTED", `${name} is not a method that modules can call`);
    const source = { headers: headersOf(as), signal: as.signal ?? new AbortController().signal };
    const call = new Call({ method, plane: "internal", protocol: "module", source });
    call.principal = {
      kind: "module",
      subject: as.subject,
      tenant: as.tenant,
      roles: [],
      environmentMode: "any",
      ...(as.origin && { origin: as.origin }),
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

function contextOf({ tenant, subject, environment, signal }: CalledAs, asker: Asker): CallContext {
  return {
    caller: {
      tenant,
      principalKind: "module",
      subject,
      owner: subject,
      requestId: "",
      environmentMode: "any",
      platform: false,
      ...(environment !== undefined && { environment }),
    },
    asker,
    deadlineMs: systemClock.now() + limits.moduleCallMs,
    signal: signal ?? new AbortController().signal,
    clock: systemClock,
    may: () => true,
    roles: [],
    headers: { get: () => undefined },
  };
}
