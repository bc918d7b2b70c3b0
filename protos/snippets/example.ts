import type { Fields, Method, Schema, Surface } from "../surface/index.ts";
import { isUpload } from "../surface/index.ts";

export interface Example {
  readonly request: Fields;
  readonly headers: Readonly<Record<string, string>>;
}

/** A request of a method that is valid as it stands: what the contract has for it, and what is needed beside. */
export function exampleOf({ schemas }: Pick<Surface, "schemas">, method: Method): Example {
  const { properties = {}, required = [] } = schemas[method.request]!;
  const inPath = [...method.rest!.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const needed = method.rest!.body === undefined ? [...new Set([...inPath, ...required])] : inPath;
  const sample = (name: string): unknown => sampleOf(name, properties[name]!, method);
  return {
    request: {
      ...Object.fromEntries(needed.map((name) => [name, sample(name)])),
      ...method.example,
      ...(isUpload(method) && { data: "aGVsbG8=" }),
    },
    headers: Object.fromEntries((method.headers ?? []).map((name) => [name, stemOf(name)])),
  };
}

function sampleOf(name: string, schema: Schema, method: Method): unknown {
  const { type, format, enum: values, items, pattern = "", minimum = 1 } = schema;
  if (values !== undefined) return values[0];
  if (format === "date-time") return "2026-01-31T12:00:00Z";
  if (type === "array") return [sampleOf(name, items ?? {}, method)];
  if (type === "integer") return Math.max(1, minimum);
  const found = [
    `${stemOf(name)}_1`,
    "01J9ZC5T8N4W0QK7V3M2B6XH1D",
    `g_${"0".repeat(32)}`,
    `sha256:${"0".repeat(64)}`,
  ].find((text) => new RegExp(pattern).test(text));
  if (type === "string" && found !== undefined) return found;
  throw new TypeError(`${method.id} needs an example: ${name} is not known by its form`);
}

/** `consumer` of `consumer_id`, `object_receipt` of `X-Object-Receipt`. */
function stemOf(name: string): string {
  return name.toLowerCase().replace(/^x-/, "").replaceAll("-", "_").replace(/_id$/, "");
}
