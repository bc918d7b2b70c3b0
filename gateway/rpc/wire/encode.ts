import { type DescMessage, toBinary } from "@bufbuild/protobuf";
import {
  type Element,
  type EnumNames,
  type FieldPlan,
  fromPlain,
  messageElement,
  planOf,
} from "../../contract/index.ts";
import { jsonWriters } from "./json-values.ts";
import { wireScalars } from "./wire-scalars.ts";
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
  readonly acceptsNull: boolean;
}

const writers = new WeakMap<DescMessage, Write>();

function messageWriter(desc: DescMessage): Write {
  let write = writers.get(desc);
  if (write === undefined) {
    write = messageElement(desc).type === "message" ? fieldsWriter(desc) : knownWriter(desc);
    writers.set(desc, write);
  }
  return write;
}

function fieldsWriter(desc: DescMessage): Write {
  let members: readonly Member[] | undefined;
  return (writer, plain) => {
    // Made at first use: a message may contain itself.
    members ??= planOf(desc)
      .fields.toSorted((a, b) => a.field.number - b.field.number)
      .map((plan) => ({ name: plan.name, acceptsNull: plan.acceptsNull, write: fieldWriter(plan) }));
    const message = plain as Record<string, unknown>;
    for (const { name, write, acceptsNull } of members) {
      const value = message[name];
      if (value === undefined || (value === null && !acceptsNull)) continue;
      write(writer, value);
    }
  };
}

function fieldWriter(plan: FieldPlan): Write {
  switch (plan.shape) {
    case "single":
      return singular(plan);
    case "list":
      return listWriter(plan);
    case "map":
      return mapWriter(plan);
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
function singular({ field, element, zero }: FieldPlan): Write {
  const always = taggedElement(field.number, element);
  if (zero === undefined) return always;
  const none = zero();
  return (writer, value) => {
    // An enum's zero may be its number too.
    if (value !== none && value !== 0) always(writer, value);
  };
}

function listWriter({ field, element, packed: isPacked }: FieldPlan): Write {
  const one = taggedElement(field.number, element);
  if (!isPacked)
    return (writer, value) => {
      for (const item of value as unknown[]) one(writer, item);
    };
  const { write } = elementWriter(element);
  const packed = tagged(field.number, 2, (writer, value) =>
    writer.nested(value as unknown[], (inner, items) => {
      for (const item of items) write(inner, item);
    }),
  );
  return (writer, value) => {
    if ((value as unknown[]).length > 0) packed(writer, value);
  };
}

function mapWriter({ field, key, element }: FieldPlan): Write {
  const wireKey = wireScalars[key!.type];
  const writeKey = tagged(1, wireKey.wireType, wireKey.write);
  const writeValue = taggedElement(2, element);
  const isBoolean = key!.plain === "boolean";
  const entry = tagged(field.number, 2, (writer, pair) =>
    writer.nested(pair as [string, unknown], (inner, [name, item]) => {
      writeKey(inner, isBoolean ? name === "true" : name);
      writeValue(inner, item);
    }),
  );
  return (writer, map) => {
    for (const pair of Object.entries(map as object)) entry(writer, pair);
  };
}

function taggedElement(number: number, element: Element): Write {
  const { wireType, write } = elementWriter(element);
  return tagged(number, wireType, write);
}

function elementWriter(element: Element): { readonly wireType: number; readonly write: Write } {
  switch (element.type) {
    case "scalar":
      return wireScalars[element.scalar.type];
    case "enum":
      return { wireType: 0, write: enumValue(element) };
    case "wrapper": {
      const write = singular(planOf(element.message).fields[0]!);
      return { wireType: 2, write: (writer, value) => writer.nested(value, write) };
    }
    case "message":
    case "known":
      return { wireType: 2, write: nestedValue(element.message) };
  }
}

function nestedValue(desc: DescMessage): Write {
  let write: Write | undefined;
  return (writer, value) => {
    write ??= messageWriter(desc);
    writer.nested(value, write);
  };
}

function knownWriter(desc: DescMessage): Write {
  if (desc.typeName === "google.protobuf.Timestamp") return timestamp;
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

function enumValue({ numbers }: EnumNames): Write {
  return (writer, value) => writer.varint64(numbers.get(value as string) ?? (value as number));
}
