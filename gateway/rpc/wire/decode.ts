import { type DescMessage, fromBinary } from "@bufbuild/protobuf";
import {
  type Element,
  type EnumNames,
  type FieldPlan,
  messageElement,
  planOf,
  refuseProtoKey,
  type Scalar,
  toPlain,
  zeroElement,
} from "../../contract/index.ts";
import { broken, depthMax, WireReader } from "./reader.ts";
import { wireScalars } from "./wire-scalars.ts";

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

interface Layout {
  readonly byNumber: ReadonlyMap<number, Member>;
  /** Fields without presence are always there. */
  readonly zeros: readonly { readonly name: string; readonly make: () => unknown }[];
}

const readers = new WeakMap<DescMessage, Read>();

function messageReader(desc: DescMessage): Read {
  let read = readers.get(desc);
  if (read === undefined) {
    read = messageElement(desc).type === "message" ? fieldsReader(desc) : knownReader(desc);
    readers.set(desc, read);
  }
  return read;
}

function fieldsReader(desc: DescMessage): Read {
  let layout: Layout | undefined;
  return (reader, before, depth) => {
    if (depth > depthMax) broken();
    // Made at first use: a message may contain itself.
    layout ??= layoutOf(desc);
    const plain = (before as Plain | undefined) ?? empty(layout);
    while (reader.at < reader.end) {
      const tag = reader.uint32();
      const member = layout.byNumber.get(tag >>> 3);
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

function empty({ zeros }: Layout): Plain {
  const plain: Plain = {};
  for (const { name, make } of zeros) plain[name] = make();
  return plain;
}

function layoutOf(desc: DescMessage): Layout {
  const { fields } = planOf(desc);
  return {
    byNumber: new Map(fields.map((plan) => [plan.field.number, memberOf(plan)])),
    zeros: fields.flatMap(({ name, zero }) => (zero === undefined ? [] : [{ name, make: zero }])),
  };
}

function memberOf(plan: FieldPlan): Member {
  const { name, field, shape } = plan;
  const rivals = field.oneof?.fields.filter((other) => other !== field).map((other) => other.name) ?? [];
  const { wireType, read: element } = elementReader(plan.element);
  if (shape === "single") return { name, wireType, read: element, rivals };
  if (shape === "map")
    return { name, wireType: 2, read: mapReader(plan, { wireType, read: element }), rivals };
  const read: Read = (reader, before, depth) => {
    (before as unknown[]).push(element(reader, undefined, depth));
    return before;
  };
  if (wireType === 2) return { name, wireType, read, rivals };
  const readPacked: Read = (reader, before, depth) => {
    const inner = reader.nested();
    while (inner.at < inner.end) (before as unknown[]).push(element(inner, undefined, depth));
    return before;
  };
  return { name, wireType, read, readPacked, rivals };
}

interface ElementReader {
  readonly wireType: number;
  readonly read: Read;
}

function mapReader({ key, element }: FieldPlan, { wireType, read }: ElementReader): Read {
  const wireKey = wireScalars[key!.type];
  const zeroKey = String(key!.zero);
  const zero = zeroElement(element);
  return (reader, before, depth) => {
    const entry = reader.nested();
    let name = zeroKey;
    let value: unknown;
    while (entry.at < entry.end) {
      const tag = entry.uint32();
      if (tag === 8 + wireKey.wireType) name = String(wireKey.read(entry));
      else if (tag === 16 + wireType) value = read(entry, undefined, depth);
      else entry.skip(tag & 7, depth);
    }
    refuseProtoKey(name);
    if (value === undefined) value = zero ?? read(new WireReader(emptyMessage), undefined, 0);
    (before as Plain)[name] = value;
    return before;
  };
}

const emptyMessage = Buffer.from([0]);

function elementReader(element: Element): ElementReader {
  switch (element.type) {
    case "scalar":
      return wireScalars[element.scalar.type];
    case "enum":
      return { wireType: 0, read: enumReader(element) };
    case "wrapper":
      return { wireType: 2, read: wrapperReader(element.scalar) };
    case "message":
    case "known":
      return { wireType: 2, read: nestedReader(element.message) };
  }
}

function nestedReader(desc: DescMessage): Read {
  let read: Read | undefined;
  return (reader, before, depth) => {
    read ??= messageReader(desc);
    return read(reader.nested(), before, depth);
  };
}

function wrapperReader({ type, zero }: Scalar): Read {
  const { wireType, read } = wireScalars[type];
  const tag = 8 + wireType;
  return (reader, before, depth) => {
    if (before !== undefined) throw repeated;
    const inner = reader.nested();
    let value: unknown = zero;
    while (inner.at < inner.end) {
      const found = inner.uint32();
      if (found === tag) value = read(inner);
      else inner.skip(found & 7, depth);
    }
    return value;
  };
}

function knownReader(desc: DescMessage): Read {
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

function enumReader({ names }: EnumNames): Read {
  return (reader) => {
    const number = reader.int32();
    // A number without a name stays a number, so that validation names it.
    return names.get(number) ?? number;
  };
}
