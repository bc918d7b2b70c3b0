import { limits } from "#base";
import type { PoolConfig, PoolConfigInput } from "./pool-config.ts";

/**
 * Concurrency controls are known by their expressions, not by their places: one that is moved, or whose neighbour is taken
 * away, keeps its groups and its limit for the items that wait and work. These are the names of all that a pool has had;
 * the place of a name is the control's number.
 */
export function controlNames(known: readonly string[], config: PoolConfigInput): readonly string[] {
  const current = namesIn(config);
  const names = [...known];
  for (const name of current) {
    if (names.includes(name)) continue;
    if (names.length < limits.controlNamesMax) names.push(name);
    else names[names.findIndex((old) => !current.includes(old))] = name;
  }
  return names;
}

/** The settings as the router has them: every concurrency control with its number. */
export function numberControls(config: PoolConfig, names: readonly string[]): PoolConfig {
  const { admission } = config;
  if (!admission || admission.concurrency.length === 0) return config;
  const numbers = namesIn(config).map((name) => names.indexOf(name));
  const concurrency = admission.concurrency.map((control, index) => ({ ...control, no: numbers[index]! }));
  return { ...config, admission: { ...admission, concurrency } };
}

/** Two controls may have one expression, with different limits. */
function namesIn({ admission }: PoolConfigInput): string[] {
  const keys = (admission?.concurrency ?? []).map(({ key }) => key ?? "");
  return keys.map((key, index) => `${keys.slice(0, index).filter((other) => other === key).length}:${key}`);
}
