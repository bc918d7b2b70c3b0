import { create, type DescMessage, fromJson, type JsonValue, type Message } from "@bufbuild/protobuf";
import { base64Decode, base64Encode } from "@bufbuild/protobuf/wire";
import {
  type Any,
  type Duration,
  type FieldMask,
  ListValueSchema,
  StructSchema,
  type Timestamp,
  ValueSchema,
} from "@bufbuild/protobuf/wkt";
import { type Element, type EnumNames, type FieldPlan, planOf } from "./field-plan.ts";
import { listToPlain, structToPlain, valueToPlain } from "./json-value.ts";
import { refuseProtoKey, withCheckedKeys } from "./proto-key.ts";
import type { Scalar } from "./scalars.ts";

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
    members ??= membersOf(desc);
    return members;
  };
  return {
    toPlain(value: Record<string, unknown>) {
      const plain: Record<string, unknown> = {};
      for (const member of compiled()) member.toPlain(value, plain);
      return plain;
    },
    fromPlain(plain: Record<string, unknown>) {
      const message = create(desc) as unknown as Record<string, unknown>;
      for (const member of compiled()) member.fromPlain(plain, message);
      return message;
    },
  };
}

interface Member {
  toPlain(message: Record<string, unknown>, plain: Record<string, unknown>): void;
  fromPlain(plain: Record<string, unknown>, message: Record<string, unknown>): void;
}

function membersOf(desc: DescMessage): Member[] {
  const { byName } = planOf(desc);
  return desc.members.map((member) =>
    member.kind === "oneof"
      ? oneofMember(
          member.localName,
          member.fields.map(({ name }) => byName.get(name)!),
        )
      : fieldMember(byName.get(member.name)!),
  );
}

function fieldMember(plan: FieldPlan): Member {
  const { name, acceptsNull } = plan;
  const { localName } = plan.field;
  const codec = fieldCodec(plan);
  return {
    toPlain(message, plain) {
      const value = message[localName];
      if (value !== undefined) plain[name] = codec.toPlain(value);
    },
    fromPlain(plain, message) {
      const value = plain[name];
      if (value === undefined || (value === null && !acceptsNull)) return;
      message[localName] = codec.fromPlain(value);
    },
  };
}

function oneofMember(oneofName: string, fields: readonly FieldPlan[]): Member {
  const byCase = new Map(fields.map((plan) => [plan.field.localName, { plan, codec: fieldCodec(plan) }]));
  return {
    toPlain(message, plain) {
      const chosen = message[oneofName] as { case?: string; value?: unknown } | undefined;
      if (chosen?.case === undefined) return;
      const { plan, codec } = byCase.get(chosen.case)!;
      plain[plan.name] = codec.toPlain(chosen.value);
    },
    fromPlain(plain, message) {
      for (const [localName, { plan, codec }] of byCase) {
        const value = plain[plan.name];
        if (value === undefined || (value === null && !plan.acceptsNull)) continue;
        message[oneofName] = { case: localName, value: codec.fromPlain(value) };
      }
    },
  };
}

function fieldCodec({ shape, element, field }: FieldPlan): Codec {
  // protobuf-es keeps the bare value of a wrapper in a field, except in a oneof.
  const isBare = element.type === "wrapper" && shape === "single" && field.oneof === undefined;
  const one = isBare ? scalarCodec(element.scalar) : elementCodec(element);
  switch (shape) {
    case "single":
      return one;
    case "list":
      return {
        toPlain: (value) => (value as unknown[]).map(one.toPlain),
        fromPlain: (plain) => (plain as unknown[]).map(one.fromPlain),
      };
    case "map":
      return { toPlain: mapEntries(one.toPlain), fromPlain: mapEntries(one.fromPlain) };
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

function elementCodec(element: Element): Codec {
  switch (element.type) {
    case "scalar":
      return scalarCodec(element.scalar);
    case "enum":
      return enumCodec(element);
    case "wrapper":
      return wrapperCodec(element.message, scalarCodec(element.scalar));
    case "message":
      return codecOf(element.message);
    case "known":
      // protobuf-es keeps a Struct in a field as plain JSON already.
      return element.message.typeName === "google.protobuf.Struct" ? structInField : codecOf(element.message);
  }
}

function wrapperCodec({ typeName }: DescMessage, inner: Codec): Codec {
  return {
    toPlain: (value) => inner.toPlain((value as { value: unknown }).value),
    fromPlain: (plain) => ({ $typeName: typeName, value: inner.fromPlain(plain) }),
  };
}

const structInField: Codec = { toPlain: withCheckedKeys, fromPlain: (plain) => plain };

const identity: Codec = { toPlain: (value) => value, fromPlain: (plain) => plain };

function scalarCodec({ plain, wide }: Scalar): Codec {
  if (wide) return { toPlain: Number, fromPlain: (number) => BigInt(number as number) };
  if (plain !== "base64") return identity;
  return {
    toPlain: (value: Uint8Array) => base64Encode(value),
    fromPlain: (text: string) => base64Decode(text),
  };
}

function enumCodec({ names, numbers }: EnumNames): Codec {
  return {
    // A number without a name stays a number, so that validation names it.
    toPlain: (value) => names.get(value as number) ?? value,
    fromPlain: (plain) => numbers.get(plain as string) ?? plain,
  };
}

const wellKnown: Readonly<Record<string, Codec>> = {
  "google.protobuf.Timestamp": {
    toPlain({ seconds, nanos }: Timestamp) {
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
    toPlain({ seconds, nanos }: Duration) {
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
    toPlain: ({ paths }: FieldMask) => [...paths],
    fromPlain: (paths: readonly string[]) => ({ $typeName: "google.protobuf.FieldMask", paths: [...paths] }),
  },
  "google.protobuf.Value": {
    toPlain: valueToPlain,
    fromPlain: (plain: JsonValue) => fromJson(ValueSchema, plain),
  },
  "google.protobuf.ListValue": {
    toPlain: listToPlain,
    fromPlain: (plain: JsonValue) => fromJson(ListValueSchema, plain),
  },
  "google.protobuf.Struct": {
    toPlain: structToPlain,
    fromPlain: (plain: JsonValue) => fromJson(StructSchema, plain),
  },
  "google.protobuf.Any": {
    toPlain: ({ typeUrl, value }: Any) => ({ type_url: typeUrl, value: base64Encode(value) }),
    fromPlain({ type_url = "", value = "" }: { readonly type_url?: string; readonly value?: string }) {
      return { $typeName: "google.protobuf.Any", typeUrl: type_url, value: base64Decode(value) };
    },
  },
};
