import type { ContractMethod } from "../contract/method.ts";

/** Of a door that does more than hand calls on: what it does itself needs an authenticated caller, and no permission in particular. */
export function doorMethod({
  open,
  resource,
  ...named
}: Pick<ContractMethod, "name" | "path" | "kind"> & {
  /** Why a credential that is limited to some environments may come in. */
  readonly open: string;
  readonly resource: string;
}): ContractMethod {
  return {
    ...named,
    governance: {
      lifecycle: "operational",
      audience: "public",
      authenticationRequired: true,
      authorizationRequired: false,
      resource,
      action: "read",
      scopes: [],
      roles: [],
      internalOnly: false,
    },
    environment: { from: "none", open },
    rest: [],
    idempotent: false,
    acceptsSecrets: false,
    readOnly: true,
    rateCost: 1,
    audit: "none",
    envelope: "none",
    headers: [],
    validate: () => undefined,
  } satisfies Omit<ContractMethod, "descriptor"> as unknown as ContractMethod;
}
