import { type DescEnum, type DescField, type DescMessage, fromBinary, ScalarType } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence as Presence } from "@bufbuild/protobuf/wkt";
import { refuseProtoKey, toPlain } from "../../contract/index.ts";
import { broken, depthMax, WireReader } from "./reader.ts";
import { wireTypeOf } from "./wire-type.ts";

/**
 * Bytes straight to a plain message, the same that `toPlain` makes of what protobuf-es reads, without its message
 * objects in between. Well-known types other than Timestamp are left to protobuf-es. Throws on malformed bytes.
 */
export function plainDecoder(desc: DescMessage): (bytes: Buffer) => unknown {
  const read = messageReader(desc);
  return (bytes) => {
    try {
      return read(new WireReader(bytes), undefined, 0);
    } catch (thrown) {
      if (thrown !== repeated) throw thrown;
      return toPlain(desc, fromBinary(desc, bytes, readOptions));
    }
  };
}

const readOptions = { recursionLimit: depthMax };

/** A well-known message came twice in a place for one: merging them is rare enough to be left to protobuf-es. */
const repeated = Symbol("repeated");

type Plain = Record<string, unknown>;
/** `before`: what an earlier occurrence of the same field gave; messages are merged. */
type Read = (reader: WireReader, before: unknown, depth: number) => unknown;

interface Member {
  readonly name: string;
  readonly wireType: number;
  readonly read: Read;
  /** Reads many at once, where the field may be packed. */
  readonly readPacked?: Read;
  /** The other members of its oneof: setting one unsets them. */
  readonly rivals: readonly string[];
}

interface Shape {
  readonly byNumber: ReadonlyMap<number, Member>;
  /** Fields without presence are always there. */
  readonly zeros: readonly { readonly name: string; readonly make: () => unknown }[];
}

const readers = new WeakMap<DescMessage, Read>();

function messageReader(desc: DescMessage): Read {
  let read = readers.get(desc);
  if (read === undefined) {
    read = wellKnownReader(desc) ?? fieldsReader(desc);
    readers.set(desc, read);
  }
  return read;
}

function fieldsReader(desc: DescMessage): Read {
  let shape: Shape | undefined;
  return (reader, before, depth) => {
    if (depth > depthMax) broken();
    // Made at first use: a message may contain itself.
    shape ??= shapeOf(desc);
    const plain = (before as Plain | undefined) ?? empty(shape);
    while (reader.at < reader.end) {
      const tag = reader.uint32();
      const member = shape.byNumber.get(tag >>> 3);
      const wireType = tag & 7;
      if (member === undefined) reader.skip(wireType, depth);
      else if (wireType === member.wireType)
        set(plain, member, member.read(reader, plain[member.name], depth + 1));
      else if (wireType === 2 && member.readPacked !== undefined)
        member.readPacked(reader, plain[member.name], depth + 1);
      else broken();
    }
    return plain;
  };
}

function set(plain: Plain, member: Member, value: unknown): void {
  plain[member.name] = value;
  for (const rival of member.rivals) delete plain[rival];
}

function empty({ zeros }: Shape): Plain {
  const plain: Plain = {};
  for (const { name, make } of zeros) plain[name] = make();
  return plain;
}

function shapeOf(desc: DescMessage): Shape {
  const byNumber = new Map(desc.fields.map((field) => [field.number, memberOf(field)]));
  const zeros = desc.fields.flatMap((field) => {
    const make = zeroMaker(field);
    return make === undefined ? [] : [{ name: field.name, make }];
  });
  return { byNumber, zeros };
}

function zeroMaker(field: DescField): (() => unknown) | undefined {
  if (field.fieldKind === "list") return () => [];
  if (field.fieldKind === "map") return () => ({});
  if (field.presence !== Presence.IMPLICIT || field.oneof !== undefined || field.fieldKind === "message")
    return undefined;
  if (field.fieldKind === "enum") {
    const zero = enumName(field.enum, 0);
    return () => zero;
  }
  const zero =
    field.scalar === ScalarType.STRING || field.scalar === ScalarType.BYTES
      ? ""
      : field.scalar === ScalarType.BOOL
        ? false
        : 0;
  return () => zero;
}

function memberOf(field: DescField): Member {
  const rivals = field.oneof?.fields.filter((other) => other !== field).map(({ name }) => name) ?? [];
  const element = elementReader(field);
  const member = { name: field.name, wireType: elementWireType(field), read: element, rivals };
  if (field.fieldKind === "map") return { ...member, wireType: 2, read: mapReader(field, element) };
  if (field.fieldKind !== "list") return member;
  const read: Read = (reader, before, depth) => {
    (before as unknown[]).push(element(reader, undefined, depth));
    return before;
  };
  if (member.wireType === 2) return { ...member, read };
  const readPacked: Read = (reader, before, depth) => {
    const inner = reader.nested();
    while (inner.at < inner.end) (before as unknown[]).push(element(inner, undefined, depth));
    return before;
  };
  return { ...member, read, readPacked };
}

