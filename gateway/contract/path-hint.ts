import type { DescMessage } from "@bufbuild/protobuf";
import { limits, nearest } from "#base";
import { type FieldPlan, planOf } from "./field-plan.ts";

/** Of a path that names no field: the same path with the name that was probably meant, as the end of a reason. */
export function pathHint(desc: DescMessage, path: string, firstNames: readonly string[]): string {
  // A longer path is none of ours.
  if (path.length > limits.fieldPathLengthMax) return "";
  const parts = path.split(".");
  let names = firstNames;
  let message: DescMessage | undefined = desc;
  for (const [at, part] of parts.entries()) {
    const plan: FieldPlan | undefined = message && planOf(message).byName.get(part);
    if (plan === undefined) {
      const near = nearest(part, names);
      return near === undefined ? "" : `; did you mean ${parts.with(at, near).join(".")}?`;
    }
    message = plan.shape === "single" ? plan.field.message : undefined;
    names = message === undefined ? [] : planOf(message).fields.map(({ name }) => name);
  }
  return "";
}
