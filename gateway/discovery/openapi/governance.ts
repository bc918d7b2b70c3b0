import type { Governance } from "../../contract/method.ts";
import type { Schema } from "../../contract/rules.ts";

/** The nine fields that every operation carries. */
export function governanceFields(governance: Governance): Schema {
  return {
    "x-service-lifecycle": governance.lifecycle,
    "x-service-audience": governance.audience,
    "x-service-authentication-required": governance.authenticationRequired,
    "x-service-authorization-required": governance.authorizationRequired,
    "x-service-authz-resource": governance.resource,
    "x-service-authz-action": governance.action,
    "x-service-authz-scopes": governance.scopes,
    "x-service-authz-roles": governance.roles,
    "x-service-internal-only": governance.internalOnly,
  };
}
