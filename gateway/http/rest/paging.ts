import type { ContractMethod } from "../../contract/index.ts";
import { type Parameters, refuseIfAny } from "./query.ts";

/** The field that a query parameter of this method sets; a list has names of its own for its page. */
export function fieldNameOf(method: ContractMethod): (parameter: string) => string | undefined {
  return method.pagination?.convention === "cursor" ? cursorName : sameName;
}

/** Bounds are the contract's business; that both were given shows only here. */
export function checkPage(method: ContractMethod, parameters: Parameters): void {
  if (method.pagination?.convention !== "cursor") return;
  const names = parameters.map(([name]) => name);
  if (names.includes("cursor") && names.includes("offset"))
    refuseIfAny([{ field: "offset", reason: "must not be combined with page_token" }]);
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
