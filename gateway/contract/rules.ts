import type { DescField, JsonValue } from "@bufbuild/protobuf";
import { isObject } from "#base";

export type Schema = Record<string, unknown>;

/** `buf.validate.FieldRules` as ProtoJSON. */
export type Rules = Readonly<Record<string, JsonValue>>;

/** The standard rules of one field as JSON Schema keywords, to be laid over the schema of its type. */
export function ruleKeywords(field: DescField, rules: Rules): Schema {
  const schema: Schema = {};
  for (const [name, value] of Object.entries(rules)) {
    switch (name) {
      case "required":
      case "ignore":
        break;
      case "repeated":
        Object.assign(schema, listKeywords(field, rulesIn(value)));
        break;
      case "map":
        Object.assign(schema, mapKeywords(field, rulesIn(value)));
        break;
      default:
        Object.assign(schema, valueKeywords(field, name, rulesIn(value)));
    }
  }
  return schema;
}

function listKeywords(field: DescField, rules: Rules): Schema {
  return each(field, rules, {
    min_items: (value) => ({ minItems: Number(value) }),
    max_items: (value) => ({ maxItems: Number(value) }),
    unique: (value) => (value === true ? { uniqueItems: true } : {}),
    items: (value) => ({ items: ruleKeywords(field, rulesIn(value)) }),
  });
}

function mapKeywords(field: DescField, rules: Rules): Schema {
  return each(field, rules, {
    min_pairs: (value) => ({ minProperties: Number(value) }),
    max_pairs: (value) => ({ maxProperties: Number(value) }),
    keys: (value) => ({ propertyNames: ruleKeywords(field, rulesIn(value)) }),
    values: (value) => ({ additionalProperties: ruleKeywords(field, rulesIn(value)) }),
  });
}

function valueKeywords(field: DescField, type: string, rules: Rules): Schema {
  if (type === "string") return each(field, rules, stringRules);
  if (type === "enum") return enumKeywords(field, rules);
  if (type === "bytes") return each(field, rules, byteRules);
  if (type === "bool") return each(field, rules, { const: (value) => ({ const: value }) });
  return each(field, rules, numberRules);
}

type RuleTable = Readonly<Record<string, (value: JsonValue) => Schema>>;

const stringRules: RuleTable = {
  const: (value) => ({ const: value }),
  in: (value) => ({ enum: value }),
  not_in: (value) => ({ not: { enum: value } }),
  len: (value) => ({ minLength: Number(value), maxLength: Number(value) }),
  min_len: (value) => ({ minLength: Number(value) }),
  max_len: (value) => ({ maxLength: Number(value) }),
  max_bytes: (value) => ({ maxBytes: Number(value) }),
  pattern: (value) => ({ pattern: value }),
  // As it is written inside; ids that come in lower case are brought to it before they are refused.
  ulid: (value) => (value === true ? { pattern: ulidPattern } : {}),
  uuid: (value) => (value === true ? { format: "uuid" } : {}),
  email: (value) => (value === true ? { format: "email" } : {}),
  hostname: (value) => (value === true ? { format: "hostname" } : {}),
  uri: (value) => (value === true ? { format: "uri" } : {}),
};

export const ulidPattern = "^[0-7][0-9A-HJKMNP-TV-Z]{25}$";

const numberRules: RuleTable = {
  const: (value) => ({ const: Number(value) }),
  in: (value) => ({ enum: listIn(value).map(Number) }),
  not_in: (value) => ({ not: { enum: listIn(value).map(Number) } }),
  lt: (value) => ({ exclusiveMaximum: Number(value) }),
  lte: (value) => ({ maximum: Number(value) }),
  gt: (value) => ({ exclusiveMinimum: Number(value) }),
  gte: (value) => ({ minimum: Number(value) }),
  // JSON has no other numbers, and the type says so for binary bodies.
  finite: () => ({}),
};

const byteRules: RuleTable = {
  // Four characters of base64 for every three bytes begun.
  max_len: (value) => ({ maxLength: Math.ceil(Number(value) / 3) * 4 }),
  min_len: (value) => ({ minLength: Math.ceil((Number(value) * 4) / 3) }),
};

function enumKeywords(field: DescField, rules: Rules): Schema {
  const values = field.enum!.values;
  const namesWhere = (accept: (number: JsonValue) => boolean) => ({
    enum: values.filter((value) => accept(value.number)).map((value) => value.name),
  });
  return each(field, rules, {
    // The type's own list of names says that already.
    defined_only: () => ({}),
    const: (value) => namesWhere((number) => number === value),
    in: (value) => namesWhere((number) => listIn(value).includes(number)),
    not_in: (value) => namesWhere((number) => !listIn(value).includes(number)),
  });
}

function rulesIn(value: JsonValue): Rules {
  return isObject(value) ? value : {};
}

function listIn(value: JsonValue): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

/** A rule we cannot translate must not be silently without effect. */
function each(field: DescField, rules: Rules, table: RuleTable): Schema {
  const schema: Schema = {};
  for (const [name, value] of Object.entries(rules)) {
    const translate = table[name];
    if (translate === undefined) throw new Error(`${field}: the rule ${name} has no JSON Schema form`);
    Object.assign(schema, translate(value));
  }
  return schema;
}
