import type { DescEnum, DescField, DescMessage } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence as Presence } from "@bufbuild/protobuf/wkt";
import { isObject } from "#base";
import { type Scalar, scalars } from "./scalars.ts";

/**
 * What the fields of a message are. Everything that goes over messages is derived from it: checks, plain messages, JSON,
 * binary, merge patches, the OpenAPI document. Only this file asks protobuf-es for the kind of a field.
 */
interface MessagePlan {
  /** In the order of the contract. */
  readonly fields: readonly FieldPlan[];
  readonly byName: ReadonlyMap<string, FieldPlan>;
}

export interface FieldPlan {
  readonly name: string;
  readonly field: DescField;
  readonly shape: Shape;
  /** Of the value, of the items of a list, of the values of a map. */
  readonly element: Element;
  /** Of the keys of a map. */
  readonly key: Scalar | undefined;
  /** Makes the plain value of an absent field, where absent and zero are the same. Lists and maps are new each time. */
  readonly zero: (() => unknown) | undefined;
  /** Of a list: binary, all items stand in one piece. */
  readonly packed: boolean;
  /** JSON null is a value of google.protobuf.Value, and means "not set" everywhere else. */
  readonly acceptsNull: boolean;
}

export type Shape = "single" | "list" | "map";

export type Element =
  | { readonly type: "scalar"; readonly scalar: Scalar }
  | ({ readonly type: "enum" } & EnumNames)
  | { readonly type: "message"; readonly message: DescMessage }
  /** A message with one scalar `value`; plain, it is that scalar. */
  | { readonly type: "wrapper"; readonly message: DescMessage; readonly scalar: Scalar }
  /** A message of google.protobuf with a plain form of its own. */
  | { readonly type: "known"; readonly message: DescMessage };

export interface EnumNames {
  readonly names: ReadonlyMap<number, string>;
  readonly numbers: ReadonlyMap<string, number>;
}

export function planOf(desc: DescMessage): MessagePlan {
  let plan = plans.get(desc);
  if (plan === undefined) {
    const fields = desc.fields.map(fieldPlan);
    plan = { fields, byName: new Map(fields.map((field) => [field.name, field])) };
    plans.set(desc, plan);
  }
  return plan;
}

export function messageElement(message: DescMessage): Element {
  const { name, package: own } = message.file.proto;
  if (name === "google/protobuf/wrappers.proto")
    return { type: "wrapper", message, scalar: scalars[message.fields[0]!.scalar!] };
  // Empty is a message like others, without fields.
  const known = own === "google.protobuf" && message.typeName !== "google.protobuf.Empty";
  return { type: known ? "known" : "message", message };
}

/** The value of a scalar or an enum that is not there. */
export function zeroElement(element: Element): unknown {
  switch (element.type) {
    case "scalar":
    case "wrapper":
      return element.scalar.zero;
    case "enum":
      return element.names.get(0) ?? 0;
    case "message":
    case "known":
      return undefined;
  }
}

/** All messages that these contain, themselves included. */
export function messagesIn(roots: Iterable<DescMessage>): ReadonlySet<DescMessage> {
  const found = new Set(roots);
  // A set goes on over what is added meanwhile.
  for (const { fields } of found) for (const { message } of fields) if (message) found.add(message);
  return found;
}

/** Puts what `one` makes of each element in its place. A value of another shape stays: validation refuses it. */
export function replaceElements(shape: Shape, value: unknown, one: (element: unknown) => unknown): unknown {
  switch (shape) {
    case "single":
      return one(value);
    case "list":
      if (Array.isArray(value)) for (let i = 0; i < value.length; i++) value[i] = one(value[i]);
      return value;
    case "map":
      if (isObject(value)) {
        for (const key of Object.keys(value)) value[key] = one(value[key]);
      }
      return value;
  }
}

const plans = new WeakMap<DescMessage, MessagePlan>();

function fieldPlan(field: DescField): FieldPlan {
  const shape = field.fieldKind === "list" || field.fieldKind === "map" ? field.fieldKind : "single";
  const element = elementOf(field);
  return {
    name: field.name,
    field,
    shape,
    element,
    key: field.fieldKind === "map" ? scalars[field.mapKey] : undefined,
    zero: zeroOf(field, shape, element),
    packed: field.fieldKind === "list" && field.packed,
    acceptsNull:
      shape === "single" && element.type === "known" && element.message.typeName === "google.protobuf.Value",
  };
}

function elementOf(field: DescField): Element {
  if (field.message !== undefined) return messageElement(field.message);
  if (field.enum !== undefined) return { type: "enum", ...namesOf(field.enum) };
  return { type: "scalar", scalar: scalars[field.scalar!] };
}

const enums = new WeakMap<DescEnum, EnumNames>();

function namesOf(desc: DescEnum): EnumNames {
  let names = enums.get(desc);
  if (names === undefined) {
    names = {
      // Of two names of a number the first counts, as protobuf-es has it.
      names: new Map(desc.values.toReversed().map(({ number, name }) => [number, name])),
      numbers: new Map(desc.values.map(({ number, name }) => [name, number])),
    };
    enums.set(desc, names);
  }
  return names;
}

function zeroOf(field: DescField, shape: Shape, element: Element): FieldPlan["zero"] {
  if (shape === "list") return () => [];
  if (shape === "map") return () => ({});
  if (field.message !== undefined || field.presence !== Presence.IMPLICIT) return undefined;
  const zero = zeroElement(element);
  return () => zero;
}
