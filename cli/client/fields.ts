import { isMap, type Method, restName, type Schema } from "#protos/surface";
import type { Flag } from "../command.ts";
import type { Surface } from "./surface.ts";

/** A field of a request that a flag, or a word by position, sets. */
export interface Field {
  readonly path: readonly string[];
  /** Without dashes: `config.lease-seconds`. */
  readonly name: string;
  readonly schema: Schema;
  readonly required: boolean;
}

/** How deep the parts of a message have flags of their own; what is deeper is given as JSON. */
const depthMax = 3;

/** Every field of the request of a method, and the parts of those that are messages. */
export function fieldsOf(surface: Surface, method: Method): readonly Field[] {
  const schema = surface.schema(method.request);
  const top = Object.entries(schema.properties ?? {}).map(
    ([field, own]) => [restName(method, field), own] as const,
  );
  return top.flatMap(([field, own]) =>
    fieldAt(surface, [field], own, schema.required?.includes(field) ?? false),
  );
}

/** Given by position only; other fields by position have a flag too. */
export function isInAddress({ rest }: Method, { path: [name] }: Field): boolean {
  return rest!.path.includes(`{${name}}`);
}

function fieldAt(
  surface: Surface,
  path: readonly string[],
  given: Schema,
  required: boolean,
): readonly Field[] {
  const schema = surface.resolved(given);
  const name = path.join(".").replaceAll("_", "-");
  const own = { path, name, schema, required };
  if (schema.properties === undefined || path.length >= depthMax) return [own];
  const parts = Object.entries(schema.properties).flatMap(([field, part]) =>
    part.$ref !== undefined && part.$ref === given.$ref
      ? []
      : fieldAt(surface, [...path, field], part, false),
  );
  return [own, ...parts];
}

/** How a field is given, for the help. */
export function flagOf({ name, schema, required }: Field): Flag {
  const about = [schema.description, required ? "Needed." : undefined].filter(Boolean).join(" ");
  if (schema.type === "boolean") return { flag: `--${name}`, about, negated: true };
  const values = schema.enum ?? schema.items?.enum;
  const short = values !== undefined && values.length <= 20 ? { values } : {};
  return { flag: `--${name} <${kindOf(schema)}>`, about, many: isMany(schema), ...short };
}

function isMany(schema: Schema): boolean {
  return schema.type === "array" || isMap(schema);
}

function kindOf(schema: Schema): string {
  if (schema.ref !== undefined) return "name or id";
  if (schema.format === "date-time") return "time";
  if (schema.contentEncoding !== undefined) return "bytes";
  if (schema.enum !== undefined) return "value";
  if (isMap(schema)) return "name=value";
  switch (schema.type) {
    case "array":
      return kindOf(schema.items ?? {});
    case "string":
      return "text";
    case "integer":
    case "number":
      return "number";
    default:
      return "json";
  }
}
