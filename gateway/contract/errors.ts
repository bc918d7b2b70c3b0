import type { ErrorObject } from "ajv";
import { didYouMean } from "#base";
import { ulidPattern } from "./rules.ts";
import { setByService } from "./unsettable.ts";

/** What is wrong with a field, to be read after its name; `undefined` for an error that another one explains. */
export function errorReason(error: ErrorObject): string | undefined {
  const { keyword, params, schema } = error;
  switch (keyword) {
    case "if":
    case "propertyNames":
      return undefined;
    case "additionalProperties":
      return "is not a field of this message";
    case "false schema":
      return setByService;
    case "required":
      return "is required";
    case "finiteNumbers":
      return notFinite;
    case "type":
      if (typeof error.data === "number" && !Number.isFinite(error.data)) return notFinite;
      return `must be ${article(params.type)}`;
    case "enum":
      return `must be one of ${(params.allowedValues as unknown[]).join(", ")}`;
    case "const":
      return `must be ${JSON.stringify(params.allowedValue)}`;
    case "not":
      return "has a value that is not allowed";
    case "minLength":
      return schema === 1 ? "must not be empty" : `must have at least ${schema} characters`;
    case "maxLength":
      return `must have at most ${schema} characters`;
    case "maxBytes":
      return `must have at most ${schema} bytes`;
    case "minItems":
      return params.limit === 1 ? "must not be empty" : `must have at least ${params.limit} items`;
    case "maxItems":
      return `must have at most ${params.limit} items`;
    case "minProperties":
      return params.limit === 1 ? "must not be empty" : `must have at least ${params.limit} entries`;
    case "maxProperties":
      return `must have at most ${params.limit} entries`;
    case "uniqueItems":
      return "must not repeat an item";
    case "minimum":
      return `must be at least ${params.limit}`;
    case "maximum":
      return `must be at most ${params.limit}`;
    case "exclusiveMinimum":
      return `must be greater than ${params.limit}`;
    case "exclusiveMaximum":
      return `must be less than ${params.limit}`;
    case "pattern":
      return params.pattern === ulidPattern ? "must be a ULID" : `must match ${params.pattern}`;
    case "format":
      return formatReason(params.format);
    case "oneOfFields":
      return oneofReason(schema);
    default:
      return error.message ?? "is not valid";
  }
}

/** The field or value that the caller probably meant, as the end of a reason. */
export function errorHint({ keyword, params, parentSchema, data }: ErrorObject): string {
  if (keyword === "enum") return didYouMean(data, texts(params.allowedValues));
  if (keyword !== "additionalProperties") return "";
  const settable = Object.entries(parentSchema?.properties ?? {}).filter(([, schema]) => schema !== false);
  return didYouMean(
    params.additionalProperty,
    settable.map(([name]) => name),
  );
}

function texts(values: readonly unknown[]): string[] {
  return values.filter((value) => typeof value === "string");
}

/** JSON.parse takes 1e309 for Infinity; over protobuf it may be NaN as well. */
const notFinite = "must be a finite number that a double can hold (up to 1.79e308)";

function formatReason(format: unknown): string {
  if (format === "timestamp") return "must be an RFC 3339 time";
  return format === "base64" ? "must be base64" : `must be a valid ${format}`;
}

function oneofReason(schema: unknown): string {
  const { fields, required } = schema as { fields: readonly string[]; required: boolean };
  return `must have ${required ? "exactly" : "at most"} one of ${fields.join(", ")}`;
}

function article(type: unknown): string {
  return /^[aio]/.test(String(type)) ? `an ${type}` : `a ${type}`;
}