function mapReader(field: DescField & { fieldKind: "map" }, element: Read): Read {
  const key = scalarReader(field.mapKey);
  const zeroKey = field.mapKey === ScalarType.STRING ? "" : field.mapKey === ScalarType.BOOL ? "false" : "0";
  const keyType = wireTypeOf(field.mapKey);
  const valueType = elementWireType(field);
  const absent = () =>
    field.message === undefined
      ? field.enum === undefined
        ? scalarZero(field.scalar!)
        : enumName(field.enum, 0)
      : element(new WireReader(emptyMessage), undefined, 0);
  return (reader, before, depth) => {
    const entry = reader.nested();
    let name = zeroKey;
    let value: unknown;
    while (entry.at < entry.end) {
      const tag = entry.uint32();
      if (tag === 8 + keyType) name = String(key(entry, undefined, depth));
      else if (tag === 16 + valueType) value = element(entry, undefined, depth);
      else entry.skip(tag & 7, depth);
    }
    refuseProtoKey(name);
    (before as Plain)[name] = value === undefined ? absent() : value;
    return before;
  };
}

const emptyMessage = Buffer.from([0]);

function scalarZero(type: ScalarType): unknown {
  if (type === ScalarType.STRING || type === ScalarType.BYTES) return "";
  return type === ScalarType.BOOL ? false : 0;
}

function elementReader(field: DescField): Read {
  if (field.message !== undefined) {
    const wrapped = wrappedField(field.message);
    return wrapped === undefined ? nestedReader(field.message) : wrapperReader(wrapped);
  }
  if (field.enum !== undefined) return enumReader(field.enum);
  return scalarReader(field.scalar!);
}

function elementWireType(field: DescField): number {
  if (field.message !== undefined) return 2;
  return field.enum !== undefined ? 0 : wireTypeOf(field.scalar!);
}

function nestedReader(desc: DescMessage): Read {
  let read: Read | undefined;
  return (reader, before, depth) => {
    read ??= messageReader(desc);
    return read(reader.nested(), before, depth);
  };
}

function wrappedField(desc: DescMessage): DescField | undefined {
  return desc.file.proto.name === "google/protobuf/wrappers.proto" ? desc.fields[0] : undefined;
}

function wrapperReader(field: DescField): Read {
  const read = scalarReader(field.scalar!);
  const tag = 8 + wireTypeOf(field.scalar!);
  return (reader, before, depth) => {
    if (before !== undefined) throw repeated;
    const inner = reader.nested();
    let value = scalarZero(field.scalar!);
    while (inner.at < inner.end) {
      const found = inner.uint32();
      if (found === tag) value = read(inner, undefined, depth);
      else inner.skip(found & 7, depth);
    }
    return value;
  };
}

function wellKnownReader(desc: DescMessage): Read | undefined {
  if (desc.file.proto.package !== "google.protobuf" || desc.typeName === "google.protobuf.Empty")
    return undefined;
  if (desc.typeName === "google.protobuf.Timestamp") return timestamp;
  return (reader, before) => {
    if (before !== undefined) throw repeated;
    return toPlain(desc, fromBinary(desc, reader.rest(), readOptions));
  };
}

function timestamp(reader: WireReader, before: unknown): string {
  if (before !== undefined) throw repeated;
  let seconds = 0;
  let nanos = 0;
  while (reader.at < reader.end) {
    const tag = reader.uint32();
    if (tag === 8) seconds = reader.int64Number();
    else if (tag === 16) nanos = reader.int32();
    else reader.skip(tag & 7, 0);
  }
  const ms = seconds * 1_000 + Math.floor(nanos / 1_000_000);
  return Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : String(seconds);
}

function enumReader(desc: DescEnum): Read {
  const names = new Map(desc.values.map(({ number, name }) => [number, name]));
  return (reader) => {
    const number = reader.int32();
    // A number without a name stays a number, so that validation names it.
    return names.get(number) ?? number;
  };
}

function enumName(desc: DescEnum, number: number): unknown {
  return desc.value[number]?.name ?? number;
}

function scalarReader(type: ScalarType): Read {
  switch (type) {
    case ScalarType.STRING:
      return (reader) => reader.string();
    case ScalarType.BYTES:
      return (reader) => reader.bytes().toString("base64");
    case ScalarType.BOOL:
      return (reader) => reader.uint64() !== 0n;
    case ScalarType.DOUBLE:
      return (reader) => reader.double();
    case ScalarType.FLOAT:
      return (reader) => reader.float();
    case ScalarType.FIXED32:
      return (reader) => reader.fixed32();
    case ScalarType.SFIXED32:
      return (reader) => reader.fixed32() | 0;
    case ScalarType.FIXED64:
      return (reader) => Number(reader.fixed64());
    case ScalarType.SFIXED64:
      return (reader) => Number(BigInt.asIntN(64, reader.fixed64()));
    case ScalarType.SINT32:
      return (reader) => {
        const number = reader.uint32();
        return (number >>> 1) ^ -(number & 1);
      };
    case ScalarType.SINT64:
      return (reader) => {
        const number = reader.uint64();
        return Number(BigInt.asIntN(64, (number >> 1n) ^ -(number & 1n)));
      };
    case ScalarType.INT32:
      return (reader) => reader.int32();
    case ScalarType.UINT32:
      return (reader) => reader.uint32();
    case ScalarType.INT64:
      return (reader) => reader.int64Number();
    case ScalarType.UINT64:
      return (reader) => Number(reader.uint64());
  }
}
