import type { DescMessage, FileRegistry } from "@bufbuild/protobuf";
import { fieldOptions } from "#protos";
import { planOf } from "./field-plan.ts";

/**
 * Why a request does not take a field that the resource in its answer has, to be read after its name; `undefined` for a name
 * that the resource does not have, or that it takes elsewhere.
 */
export function unsettableReason(
  registry: FileRegistry,
  resource: DescMessage,
  name: string,
): string | undefined {
  const plan = planOf(resource).byName.get(name);
  if (plan === undefined) return undefined;
  const { changedBy, outputOnly } = fieldOptions(registry, plan.field);
  if (changedBy.length > 0) return `is not set by this call: it is changed by ${changedBy.join(" and ")}`;
  return outputOnly ? setByService : undefined;
}

export const setByService = "is set by the service and cannot be given";
