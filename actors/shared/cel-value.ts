import { limits } from "#base";

/**
 * A plain message value for CEL: safe integers become int, so that `item.priority == 1` holds. Bounded in size; `count` says how
 * many values it has, each of which takes about a step to convert.
 */
export function toCel(value: unknown): { value: unknown; count: number } {
  const budget = { values: limits.celValuesMax };
  const converted = convert(value, budget);
  return { value: converted, count: limits.celValuesMax - Math.max(0, budget.values) };
}

function convert(value: unknown, budget: { values: number }): unknown {
  // An expression over what was cut off fails at run time, which a rule counts as no match.
  if (--budget.values < 0) return null;
  if (typeof value === "string") return value.length > limits.celTextMax ? null : value;
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map((element) => convert(element, budget));
  if (typeof value !== "object" || value === null) return value ?? null;
  const map = new Map<string, unknown>();
  for (const [key, member] of Object.entries(value))
    if (member !== undefined) map.set(key, convert(member, budget));
  return map;
}
