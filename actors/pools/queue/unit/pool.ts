import { type Refusal, refuse } from "#base";
import type { Context } from "#runtime";
import { checkEnvironment } from "../../../kit/environment.ts";
import type { RouterView } from "../../router.ts";

/** Why the caller cannot reach this pool, or cannot use it now. */
export function reachPool(
  router: RouterView,
  context: Pick<Context, "caller">,
  options: { readonly enabled?: boolean } = {},
): Refusal | undefined {
  if (router.status === "absent") return refuse("NOT_FOUND", "there is no such pool");
  const hidden = checkEnvironment(router.environment, context.caller);
  if (hidden) return hidden;
  if (options.enabled && router.status === "disabled")
    return refuse("FAILED_PRECONDITION", "the pool is disabled", { reason: "POOL_DISABLED" });
  return undefined;
}
