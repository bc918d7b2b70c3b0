import type { CallContext } from "../module.ts";
import { tenantSetting } from "./tenant-setting.ts";

/** Whether customers depend on this environment: `promotion.live_environments`. */
export function isLive(
  settings: Readonly<Record<string, unknown>>,
  call: Pick<CallContext, "tenantSettings">,
  environment: string,
): boolean {
  return tenantSetting<readonly string[]>(settings, call, "promotion.live_environments").includes(
    environment,
  );
}
