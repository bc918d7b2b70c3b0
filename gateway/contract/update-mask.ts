import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { type FieldError, limits, shortened, splitPath } from "#base";

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
  const reason = unsettable(unknown.split(".", 1)[0]!) ?? "is no field to update";
  return [{ field: "update_mask", reason: `names ${name}, which ${reason}` }];
}

function names(desc: DescMessage, parts: readonly string[] | undefined): boolean {
  if (parts === undefined) return false;
  const [name, ...rest] = parts;
  const field = desc.fields.find((candidate) => candidate.name === name);
  if (field === undefined) return false;
  return rest.length === 0 || namesInside(field, rest);
}

function namesInside(field: DescField, rest: readonly string[]): boolean {
  if (field.fieldKind === "map") {
    const [, ...further] = rest;
    return further.length === 0 || (field.mapKind === "message" && names(field.message, further));
  }
  if (field.fieldKind !== "message") return false;
  return field.message.typeName === "google.protobuf.Struct" || names(field.message, rest);
}
