import type { Plane } from "../calls/call.ts";
import type { Contract } from "../contract/index.ts";
import type { ContractMethod } from "../contract/method.ts";

interface MethodReport {
  readonly name: string;
  readonly http_method?: string;
  readonly path?: string;
  readonly scopes: readonly string[];
  readonly roles: readonly string[];
  readonly lifecycle: string;
  readonly audience: string;
  readonly authentication_required: boolean;
  readonly authorization_required: boolean;
  readonly resource: string;
  readonly action: string;
  readonly internal_only: boolean;
}

/** `MetaService.GetServices`: every service of one plane, and what each of its methods asks for. */
export function servicesReport(contract: Contract, plane: Plane): unknown {
  const services = new Map<string, MethodReport[]>();
  for (const method of contract.methods) {
    if (plane === "external" && method.governance.internalOnly) continue;
    const name = method.descriptor.parent.typeName;
    const methods = services.get(name) ?? [];
    methods.push(reportOf(method));
    services.set(name, methods);
  }
  return {
    contract_sha256: contract.sha256,
    services: [...services].map(([name, methods]) => ({ name, methods })),
  };
}

function reportOf({ descriptor, rest, governance }: ContractMethod): MethodReport {
  const [binding] = rest;
  const { resource, action, scopes, roles, authorizationRequired } = governance;
  return {
    name: descriptor.name,
    ...(binding === undefined ? {} : { http_method: binding.verb, path: binding.template }),
    scopes: authorizationRequired ? [...new Set([`${resource}:${action}`, ...scopes])] : [],
    roles,
    lifecycle: governance.lifecycle,
    audience: governance.audience,
    authentication_required: governance.authenticationRequired,
    authorization_required: authorizationRequired,
    resource,
    action,
    internal_only: governance.internalOnly,
  };
}
