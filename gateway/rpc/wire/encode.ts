import { type DescEnum, type DescField, type DescMessage, ScalarType, toBinary } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence as Presence } from "@bufbuild/protobuf/wkt";
import { fromPlain } from "../../contract/index.ts";
import { jsonWriters } from "./json-values.ts";
import { wireTypeOf } from "./wire-type.ts";
import { WireWriter } from "./writer.ts";

/**
 * Plain messages straight to the wire, the same bytes that protobuf-es makes of them, without its message objects in
 * between. Well-known types other than times and JSON are left to protobuf-es.
 */
export function plainEncoder(desc: DescMessage): (plain: unknown) => Buffer {
  const write = messageWriter(desc);
  return (plain) => {
    shared.start();
    write(shared, plain);
    return shared.finish();
  };
}

/** Encoding is one synchronous step, so one writer serves all. */
const shared = new WireWriter();

type Write = (writer: WireWriter, value: unknown) => void;

interface Member {
  readonly name: string;
  readonly write: Write;
  readonly takesNull: boolean;
}

const writers = new WeakMap<DescMessage, Write>();

function messageWriter(desc: DescMessage): Write {
  let write = writers.get(desc);
  if (write === undefined) {
    write = wellKnownWriter(desc) ?? fieldsWriter(desc);
    writers.set(desc, write);
  }
  return write;
}

function fieldsWriter(desc: DescMessage): Write {
  let members: readonly Member[] | undefined;
  return (writer, plain) => {
    // Made at first use: a message may contain itself.
    members ??= desc.fields.toSorted((a, b) => a.number - b.number).map(memberOf);
    const message = plain as Record<string, unknown>;
    for (const { name, write, takesNull } of members) {
      const value = message[name];
      if (value === undefined || (value === null && !takesNull)) continue;
      write(writer, value);
    }
  };
}

function memberOf(field: DescField): Member {
  const takesNull = field.fieldKind === "message" && field.message.typeName === "google.protobuf.Value";
  return { name: field.name, write: fieldWriter(field), takesNull };
}

function fieldWriter(field: DescField): Write {
  switch (field.fieldKind) {
    case "scalar":
      return singular(field, scalarValue(field.scalar), wireTypeOf(field.scalar));
    case "enum":
      return singular(field, enumValue(field.enum), 0);
    case "message":
      return tagged(field.number, 2, nestedValue(field.message));
    case "list":
      return listWriter(field);
    case "map":
      return mapWriter(field);
  }
}

function tagged(number: number, wireType: number, write: Write): Write {
  const tag = number * 8 + wireType;
  return (writer, value) => {
    writer.varint(tag);
    write(writer, value);
  };
}

/** Without presence, a zero is not sent. */
function singular(field: DescField, write: Write, wireType: number): Write {
  const always = tagged(field.number, wireType, write);
  if (field.presence !== Presence.IMPLICIT || field.oneof !== undefined) return always;
  const zero = field.enum?.values.find(({ number }) => number === 0)?.name;
  return (writer, value) => {
    if (value !== 0 && value !== "" && value !== false && value !== zero) always(writer, value);
  };
}

function listWriter(field: DescField & { fieldKind: "list" }): Write {
  const element = field.message
    ? nestedValue(field.message)
    : field.enum
      ? enumValue(field.enum)
      : scalarValue(field.scalar!);
  const wireType = field.message ? 2 : field.enum ? 0 : wireTypeOf(field.scalar!);
  if (field.packed) {
    const packed = tagged(field.number, 2, (writer, value) =>
      writer.nested(value as unknown[], (inner, items) => {
        for (const item of items) element(inner, item);
      }),
    );
    return (writer, value) => {
      if ((value as unknown[]).length > 0) packed(writer, value);
    };
  }
  const one = tagged(field.number, wireType, element);
  return (writer, value) => {
    for (const item of value as unknown[]) one(writer, item);
  };
}

