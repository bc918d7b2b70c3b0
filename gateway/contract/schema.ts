import type { DescField, DescMessage, FileRegistry } from "@bufbuild/protobuf";
import { isObject, limits } from "#base";
import { eventMessages, type FieldOptions, fieldOptions } from "#protos";
import { type Element, type FieldPlan, messageElement, planOf } from "./field-plan.ts";
import { ruleKeywords, type Schema } from "./rules.ts";
import type { Scalar } from "./scalars.ts";

/** How one message is described where another one contains it. */
export type Refer = (desc: DescMessage) => Schema;

export interface FieldSchema {
  readonly plan: FieldPlan;
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
  return planOf(desc).fields.map((plan) => {
    const { field } = plan;
    const options = fieldOptions(registry, field);
    const zero = plan.zero?.();
    const rules = options.rules ?? {};
    const type = typeSchema(plan, refer);
    const keywords = { ...ruleKeywords(field, rules), ...(options.eventKind && eventKeywords(registry)) };
    const required = rules.required === true;
    const schema =
      rules.ignore === "IGNORE_IF_ZERO_VALUE"
        ? { ...type, if: { const: zero }, else: keywords }
        : laid(type, keywords);
    if (required && zero !== undefined) Object.assign(schema, notEmpty(plan));
    if (options.defaultNumber !== undefined) schema.default = options.defaultNumber;
    return { plan, field, options, schema, zero, required: required && zero === undefined };
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
  const element = messageElement(desc);
  return element.type === "wrapper" ? scalarSchema(element.scalar) : wellKnown[desc.typeName];
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

function typeSchema({ shape, element, key }: FieldPlan, refer: Refer): Schema {
  const one = elementSchema(element, refer);
  switch (shape) {
    case "single":
      return one;
    case "list":
      return { type: "array", items: one };
    case "map": {
      const keys = key!.plain === "text" ? {} : { propertyNames: { pattern: "^(-?\\d+|true|false)$" } };
      return { type: "object", ...keys, additionalProperties: one };
    }
  }
}

function elementSchema(element: Element, refer: Refer): Schema {
  switch (element.type) {
    case "scalar":
      return scalarSchema(element.scalar);
    case "enum":
      return { type: "string", enum: [...element.numbers.keys()] };
    case "message":
    case "wrapper":
    case "known":
      return refer(element.message);
  }
}

function scalarSchema({ plain, least, most }: Scalar): Schema {
  switch (plain) {
    case "text":
      return { type: "string" };
    case "base64":
      return { type: "string", format: "base64" };
    case "integer":
      return { type: "integer", minimum: least, maximum: most };
    case "boolean":
    case "number":
      return { type: plain };
  }
}

/** Keywords over a type; those of elements go over the elements' own. */
function laid(type: Schema, keywords: Schema): Schema {
  const schema = { ...type, ...keywords };
  for (const part of ["items", "additionalProperties"]) {
    const [own, over] = [type[part], keywords[part]];
    if (isObject(own) && isObject(over)) schema[part] = { ...own, ...over };
  }
  return schema;
}

function notEmpty({ shape, zero }: FieldPlan): Schema {
  switch (shape) {
    case "single":
      return { not: { const: zero?.() } };
    case "list":
      return { minItems: 1 };
    case "map":
      return { minProperties: 1 };
  }
}
