import {
  type DescEnum,
  type DescField,
  type DescMessage,
  type DescMethod,
  type FileRegistry,
  ScalarType,
} from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence as Presence } from "@bufbuild/protobuf/wkt";
import { fieldOptions } from "./options.ts";

/**
 * TypeScript types of every message as a plain object, and which of them each method takes and answers. A request has been
 * validated and completed when a module sees it: a field without presence is always there, and so is one that is required.
 */
export function messageTypes(registry: FileRegistry, packageName: string): string {
  const methods = [...registry.files]
    .filter((file) => file.proto.package === packageName)
    .flatMap((file) => file.services)
    .flatMap((service) => service.methods)
    .sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const messages = contained(methods.flatMap(({ input, output }) => [input, output]));
  // An update is laid over what is stored: its parts need not be complete.
  const updates = methods
    .map(({ input }) => input)
    .filter(({ fields }) => fields.some(({ name }) => name === "update_mask"));
  const partial = contained(updates.flatMap(({ fields }) => fields.flatMap(({ message }) => message ?? [])));
  return [
    "// Written by `npm run contract:build` from the .proto files.\n",
    ...[...messages]
      .sort((a, b) => (a.typeName < b.typeName ? -1 : 1))
      .map((message) => interfaceOf(registry, message, !partial.has(message))),
    mapOf("Requests", methods, ({ input }) => typeName(input)),
    mapOf("Answers", methods, ({ output }) => typeName(output)),
  ].join("\n");
}

function nameOf({ parent, name }: DescMethod): string {
  return `${parent.name}.${name}`;
}

function mapOf(name: string, methods: readonly DescMethod[], type: (method: DescMethod) => string): string {
  const members = methods.map((method) => `  readonly "${nameOf(method)}": ${type(method)};\n`);
  return `export interface ${name} {\n${members.join("")}}\n`;
}

function interfaceOf(registry: FileRegistry, message: DescMessage, complete: boolean): string {
  const members = message.fields.map((field) => {
    const { rules = {} } = fieldOptions(registry, field);
    const always =
      field.presence === Presence.IMPLICIT || field.fieldKind === "list" || field.fieldKind === "map";
    const optional = always || (rules.required === true && complete) ? "" : "?";
    return `  readonly ${field.name}${optional}: ${fieldType(field, rules)};\n`;
  });
  return `export interface ${typeName(message)} {\n${members.join("")}}\n`;
}

type Rules = Readonly<Record<string, unknown>>;

function fieldType(field: DescField, rules: Rules): string {
  switch (field.fieldKind) {
    case "list":
      return `readonly ${inBrackets(elementType(field, within(rules, "repeated", "items")))}[]`;
    case "map":
      return `Readonly<Record<string, ${elementType(field, within(rules, "map", "values"))}>>`;
    default:
      return elementType(field, rules);
  }
}

function elementType({ message, enum: names, scalar }: DescField, rules: Rules): string {
  if (message !== undefined) return known[message.typeName] ?? typeName(message);
  if (names !== undefined) return enumType(names, within(rules, "enum").not_in);
  const values = within(rules, "string").in;
  if (Array.isArray(values)) {
    const zero = rules.ignore === "IGNORE_IF_ZERO_VALUE" ? [""] : [];
    return [...values, ...zero].map((value) => JSON.stringify(value)).join(" | ");
  }
  return scalarType(scalar!);
}

function enumType({ values }: DescEnum, refused: unknown): string {
  const taken = values.filter(({ number }) => !(Array.isArray(refused) && refused.includes(number)));
  return taken.map(({ name }) => JSON.stringify(name)).join(" | ");
}

/** bytes are base64; 64-bit integers are numbers, as a double holds them. */
function scalarType(scalar: ScalarType): string {
  switch (scalar) {
    case ScalarType.STRING:
    case ScalarType.BYTES:
      return "string";
    case ScalarType.BOOL:
      return "boolean";
    default:
      return "number";
  }
}

/** Messages of google.protobuf that the contract uses, as they are in plain messages. */
const known: Readonly<Record<string, string>> = {
  "google.protobuf.Timestamp": "string",
  "google.protobuf.FieldMask": "readonly string[]",
  "google.protobuf.Struct": "Readonly<Record<string, unknown>>",
  "google.protobuf.Value": "unknown",
};

/** `service.api.Pool.Status` is `Pool_Status`. */
function typeName({ typeName, file }: DescMessage): string {
  return typeName.slice(file.proto.package.length + 1).replaceAll(".", "_");
}

/** These messages and all that they contain; those of google.protobuf have types of their own. */
function contained(roots: readonly DescMessage[]): ReadonlySet<DescMessage> {
  const found = new Set(roots);
  // A set goes on over what is added meanwhile.
  for (const { fields } of found)
    for (const { message } of fields)
      if (message !== undefined && known[message.typeName] === undefined) found.add(message);
  return found;
}

function within(rules: Rules, ...path: readonly string[]): Rules {
  return path.reduce<Rules>((inner, part) => (inner[part] ?? {}) as Rules, rules);
}

function inBrackets(type: string): string {
  return type.includes(" ") ? `(${type})` : type;
}
