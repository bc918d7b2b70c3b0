import type { ContractMethod } from "../../contract/index.ts";
import { type Parameters, refuseIfAny } from "./query.ts";

/** The field that a query parameter of this method sets; a list has names of its own for its page. */
export function fieldNameOf(method: ContractMethod): (parameter: string) => string | undefined {
  return method.pagination?.convention === "cursor" ? cursorName : sameName;
}

/** Bounds are the contract's business; that both were given shows only here, and a whole number that no number can hold. */
export function pageParameters(method: ContractMethod, parameters: Parameters): Parameters {
  if (method.pagination?.convention !== "cursor") return parameters;
  const names = parameters.map(([name]) => name);
  if (names.includes("cursor") && names.includes("offset"))
    refuseIfAny([{ field: "offset", reason: "must not be combined with cursor" }]);
  return parameters.map(([name, value]) => [
    name,
    name === "limit" || name === "offset" ? held(value) : value,
  ]);
}

function held(value: string): string {
  if (!/^-?\d{16,}$/.test(value)) return value;
  return String(value.startsWith("-") ? Number.MIN_SAFE_INTEGER : Number.MAX_SAFE_INTEGER);
}

const sameName = (parameter: string) => parameter;

function cursorName(parameter: string): string | undefined {
  switch (parameter) {
    case "limit":
      return "page_size";
    case "cursor":
      return "page_token";
    case "page_size":
    case "page_token":
      return undefined;
    default:
      return parameter;
  }
}
