import type { Plane } from "../calls/call.ts";
import type { Contract } from "../contract/index.ts";
import type { ContractMethod } from "../contract/method.ts";

/** `MetaService.GetServices`: every service of one plane, and what each of its methods asks for. */
export function servicesReport({ methods, sha256 }: Contract, plane: Plane): unknown {
  const shown = methods.filter(({ governance }) => plane === "internal" || !governance.internalOnly);
  const services = new Set(shown.map(({ descriptor }) => descriptor.parent));
  return {
    contract_sha256: sha256,
    services: [...services].map((service) => ({
      name: service.typeName,
      methods: shown.filter(({ descriptor }) => descriptor.parent === service).map(reportOf),
    })),
  };
}

function reportOf({ descriptor, rest: [binding], governance }: ContractMethod) {
  const { resource, action, scopes, roles, authorizationRequired } = governance;
  return {
    name: descriptor.name,
    ...(binding !== undefined && { http_method: binding.verb, path: binding.template }),
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
