import type { CallContext } from "../module.ts";

/**
 * What a setting that tenants may have a value of their own for says to this caller's tenant. A value of another type than the
 * installation's is not one: it counts as unset.
 */
export function tenantSetting<Value>(
  settings: Readonly<Record<string, unknown>>,
  { tenantSettings = {} }: Pick<CallContext, "tenantSettings">,
  name: string,
): Value {
  const usual = settings[name];
  const own = settings["dynamic_config.enabled"] === true ? tenantSettings[name] : undefined;
  return (isAlike(own, usual) ? own : usual) as Value;
}

function isAlike(own: unknown, usual: unknown): boolean {
  if (!Array.isArray(usual)) return typeof own === typeof usual;
  return Array.isArray(own) && own.every((item) => typeof item === "string");
}
