import type { ContractMethod } from "../../contract/index.ts";
import { type ParameterNames, type Parameters, refuseIfAny } from "./query.ts";

export function parameterNames({ pagination, descriptor }: ContractMethod): ParameterNames {
  const fields = () => descriptor.input.fields.map(({ name }) => name);
  if (pagination?.convention !== "cursor") return { fieldNameOf: (name) => name, names: fields };
  const names = () => ["limit", "cursor", ...fields().filter((name) => cursorName(name))];
  return { fieldNameOf: cursorName, names };
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
