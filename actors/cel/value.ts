import { isCelList, isCelMap, isCelUint } from "@bufbuild/cel";
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

/** The JSON value of what an expression answers: numbers beyond what JSON holds exactly are refused, as is what JSON has no word for. */
export function plainOf(result: unknown): { readonly value: unknown } | { readonly error: string } {
  const wrong: string[] = [];
  const value = plain(result, wrong);
  return wrong.length > 0 ? { error: wrong[0]! } : { value };
}

function plain(value: unknown, wrong: string[]): unknown {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : fail(wrong, `${value}`);
  if (typeof value === "bigint")
    return Number.isSafeInteger(Number(value)) ? Number(value) : fail(wrong, `the number ${value}`);
  if (isCelUint(value)) return plain(value.value, wrong);
  if (isCelList(value)) return [...value].map((element) => plain(element, wrong));
  if (isCelMap(value))
    return Object.fromEntries([...value].map(([key, member]) => [keyOf(key), plain(member, wrong)]));
  return fail(wrong, "a time, bytes or a type; use string(…)");
}

function keyOf(key: unknown): string {
  return isCelUint(key) ? String(key.value) : String(key);
}

function fail(wrong: string[], what: string): null {
  wrong.push(`JSON cannot hold ${what}`);
  return null;
}
