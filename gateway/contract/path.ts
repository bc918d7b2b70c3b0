import type { DescMessage } from "@bufbuild/protobuf";
import type { ErrorObject } from "ajv";
import { type FieldPlan, planOf } from "./field-plan.ts";
import { pathOfNonFinite } from "./json-value.ts";

/** The proto path of the field an error is about: `config.backoff.max_ms`, `items[2].name`, `labels["a b"]`. */
export function fieldPath(desc: DescMessage, error: ErrorObject): string {
  const segments = error.instancePath === "" ? [] : error.instancePath.slice(1).split("/").map(unescaped);
  const last = memberNamed(error);
  if (last !== undefined) segments.push(last);

  let path = "";
  let message: DescMessage | undefined = desc;
  /** A list or a map: the next segment names an element of it. */
  let inside: FieldPlan | undefined;
  for (const segment of segments) {
    if (inside !== undefined) {
      path += inside.shape === "list" ? `[${segment}]` : `[${JSON.stringify(segment)}]`;
      message = inside.field.message;
      inside = undefined;
      continue;
    }
    path += path === "" ? segment : `.${segment}`;
    const plan: FieldPlan | undefined = message && planOf(message).byName.get(segment);
    const single: boolean = plan?.shape === "single";
    inside = single ? undefined : plan;
    message = single ? plan!.field.message : undefined;
  }
  return error.keyword === "finiteNumbers" ? path + (pathOfNonFinite(error.data) ?? "") : path;
}

/** Some errors are reported where the object is and mean one of its members. */
function memberNamed(error: ErrorObject): string | undefined {
  switch (error.keyword) {
    case "required":
      return error.params.missingProperty as string;
    case "additionalProperties":
      return error.params.additionalProperty as string;
    default:
      return error.propertyName;
  }
}

function unescaped(segment: string): string {
  return segment.replaceAll("~1", "/").replaceAll("~0", "~");
}
