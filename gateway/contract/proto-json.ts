import { type DescMessage, fromJson, type JsonValue, type Registry } from "@bufbuild/protobuf";
import { AnySchema } from "@bufbuild/protobuf/wkt";
import { fromRfc3339, isObject } from "#base";
import { type Element, messageElement, planOf, replaceElements } from "./field-plan.ts";
import { toPlain } from "./plain.ts";
import type { Scalar } from "./scalars.ts";

/**
 * Turns what ProtoJSON allows into the plain shape, in place where it can: int64 as strings, enums as numbers, nulls,
 * other spellings of a time, JSON names (`poolId`) where `jsonNames` is set. What it does not understand it leaves as
 * it is, so that validation refuses it with the same words on every door.
 */
export function fromProtoJson(desc: DescMessage, json: unknown, options: ProtoJsonOptions = {}): unknown {
  return elementFrom(messageElement(desc), json, options);
}

export interface ProtoJsonOptions {
  readonly jsonNames?: boolean;
  /** Finds the types inside google.protobuf.Any. */
  readonly registry?: Registry;
}

function messageFrom(desc: DescMessage, json: unknown, options: ProtoJsonOptions): unknown {
  if (!isObject(json)) return json;
  const plain = json;
  for (const { name, field, shape, element, acceptsNull } of planOf(desc).fields) {
    const { jsonName } = field;
    if (options.jsonNames && jsonName !== name && Object.hasOwn(plain, jsonName)) {
      // Both spellings of one field: the JSON name stays, and is refused as unknown.
      if (Object.hasOwn(plain, name)) continue;
      plain[name] = plain[jsonName];
      delete plain[jsonName];
    }
    if (!Object.hasOwn(plain, name)) continue;
    const value = plain[name];
    if (value === undefined || (value === null && !acceptsNull)) delete plain[name];
    else if (shape === "single") plain[name] = elementFrom(element, value, options);
    else plain[name] = replaceElements(shape, value, (one) => elementFrom(element, one, options));
  }
  return plain;
}

function elementFrom(element: Element, value: unknown, options: ProtoJsonOptions): unknown {
  switch (element.type) {
    case "scalar":
    case "wrapper":
      return scalarFrom(element.scalar, value);
    case "enum":
      return typeof value === "number" ? (element.names.get(value) ?? value) : value;
    case "message":
      return messageFrom(element.message, value, options);
    case "known":
      return knownFrom[element.message.typeName]?.(value, options) ?? value;
  }
}

function scalarFrom({ plain }: Scalar, value: unknown): unknown {
  if (typeof value !== "string") return value;
  switch (plain) {
    case "text":
    case "boolean":
      return value;
    case "base64":
      return standardBase64(value);
    case "integer":
    case "number":
      return numeric.test(value) ? exactNumber(value) : value;
  }
}

const numeric = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/** A number that a double cannot hold exactly stays text, and is refused. */
function exactNumber(text: string): unknown {
  const number = Number(text);
  if (!Number.isFinite(number)) return text;
  return Number.isInteger(number) && !Number.isSafeInteger(number) ? text : number;
}

/** ProtoJSON takes base64 and base64url, with and without padding. */
function standardBase64(text: string): string {
  const standard = text.replaceAll("-", "+").replaceAll("_", "/").replace(/=+$/, "");
  return standard.padEnd(Math.ceil(standard.length / 4) * 4, "=");
}

/** Others have one spelling only. */
const knownFrom: Readonly<Record<string, (json: unknown, options: ProtoJsonOptions) => unknown>> = {
  "google.protobuf.Timestamp": timestampFrom,
  "google.protobuf.FieldMask": (json) =>
    typeof json === "string" ? (json.match(onePath) ?? []).map(snakeCase) : json,
  "google.protobuf.Any": (json, { registry }) => {
    if (registry === undefined || typeof json !== "object" || json === null || !("@type" in json))
      return json;
    return toPlain(AnySchema, fromJson(AnySchema, json as JsonValue, { registry }));
  },
};

function timestampFrom(json: unknown): unknown {
  const ms = typeof json === "string" ? fromRfc3339(json) : Number.NaN;
  return Number.isNaN(ms) ? json : new Date(ms).toISOString();
}

/** Up to the next comma; what stands in backquotes is the key of a map, whatever characters it has. */
const onePath = /(?:`(?:[^`]|``)*`|[^,])+/g;

/** `config.backoff.maxMs` and `config.backoff.max_ms` name the same field. */
function snakeCase(path: string): string {
  return path
    .trim()
    .replace(/`[^`]*`|[A-Z]/g, (found) => (found.startsWith("`") ? found : `_${found.toLowerCase()}`));
}
