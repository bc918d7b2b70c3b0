import { ScalarType } from "@bufbuild/protobuf";
import type { WireReader } from "./reader.ts";
import type { WireWriter } from "./writer.ts";

/** A scalar between the wire and a plain message. */
interface WireScalar {
  /** 0 a varint, 1 eight bytes, 2 with its length before it, 5 four bytes. */
  readonly wireType: 0 | 1 | 2 | 5;
  readonly read: (reader: WireReader) => unknown;
  readonly write: (writer: WireWriter, value: unknown) => void;
}

const writeVarint: WireScalar["write"] = (writer, value) => writer.varint64(value as number);
const writeFixed32: WireScalar["write"] = (writer, value) => writer.fixed32(Number(value));
const writeFixed64: WireScalar["write"] = (writer, value) => writer.fixed64(value as number);

export const wireScalars: Readonly<Record<ScalarType, WireScalar>> = {
  [ScalarType.STRING]: {
    wireType: 2,
    read: (reader) => reader.string(),
    write: (writer, value) => writer.string(value as string),
  },
  [ScalarType.BYTES]: {
    wireType: 2,
    read: (reader) => reader.bytes().toString("base64"),
    write: (writer, value) => writer.bytes(Buffer.from(value as string, "base64")),
  },
  [ScalarType.BOOL]: {
    wireType: 0,
    read: (reader) => reader.uint64() !== 0n,
    write: (writer, value) => writer.varint(value ? 1 : 0),
  },
  [ScalarType.DOUBLE]: {
    wireType: 1,
    read: (reader) => reader.double(),
    write: (writer, value) => writer.double(value as number),
  },
  [ScalarType.FLOAT]: {
    wireType: 5,
    read: (reader) => reader.float(),
    write: (writer, value) => writer.float(value as number),
  },
  [ScalarType.INT32]: { wireType: 0, read: (reader) => reader.int32(), write: writeVarint },
  [ScalarType.UINT32]: { wireType: 0, read: (reader) => reader.uint32(), write: writeVarint },
  [ScalarType.INT64]: { wireType: 0, read: (reader) => reader.int64Number(), write: writeVarint },
  [ScalarType.UINT64]: { wireType: 0, read: (reader) => Number(reader.uint64()), write: writeVarint },
  [ScalarType.FIXED32]: { wireType: 5, read: (reader) => reader.fixed32(), write: writeFixed32 },
  [ScalarType.SFIXED32]: { wireType: 5, read: (reader) => reader.fixed32() | 0, write: writeFixed32 },
  [ScalarType.FIXED64]: { wireType: 1, read: (reader) => Number(reader.fixed64()), write: writeFixed64 },
  [ScalarType.SFIXED64]: {
    wireType: 1,
    read: (reader) => Number(BigInt.asIntN(64, reader.fixed64())),
    write: writeFixed64,
  },
  [ScalarType.SINT32]: {
    wireType: 0,
    read(reader) {
      const number = reader.uint32();
      return (number >>> 1) ^ -(number & 1);
    },
    write: (writer, value) => writer.varint(((Number(value) << 1) ^ (Number(value) >> 31)) >>> 0),
  },
  [ScalarType.SINT64]: {
    wireType: 0,
    read(reader) {
      const number = reader.uint64();
      return Number(BigInt.asIntN(64, (number >> 1n) ^ -(number & 1n)));
    },
    write(writer, value) {
      const number = BigInt(value as number);
      writer.varint64((number << 1n) ^ (number >> 63n));
    },
  },
};
