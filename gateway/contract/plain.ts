import {
  create,
  type DescEnum,
  type DescField,
  type DescMessage,
  type DescOneof,
  fromJson,
  type JsonValue,
  type Message,
  ScalarType,
} from "@bufbuild/protobuf";
import { base64Decode, base64Encode } from "@bufbuild/protobuf/wire";
import {
  type Any,
  type Duration,
  type FieldMask,
  type ListValue,
  ListValueSchema,
  type Struct,
  StructSchema,
  type Timestamp,
  type Value,
  ValueSchema,
} from "@bufbuild/protobuf/wkt";
import { listToPlain, structToPlain, valueToPlain } from "./json-value.ts";
import { refuseProtoKey, withCheckedKeys } from "./proto-key.ts";

/**
 * A message in the process is a plain object: proto names, int64 as numbers, enums as names, Timestamps as RFC 3339
 * strings, field masks as lists of proto paths, Struct and Value as plain JSON, bytes as base64. Binary bodies pass
 * through protobuf-es into that shape and out of it.
 */
export function toPlain(desc: DescMessage, message: Message): unknown {
  return codecOf(desc).toPlain(message);
}

/** Trusts its input: validate first. A member that is undefined or null is left unset. */
export function fromPlain(desc: DescMessage, plain: unknown): Message {
  return codecOf(desc).fromPlain(plain) as Message;
}

/** Between the value protobuf-es holds in a field and the plain one. */
interface Codec {
  toPlain(value: unknown): unknown;
  fromPlain(plain: unknown): unknown;
}

const codecs = new WeakMap<DescMessage, Codec>();

function codecOf(desc: DescMessage): Codec {
  let codec = codecs.get(desc);
  if (codec === undefined) {
    codec = wellKnown[desc.typeName] ?? messageCodec(desc);
    codecs.set(desc, codec);
  }
  return codec;
}

function messageCodec(desc: DescMessage): Codec {
  let members: readonly Member[] | undefined;
  // Made at first use: a message may contain itself.
  const compiled = () => {
    members ??= desc.members.map(memberOf);
    return members;
  };
  return {
    toPlain(value) {
      const plain: Record<string, unknown> = {};
      for (const member of compiled()) member.toPlain(value as Record<string, unknown>, plain);
      return plain;
    },
    fromPlain(plain) {
      const message = create(desc) as unknown as Record<string, unknown>;
      for (const member of compiled()) member.fromPlain(plain as Record<string, unknown>, message);
      return message;
    },
  };
}

interface Member {
  toPlain(message: Record<string, unknown>, plain: Record<string, unknown>): void;
  fromPlain(plain: Record<string, unknown>, message: Record<string, unknown>): void;
}

function memberOf(member: DescField | DescOneof): Member {
  return member.kind === "oneof" ? oneofMember(member) : fieldMember(member);
}

function fieldMember(field: DescField): Member {
  const { name, localName } = field;
  const codec = fieldCodec(field);
  return {
    toPlain(message, plain) {
      const value = message[localName];
      if (value !== undefined) plain[name] = codec.toPlain(value);
    },
    fromPlain(plain, message) {
      const value = plain[name];
      if (value !== undefined && value !== null) message[localName] = codec.fromPlain(value);
      else if (value === null && isJsonValue(field)) message[localName] = codec.fromPlain(value);
    },
  };
}

function oneofMember(oneof: DescOneof): Member {
  const byCase = new Map(oneof.fields.map((field) => [field.localName, { field, codec: fieldCodec(field) }]));
  return {
    toPlain(message, plain) {
      const chosen = message[oneof.localName] as { case?: string; value?: unknown } | undefined;
      if (chosen?.case === undefined) return;
      const { field, codec } = byCase.get(chosen.case)!;
      plain[field.name] = codec.toPlain(chosen.value);
    },
    fromPlain(plain, message) {
      for (const [localName, { field, codec }] of byCase) {
        const value = plain[field.name];
        if (value === undefined || (value === null && !isJsonValue(field))) continue;
        message[oneof.localName] = { case: localName, value: codec.fromPlain(value) };
      }
    },
  };
}

/** JSON null is a value of google.protobuf.Value, and nothing anywhere else. */
function isJsonValue(field: DescField): boolean {
  return field.fieldKind === "message" && field.message.typeName === "google.protobuf.Value";
}

function fieldCodec(field: DescField): Codec {
  switch (field.fieldKind) {
    case "scalar":
      return scalarCodec(field.scalar);
    case "enum":
      return enumCodec(field.enum);
    case "message":
      return singularMessageCodec(field);
    case "list": {
      const item =
        field.listKind === "scalar"
          ? scalarCodec(field.scalar)
          : field.listKind === "enum"
            ? enumCodec(field.enum)
            : elementCodec(field.message);
      return {
        toPlain: (value) => (value as unknown[]).map(item.toPlain),
        fromPlain: (plain) => (plain as unknown[]).map(item.fromPlain),
      };
    }
    case "map": {
      const value =
        field.mapKind === "scalar"
          ? scalarCodec(field.scalar)
          : field.mapKind === "enum"
            ? enumCodec(field.enum)
            : elementCodec(field.message);
      return { toPlain: mapEntries(value.toPlain), fromPlain: mapEntries(value.fromPlain) };
    }
  }
}