function mapWriter(field: DescField & { fieldKind: "map" }): Write {
  const key = tagged(1, wireTypeOf(field.mapKey), scalarValue(field.mapKey));
  const element = field.message
    ? nestedValue(field.message)
    : field.enum
      ? enumValue(field.enum)
      : scalarValue(field.scalar!);
  const wireType = field.message ? 2 : field.enum ? 0 : wireTypeOf(field.scalar!);
  const value = tagged(2, wireType, element);
  const isBoolean = field.mapKey === ScalarType.BOOL;
  const entry = tagged(field.number, 2, (writer, pair) =>
    writer.nested(pair as [string, unknown], (inner, [name, item]) => {
      key(inner, isBoolean ? name === "true" : name);
      value(inner, item);
    }),
  );
  return (writer, map) => {
    for (const pair of Object.entries(map as object)) entry(writer, pair);
  };
}

function nestedValue(desc: DescMessage): Write {
  const wrapped = desc.file.proto.name === "google/protobuf/wrappers.proto" ? desc.fields[0] : undefined;
  if (wrapped !== undefined) {
    const write = fieldWriter(wrapped);
    return (writer, value) => writer.nested(value, write);
  }
  let write: Write | undefined;
  return (writer, value) => {
    write ??= messageWriter(desc);
    writer.nested(value, write);
  };
}

function wellKnownWriter(desc: DescMessage): Write | undefined {
  if (desc.file.proto.package !== "google.protobuf") return undefined;
  if (desc.typeName === "google.protobuf.Timestamp") return timestamp;
  if (desc.typeName === "google.protobuf.Empty") return fieldsWriter(desc);
  const json = jsonWriters[desc.typeName];
  if (json !== undefined) return json;
  return (writer, plain) => writer.raw(toBinary(desc, fromPlain(desc, plain)));
}

function timestamp(writer: WireWriter, plain: unknown): void {
  const ms = timeOf(plain as string);
  const seconds = Math.floor(ms / 1_000);
  if (seconds !== 0) {
    writer.varint(8);
    writer.varint64(seconds);
  }
  const nanos = (ms - seconds * 1_000) * 1_000_000;
  if (nanos === 0) return;
  writer.varint(16);
  writer.varint(nanos);
}

/** What is sent together shares its times: most were read a moment ago. */
function timeOf(text: string): number {
  // By the last digits of the second and its thousandths.
  const slot = (text.charCodeAt(18) * 7 + text.charCodeAt(21) * 3 + text.charCodeAt(22)) & 63;
  const known = times[slot];
  if (known?.text === text) return known.ms;
  const ms = Date.parse(text);
  times[slot] = { text, ms };
  return ms;
}

const times: { readonly text: string; readonly ms: number }[] = [];

function enumValue(desc: DescEnum): Write {
  const numbers = new Map<unknown, number>(desc.values.map(({ name, number }) => [name, number]));
  return (writer, value) => writer.varint64(numbers.get(value) ?? (value as number));
}

function scalarValue(type: ScalarType): Write {
  switch (type) {
    case ScalarType.STRING:
      return (writer, value) => writer.string(value as string);
    case ScalarType.BYTES:
      return (writer, value) => writer.bytes(Buffer.from(value as string, "base64"));
    case ScalarType.BOOL:
      return (writer, value) => writer.varint(value ? 1 : 0);
    case ScalarType.DOUBLE:
      return (writer, value) => writer.double(value as number);
    case ScalarType.FLOAT:
      return (writer, value) => writer.float(value as number);
    case ScalarType.FIXED32:
    case ScalarType.SFIXED32:
      return (writer, value) => writer.fixed32(Number(value));
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
      return (writer, value) => writer.fixed64(value as number);
    case ScalarType.SINT32:
      return (writer, value) => writer.varint(((Number(value) << 1) ^ (Number(value) >> 31)) >>> 0);
    case ScalarType.SINT64:
      return (writer, value) => {
        const number = BigInt(value as number);
        writer.varint64((number << 1n) ^ (number >> 63n));
      };
    case ScalarType.INT32:
    case ScalarType.INT64:
    case ScalarType.UINT32:
    case ScalarType.UINT64:
      return (writer, value) => writer.varint64(value as number);
  }
}
