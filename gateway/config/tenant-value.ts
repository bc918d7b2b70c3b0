import { isDeepStrictEqual } from "node:util";
import { asError } from "#base";
import { isKey, keys, settingOf } from "./load.ts";

/**
 * What is wrong with a tenant's own value of a setting. Values of tenants are JSON and stored as they come, so a text that a file
 * or a variable could have for a number, a flag or a list is refused.
 */
export function tenantValueProblem(name: string, value: unknown): string | undefined {
  const setting = isKey(name) ? settingOf(name) : undefined;
  if (setting?.dynamic !== "tenant") return `is no setting of tenants; those are ${tenantKeys.join(", ")}`;
  const { kind } = setting;
  try {
    return isDeepStrictEqual(kind.parse(value), value)
      ? undefined
      : `must be of type ${kind.name}, not ${typeof value === "string" ? "text" : typeof value}`;
  } catch (error) {
    return asError(error).message;
  }
}

const tenantKeys = keys.filter((key) => settingOf(key).dynamic === "tenant");
