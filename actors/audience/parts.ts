import { tenantSetting } from "../kit/tenant-setting.ts";
import type { CallContext } from "../module.ts";
import { isTimeZone } from "../notify/schedule.ts";
import type { ModuleParts } from "../parts.ts";

/** What the tenant's record says of notifications. */
export interface TenantNotifySettings {
  readonly timezone: string;
  readonly requireVerified: boolean;
  readonly retentionDays: number;
}

export function tenantSettingsOf(
  settings: ModuleParts["settings"],
  call: Pick<CallContext, "tenantSettings">,
): TenantNotifySettings {
  const timezone = tenantSetting<string | undefined>(settings, call, "notification.timezone") ?? "UTC";
  const days = tenantSetting<number | undefined>(settings, call, "notification.retention_days") ?? 30;
  return {
    timezone: isTimeZone(timezone) ? timezone : "UTC",
    requireVerified: tenantSetting(settings, call, "notification.require_verified") === true,
    retentionDays: Math.min(Math.max(Math.trunc(days), 1), 3_650),
  };
}
