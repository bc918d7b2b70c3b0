import { limits } from "#base";

/** A plain message value for CEL: safe integers become int, so that `item.priority == 1` holds. Bounded in size. */
export function toCel(value: unknown): unknown {
  const budget = { values: limits.celValuesMax };
  return convert(value, budget);
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
