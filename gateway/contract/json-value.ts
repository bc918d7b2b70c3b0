import type { ListValue, Struct, Value } from "@bufbuild/protobuf/wkt";
import { refuseProtoKey } from "./proto-key.ts";

/** google.protobuf.Value as plain JSON. Numbers that JSON does not have pass: validation names their field. */
export function valueToPlain({ kind }: Value): unknown {
  switch (kind.case) {
    case "structValue":
      return structToPlain(kind.value);
    case "listValue":
      return listToPlain(kind.value);
    case "nullValue":
    case undefined:
      return null;
    default:
      return kind.value;
  }
}

export function listToPlain({ values }: ListValue): unknown[] {
  return values.map(valueToPlain);
}

export function structToPlain({ fields }: Struct): Record<string, unknown> {
  const plain: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields)) {
    refuseProtoKey(key);
    plain[key] = valueToPlain(value);
  }
  return plain;
}

/**
 * The path inside a JSON value (`.rates[2]`) of the first number that is not finite, or `undefined`. JSON.parse reads
 * `1e309` as Infinity, and protobuf carries NaN; no door could print either.
 */
export function pathOfNonFinite(value: unknown): string | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? undefined : "";
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const inner = pathOfNonFinite(value[index]);
      if (inner !== undefined) return `[${index}]${inner}`;
    }
    return undefined;
  }
  for (const key of Object.keys(value)) {
    const inner = pathOfNonFinite((value as Record<string, unknown>)[key]);
    if (inner !== undefined) return (plainName.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`) + inner;
  }
  return undefined;
}

const plainName = /^\w+$/;
