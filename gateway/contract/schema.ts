import { type DescField, type DescMessage, type FileRegistry, ScalarType } from "@bufbuild/protobuf";
import { limits } from "#base";
import { eventMessages, type FieldOptions, fieldOptions } from "#protos";
import { ruleKeywords, type Schema } from "./rules.ts";

/** How one message is described where another one contains it. */
export type Refer = (desc: DescMessage) => Schema;

export interface FieldSchema {
  readonly field: DescField;
  readonly options: FieldOptions;
  /** Of a value that is there. */
  readonly schema: Schema;
  /** The value of an absent field, where absent and zero are the same. */
  readonly zero: unknown;
  readonly required: boolean;
}

/** JSON Schemas of the fields of a message in its plain shape, with the `buf.validate` rules in them. */
export function fieldSchemas(registry: FileRegistry, desc: DescMessage, refer: Refer): FieldSchema[] {
  return desc.fields.map((field) => {
    const options = fieldOptions(registry, field);
    const zero = zeroOf(field);
    const rules = options.rules ?? {};
    const type = typeSchema(field, refer);
    const keywords = { ...ruleKeywords(field, rules), ...(options.eventKind && eventKeywords(registry)) };
    const required = rules.required === true;
    const schema =
      rules.ignore === "IGNORE_IF_ZERO_VALUE"
        ? { ...type, if: { const: zero }, else: keywords }
        : laid(type, keywords);
    if (required && zero !== undefined) Object.assign(schema, notEmpty(field));
    return { field, options, schema, zero, required: required && zero === undefined };
  });
}

/** Of a list of kinds of events: those that the contract declares, and what stands before their dots. */
function eventKeywords(registry: FileRegistry): Schema {
  const kinds = [...eventMessages(registry).keys()];
  const subjects = kinds.map((kind) => kind.slice(0, kind.indexOf(".")));
  return { items: { enum: [...new Set([...subjects, ...kinds])].sort() } };
}

/** What a plain message of a well-known type looks like; `undefined` for messages with fields of their own. */
export function wellKnownSchema(desc: DescMessage): Schema | undefined {
  if (desc.file.proto.name === "google/protobuf/wrappers.proto")
    return typeSchema(desc.fields[0]!, unexpected);
  return wellKnown[desc.typeName];
}

const wellKnown: Readonly<Record<string, Schema>> = {
  "google.protobuf.Timestamp": { type: "string", format: "timestamp" },
  "google.protobuf.Duration": { type: "string", pattern: "^-?\\d{1,12}(\\.\\d{1,9})?s$" },
  "google.protobuf.FieldMask": {
    type: "array",
    items: { type: "string", minLength: 1 },
    maxItems: limits.updateMaskPathsMax,
  },
  "google.protobuf.Struct": { type: "object", finiteNumbers: true },
  "google.protobuf.Value": { finiteNumbers: true },
  "google.protobuf.ListValue": { type: "array", finiteNumbers: true },
  "google.protobuf.Any": { type: "object" },
};

function typeSchema(field: DescField, refer: Refer): Schema {
  switch (field.fieldKind) {
    case "scalar":
      return scalarSchema(field.scalar);
    case "enum":
      return enumSchema(field);
    case "message":
      return refer(field.message);
    case "list":
      return { type: "array", items: elementSchema(field, refer) };
    case "map": {
      const keys =
        field.mapKey === ScalarType.STRING ? {} : { propertyNames: { pattern: "^(-?\\d+|true|false)$" } };
      return { type: "object", ...keys, additionalProperties: elementSchema(field, refer) };
    }
  }
}

function elementSchema(field: DescField, refer: Refer): Schema {
  if (field.message !== undefined) return refer(field.message);
  if (field.enum !== undefined) return enumSchema(field);
  return scalarSchema(field.scalar!);
}

function enumSchema(field: DescField): Schema {
  return { type: "string", enum: field.enum!.values.map((value) => value.name) };
}

function scalarSchema(type: ScalarType): Schema {
  switch (type) {
    case ScalarType.STRING:
      return { type: "string" };
    case ScalarType.BOOL:
      return { type: "boolean" };
    case ScalarType.BYTES:
      return { type: "string", format: "base64" };
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return { type: "number" };
    case ScalarType.INT32:
    case ScalarType.SINT32:
    case ScalarType.SFIXED32:
      return { type: "integer", minimum: -2_147_483_648, maximum: 2_147_483_647 };
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return { type: "integer", minimum: 0, maximum: 4_294_967_295 };
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
      return { type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
  }
}

/** Keywords over a type; those of elements go over the elements' own. */
function laid(type: Schema, keywords: Schema): Schema {
  const schema = { ...type, ...keywords };
  for (const part of ["items", "additionalProperties"]) {
    if (type[part] !== undefined && keywords[part] !== undefined) {
      schema[part] = { ...(type[part] as Schema), ...(keywords[part] as Schema) };
    }
  }
  return schema;
}

const implicitPresence = 2;

/** The plain value of an absent field, where absent and zero are the same. */
export function zeroOf(field: DescField): unknown {
  switch (field.fieldKind) {
    case "list":
      return [];
    case "map":
      return {};
    case "message":
      return undefined;
    case "enum":
      return field.presence === implicitPresence ? field.enum.values[0]!.name : undefined;
    case "scalar":
      if (field.presence !== implicitPresence) return undefined;
      if (field.scalar === ScalarType.STRING || field.scalar === ScalarType.BYTES) return "";
      return field.scalar === ScalarType.BOOL ? false : 0;
  }
}

function notEmpty(field: DescField): Schema {
  switch (field.fieldKind) {
    case "list":
      return { minItems: 1 };
    case "map":
      return { minProperties: 1 };
    default:
      return { not: { const: zeroOf(field) } };
  }
}

function unexpected(desc: DescMessage): never {
  throw new Error(`${desc.typeName} is not a scalar`);
}
