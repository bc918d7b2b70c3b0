import type { DescMessage } from "@bufbuild/protobuf";
import { type FieldError, limits, shortened, splitPath } from "#base";
import { type FieldPlan, planOf } from "./field-plan.ts";
import { pathHint } from "./path-hint.ts";

/**
 * The first path of an update mask that names nothing: a typing error there would take effect as a reset of what stands above it,
 * or as nothing at all.
 */
export function maskErrors(
  desc: DescMessage,
  message: unknown,
  unsettable: (name: string) => string | undefined,
): readonly FieldError[] | undefined {
  const { update_mask } = message as { readonly update_mask?: readonly string[] };
  if (update_mask === undefined) return undefined;
  const unknown = update_mask.find((path) => !names(desc, splitPath(path)));
  if (unknown === undefined) return undefined;
  const name = shortened(unknown, limits.fieldPathLengthMax);
  const told = unsettable(unknown.split(".", 1)[0]!);
  const fields = planOf(desc).fields.map((plan) => plan.name);
  const reason = told ?? `is no field to update${pathHint(desc, unknown, fields)}`;
  return [{ field: "update_mask", reason: `names ${name}, which ${reason}` }];
}

function names(desc: DescMessage, parts: readonly string[] | undefined): boolean {
  if (parts === undefined) return false;
  const [name, ...rest] = parts;
  const plan = planOf(desc).byName.get(name!);
  if (plan === undefined) return false;
  return rest.length === 0 || namesInside(plan, rest);
}

function namesInside({ shape, field }: FieldPlan, rest: readonly string[]): boolean {
  const { message } = field;
  if (shape === "map") {
    const [, ...further] = rest;
    return further.length === 0 || (message !== undefined && names(message, further));
  }
  if (shape === "list" || message === undefined) return false;
  return message.typeName === "google.protobuf.Struct" || names(message, rest);
}
