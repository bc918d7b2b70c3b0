import { didYouMean, invalid, RefusalError } from "#base";
import type { CallContext } from "../module.ts";
import { checkEnvironment } from "./environment.ts";

/** Throws unless this field of a request names an environment of the tenant that the caller may use. */
export function checkKnownEnvironment(
  environment: string,
  { caller, tenantEnvironments }: Pick<CallContext, "caller" | "tenantEnvironments">,
  field = "environment_id",
): void {
  if (tenantEnvironments && !tenantEnvironments.includes(environment)) {
    const hint = didYouMean(environment, tenantEnvironments);
    const reason = `must be one of the tenant's environments: ${tenantEnvironments.join(", ")}${hint}`;
    throw new RefusalError(invalid({ field, reason }));
  }
  const foreign = checkEnvironment(environment, caller);
  if (foreign) throw new RefusalError(foreign);
}
