import type { DescMessage, FileRegistry } from "@bufbuild/protobuf";
import { oneofRequired } from "#protos";
import { type FieldPlan, messagesIn } from "../../contract/index.ts";
import type { Schema } from "../../contract/rules.ts";
import { type FieldSchema, fieldSchemas, wellKnownSchema } from "../../contract/schema.ts";
import { commentOf } from "../comments.ts";

/**
 * Schemas of messages, each written down once under `components.schemas` and referred to by name. A message that is
 * both asked for and answered has one schema: what an answer always has, a request may leave out.
 */
export class SchemaCollection {
  readonly schemas: Record<string, Schema> = {};
  readonly #registry: FileRegistry;
  readonly #asked: ReadonlySet<DescMessage>;
  readonly #at: string;
  readonly #fields = new Map<DescMessage, readonly FieldSchema[]>();

  /** `inputs`: every request message of the document; `at`: where references find the schemas. */
  constructor(registry: FileRegistry, inputs: Iterable<DescMessage>, at = "#/components/schemas/") {
    this.#at = at;
    this.#registry = registry;
    this.#asked = messagesIn(inputs);
  }

  /** A reference to a message as it is. */
  refer(desc: DescMessage): Schema {
    const known = wellKnownSchema(desc);
    if (known !== undefined) return documented(known);
    const name = nameOf(desc);
    if (this.schemas[name] === undefined) {
      // Before its own fields: a message may contain itself.
      this.schemas[name] = {};
      Object.assign(this.schemas[name], this.#object(desc, new Set()));
    }
    return { $ref: `${this.#at}${name}` };
  }

  /** A request body: the message without the fields that travel elsewhere. */
  body(desc: DescMessage, elsewhere: ReadonlySet<string>): Schema {
    if (elsewhere.size === 0) return this.refer(desc);
    const name = `${nameOf(desc).replace(/Request$/, "")}Body`;
    this.schemas[name] ??= this.#object(desc, elsewhere);
    return { $ref: `${this.#at}${name}` };
  }

  fields(desc: DescMessage): readonly FieldSchema[] {
    let fields = this.#fields.get(desc);
    if (fields === undefined) {
      fields = fieldSchemas(this.#registry, desc, (message) => this.refer(message)).map((field) => ({
        ...field,
        schema: documented(field.schema, isWide(field.plan)),
      }));
      this.#fields.set(desc, fields);
    }
    return fields;
  }

  #object(desc: DescMessage, without: ReadonlySet<string>): Schema {
    const asked = this.#asked.has(desc);
    const properties: Record<string, Schema> = {};
    const required: string[] = [];
    for (const entry of this.fields(desc)) {
      const { field, options, schema } = entry;
      if (without.has(field.name)) continue;
      const description = commentOf(field);
      properties[field.name] = {
        ...(asked ? schema : answered(schema)),
        ...(description === "" ? {} : { description }),
        ...(options.outputOnly ? { readOnly: true } : {}),
      };
      if (asked ? isRequired(entry) : entry.zero !== undefined) required.push(field.name);
    }
    const description = commentOf(desc);
    return {
      type: "object",
      ...(description === "" ? {} : { description }),
      properties,
      ...(required.length > 0 ? { required } : {}),
      ...(asked ? this.#exactlyOne(desc) : {}),
      ...(asked && desc.name.endsWith("Request") ? { additionalProperties: false } : {}),
    };
  }

  /** Of each group of which a request must have one. */
  #exactlyOne({ oneofs }: DescMessage): Schema {
    const groups = oneofs
      .filter((oneof) => oneofRequired(this.#registry, oneof))
      .map(({ fields }) => ({ oneOf: fields.map(({ name }) => ({ required: [name] })) }));
    return groups.length > 0 ? { allOf: groups } : {};
  }
}

function nameOf(desc: DescMessage): string {
  return desc.typeName.slice(desc.file.proto.package.length + 1).replaceAll(".", "_");
}

/** Nothing is answered with the value that stands for none. */
function answered(schema: Schema): Schema {
  if (!Array.isArray(schema.enum)) return schema;
  return { ...schema, enum: schema.enum.filter((value) => !String(value).endsWith("_UNSPECIFIED")) };
}

/** Must be sent: its zero value would be refused. */
export function isRequired({ required, schema, zero }: FieldSchema): boolean {
  if (required) return true;
  if (typeof zero === "string") {
    if (Number(schema.minLength ?? 0) > 0) return true;
    if (typeof schema.pattern === "string" && !new RegExp(schema.pattern, "u").test(zero)) return true;
    return Array.isArray(schema.enum) && !schema.enum.includes(zero);
  }
  if (typeof zero === "number") return Number(schema.minimum ?? 0) > 0;
  return Array.isArray(zero) && Number(schema.minItems ?? 0) > 0;
}

/** From what the validator needs to what readers know: formats of OpenAPI instead of bounds of a type. */
function documented(schema: Schema, wide = false): Schema {
  const result: Schema = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === "format" && value === "timestamp") result.format = "date-time";
    else if (key === "format" && value === "base64") result.contentEncoding = "base64";
    else if (key === "maxBytes") result.maxLength ??= value;
    else if (key === "finiteNumbers") continue;
    else if (key === "if" || key === "else") Object.assign(result, key === "else" ? value : {});
    else if (key === "items" || key === "additionalProperties")
      result[key] = documented(value as Schema, wide);
    else if (!(key === "minimum" || key === "maximum") || !typeBounds.has(value as number))
      result[key] = value;
  }
  // Left out it means the same, but generators take such an object for one that is always empty.
  if (schema.type === "object") result.additionalProperties ??= true;
  if (schema.type === "integer") result.format = wide ? "int64" : "int32";
  return result;
}

const typeBounds = new Set([
  -2_147_483_648,
  2_147_483_647,
  4_294_967_295,
  Number.MIN_SAFE_INTEGER,
  Number.MAX_SAFE_INTEGER,
]);

function isWide({ element }: FieldPlan): boolean {
  return element.type === "scalar" && element.scalar.wide;
}
