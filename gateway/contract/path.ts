import type { DescField, DescMessage } from "@bufbuild/protobuf";
import type { ErrorObject } from "ajv";
import { pathOfNonFinite } from "./json-value.ts";

/** The proto path of the field an error is about: `config.backoff.max_ms`, `items[2].name`, `labels["a b"]`. */
export function fieldPath(desc: DescMessage, error: ErrorObject): string {
  const segments = error.instancePath === "" ? [] : error.instancePath.slice(1).split("/").map(unescaped);
  const last = memberNamed(error);
  if (last !== undefined) segments.push(last);

  let path = "";
  let message: DescMessage | undefined = desc;
  let inside: DescField | undefined;
  for (const segment of segments) {
    if (inside?.fieldKind === "list") {
      path += `[${segment}]`;
      message = inside.message;
      inside = undefined;
    } else if (inside?.fieldKind === "map") {
      path += `[${JSON.stringify(segment)}]`;
      message = inside.message;
      inside = undefined;
    } else {
      path += path === "" ? segment : `.${segment}`;
      const field: DescField | undefined = message?.fields.find((candidate) => candidate.name === segment);
      inside = field?.fieldKind === "list" || field?.fieldKind === "map" ? field : undefined;
      message = field?.fieldKind === "message" ? field.message : undefined;
    }
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