function mapEntries(convert: (value: unknown) => unknown) {
  return (map: unknown) => {
    const result: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(map as object)) {
      refuseProtoKey(key);
      result[key] = convert(value);
    }
    return result;
  };
}

function singularMessageCodec(field: DescField & { fieldKind: "message" }): Codec {
  const wrapped = wrappedField(field.message);
  // protobuf-es keeps the bare value of a wrapper, except in a oneof.
  if (wrapped !== undefined && field.oneof === undefined) return fieldCodec(wrapped);
  return elementCodec(field.message);
}

function elementCodec(desc: DescMessage): Codec {
  // protobuf-es keeps a Struct in a field as plain JSON already.
  if (desc.typeName === "google.protobuf.Struct") return structInField;
  const wrapped = wrappedField(desc);
  if (wrapped === undefined) return codecOf(desc);
  const inner = fieldCodec(wrapped);
  return {
    toPlain: (value) => inner.toPlain((value as { value: unknown }).value),
    fromPlain: (plain) => ({ $typeName: desc.typeName, value: inner.fromPlain(plain) }),
  };
}

function wrappedField(desc: DescMessage): DescField | undefined {
  return desc.file.proto.name === "google/protobuf/wrappers.proto" ? desc.fields[0] : undefined;
}

const structInField: Codec = { toPlain: withCheckedKeys, fromPlain: (plain) => plain };

const identity: Codec = { toPlain: (value) => value, fromPlain: (plain) => plain };

function scalarCodec(type: ScalarType): Codec {
  switch (type) {
    case ScalarType.INT64:
    case ScalarType.UINT64:
    case ScalarType.SINT64:
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
      return { toPlain: Number, fromPlain: (plain) => BigInt(plain as number) };
    case ScalarType.BYTES:
      return {
        toPlain: (value) => base64Encode(value as Uint8Array),
        fromPlain: (plain) => base64Decode(plain as string),
      };
    default:
      return identity;
  }
}

function enumCodec(desc: DescEnum): Codec {
  const numbers = new Map(desc.values.map((value) => [value.name, value.number]));
  return {
    // A number without a name stays a number, so that validation names it.
    toPlain: (value) => desc.value[value as number]?.name ?? value,
    fromPlain: (plain) => numbers.get(plain as string) ?? plain,
  };
}

const wellKnown: Readonly<Record<string, Codec>> = {
  "google.protobuf.Timestamp": {
    toPlain(value) {
      const { seconds, nanos } = value as Timestamp;
      const ms = Number(seconds) * 1_000 + Math.floor(nanos / 1_000_000);
      return Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : String(seconds);
    },
    fromPlain(plain) {
      const ms = Date.parse(plain as string);
      const seconds = Math.floor(ms / 1_000);
      const nanos = (ms - seconds * 1_000) * 1_000_000;
      return { $typeName: "google.protobuf.Timestamp", seconds: BigInt(seconds), nanos };
    },
  },
  "google.protobuf.Duration": {
    toPlain(value) {
      const { seconds, nanos } = value as Duration;
      const sign = seconds < 0n || nanos < 0 ? "-" : "";
      // Three, six or nine digits, as ProtoJSON writes it.
      const digits = String(Math.abs(nanos))
        .padStart(9, "0")
        .replace(/(000){1,2}$/, "");
      const fraction = nanos === 0 ? "" : `.${digits}`;
      return `${sign}${seconds < 0n ? -seconds : seconds}${fraction}s`;
    },
    fromPlain(plain) {
      const [, sign, seconds, fraction = ""] = /^(-?)(\d+)(?:\.(\d{1,9}))?s$/.exec(plain as string)!;
      const factor = sign === "-" ? -1 : 1;
      return {
        $typeName: "google.protobuf.Duration",
        seconds: BigInt(factor) * BigInt(seconds!),
        nanos: factor * Number(fraction.padEnd(9, "0")) || 0,
      };
    },
  },
  "google.protobuf.FieldMask": {
    toPlain: (value) => [...(value as FieldMask).paths],
    fromPlain: (plain) => ({ $typeName: "google.protobuf.FieldMask", paths: [...(plain as string[])] }),
  },
  "google.protobuf.Value": {
    toPlain: (value) => valueToPlain(value as Value),
    fromPlain: (plain) => fromJson(ValueSchema, plain as JsonValue),
  },
  "google.protobuf.ListValue": {
    toPlain: (value) => listToPlain(value as ListValue),
    fromPlain: (plain) => fromJson(ListValueSchema, plain as JsonValue),
  },
  "google.protobuf.Struct": {
    toPlain: (value) => structToPlain(value as Struct),
    fromPlain: (plain) => fromJson(StructSchema, plain as JsonValue),
  },
  "google.protobuf.Any": {
    toPlain: (value) => ({ type_url: (value as Any).typeUrl, value: base64Encode((value as Any).value) }),
    fromPlain(plain) {
      const { type_url = "", value = "" } = plain as { type_url?: string; value?: string };
      return { $typeName: "google.protobuf.Any", typeUrl: type_url, value: base64Decode(value) };
    },
  },
};
