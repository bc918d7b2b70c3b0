import {
  type DescField,
  type DescMessage,
  fromJson,
  type JsonValue,
  type Registry,
  ScalarType,
} from "@bufbuild/protobuf";
import { AnySchema } from "@bufbuild/protobuf/wkt";
import { toPlain } from "./plain.ts";

/**
 * Turns what ProtoJSON allows into the plain shape, in place where it can: int64 as strings, enums as numbers, nulls,
 * other spellings of a time, JSON names (`poolId`) where `jsonNames` is set. What it does not understand it leaves as
 * it is, so that validation refuses it with the same words on every door.
 */
export function fromProtoJson(desc: DescMessage, json: unknown, options: ProtoJsonOptions = {}): unknown {
  return messageFrom(desc, json, options);
}

export interface ProtoJsonOptions {
  readonly jsonNames?: boolean;
  /** Finds the types inside google.protobuf.Any. */
  readonly registry?: Registry;
}

function messageFrom(desc: DescMessage, json: unknown, options: ProtoJsonOptions): unknown {
  const special = specialFrom[desc.typeName];
  if (special !== undefined) return special(json, options);
  if (desc.file.proto.name === "google/protobuf/wrappers.proto")
    return fieldFrom(desc.fields[0]!, json, options);
  if (typeof json !== "object" || json === null || Array.isArray(json)) return json;
  const plain = json as Record<string, unknown>;
  for (const field of desc.fields) {
    if (options.jsonNames && field.jsonName !== field.name && Object.hasOwn(plain, field.jsonName)) {
      // Both spellings of one field: the JSON name stays, and is refused as unknown.
      if (Object.hasOwn(plain, field.name)) continue;
      plain[field.name] = plain[field.jsonName];
      delete plain[field.jsonName];
    }
    if (!Object.hasOwn(plain, field.name)) continue;
    const value = plain[field.name];
    if (value === undefined || (value === null && !takesNull(field))) delete plain[field.name];
    else plain[field.name] = fieldFrom(field, value, options);
  }
  return plain;
}

function takesNull(field: DescField): boolean {
  return field.fieldKind === "message" && field.message.typeName === "google.protobuf.Value";
}

function fieldFrom(field: DescField, value: unknown, options: ProtoJsonOptions): unknown {
  switch (field.fieldKind) {
    case "list":
      if (Array.isArray(value)) {
        for (let i = 0; i < value.length; i++) value[i] = elementFrom(field, value[i], options);
      }
      return value;
    case "map":
      if (typeof value === "object" && value !== null && !Array.isArray(value)) {
        const map = value as Record<string, unknown>;
        for (const key of Object.keys(map)) map[key] = elementFrom(field, map[key], options);
      }
      return value;
    default:
      return elementFrom(field, value, options);
  }
}

function elementFrom(field: DescField, value: unknown, options: ProtoJsonOptions): unknown {
  if (field.message !== undefined) return messageFrom(field.message, value, options);
  if (field.enum !== undefined) {
    return typeof value === "number" ? (field.enum.value[value]?.name ?? value) : value;
  }
  if (field.scalar === ScalarType.BYTES) return typeof value === "string" ? standardBase64(value) : value;
  if (field.scalar === ScalarType.STRING || field.scalar === ScalarType.BOOL) return value;
  return typeof value === "string" && numeric.test(value) ? exactNumber(value) : value;
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

const anything = (json: unknown) => json;

const specialFrom: Readonly<Record<string, (json: unknown, options: ProtoJsonOptions) => unknown>> = {
  "google.protobuf.Timestamp": timestampFrom,
  "google.protobuf.Duration": anything,
  "google.protobuf.Struct": anything,
  "google.protobuf.Value": anything,
  "google.protobuf.ListValue": anything,
  "google.protobuf.FieldMask": (json) =>
    typeof json === "string" ? (json.match(onePath) ?? []).map(snakeCase) : json,
  "google.protobuf.Any": (json, { registry }) => {
    if (registry === undefined || typeof json !== "object" || json === null || !("@type" in json))
      return json;
    return toPlain(AnySchema, fromJson(AnySchema, json as JsonValue, { registry }));
  },
};

function timestampFrom(json: unknown): unknown {
  if (typeof json !== "string" || !rfc3339.test(json) || !isDate(json)) return json;
  const ms = Date.parse(json.replace(/(\.\d{3})\d+/, "$1").toUpperCase());
  return Number.isNaN(ms) ? json : new Date(ms).toISOString();
}

/** JavaScript takes 30 February for 1 March; nobody who writes it means that. */
export function isDate(text: string): boolean {
  const year = Number(text.slice(0, 4));
  const month = Number(text.slice(5, 7));
  const day = Number(text.slice(8, 10));
  return year > 0 && day >= 1 && (day <= 28 || day <= new Date(Date.UTC(year, month, 0)).getUTCDate());
}

const rfc3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/;

/** Up to the next comma; what stands in backquotes is the key of a map, whatever characters it has. */
const onePath = /(?:`(?:[^`]|``)*`|[^,])+/g;

/** `config.backoff.maxMs` and `config.backoff.max_ms` name the same field. */
function snakeCase(path: string): string {
  return path
    .trim()
    .replace(/`[^`]*`|[A-Z]/g, (found) => (found.startsWith("`") ? found : `_${found.toLowerCase()}`));
}
