import type { WireWriter } from "./writer.ts";

/** JSON as google.protobuf has it: payloads and attributes are, so they are written here instead of by protobuf-es. */
export const jsonWriters: Readonly<Record<string, (writer: WireWriter, json: unknown) => void>> = {
  "google.protobuf.Value": value,
  "google.protobuf.ListValue": list,
  "google.protobuf.Struct": struct,
};

const tags = { null: 0x08, number: 0x11, string: 0x1a, boolean: 0x20, struct: 0x2a, list: 0x32 } as const;

function value(writer: WireWriter, json: unknown): void {
  if (typeof json === "string") {
    writer.varint(tags.string);
    writer.string(json);
  } else if (typeof json === "number") {
    writer.varint(tags.number);
    writer.double(json);
  } else if (typeof json === "boolean") {
    writer.varint(tags.boolean);
    writer.varint(json ? 1 : 0);
  } else if (json === null || json === undefined) {
    writer.varint(tags.null);
    writer.varint(0);
  } else if (Array.isArray(json)) {
    writer.varint(tags.list);
    writer.nested(json, list);
  } else {
    writer.varint(tags.struct);
    writer.nested(json, struct);
  }
}

/** `values = 1` */
function list(writer: WireWriter, json: unknown): void {
  for (const item of json as readonly unknown[]) {
    writer.varint(0x0a);
    writer.nested(item, value);
  }
}

/** `fields = 1`, a map */
function struct(writer: WireWriter, json: unknown): void {
  for (const entry of Object.entries(json as object)) {
    writer.varint(0x0a);
    writer.nested(entry, field);
  }
}

function field(writer: WireWriter, [name, item]: [string, unknown]): void {
  writer.varint(0x0a);
  writer.string(name);
  writer.varint(0x12);
  writer.nested(item, value);
}
