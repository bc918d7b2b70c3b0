import { addExtension, Packr } from "msgpackr";
import { type RowShape, upcast, versionOf } from "../row-shape.ts";

/** Values in rows: the version of their collection in a byte, then MessagePack without shared structures, so every value reads on its own. */
const packr = new Packr({ useRecords: false, variableMapSize: true });
/** Rather than a view of it, for each of very many values. */
const part = { start: 0, end: 0 };

export function unpackValue(bytes: Uint8Array, shape: RowShape): unknown {
  part.start = 1;
  part.end = bytes.length;
  return inShape(packr.unpack(bytes, part), bytes[0], shape);
}

/** Mostly it is of today's version. */
function inShape(value: unknown, version: unknown, shape: RowShape): unknown {
  const current = versionOf(shape);
  if (version === current) return value;
  if (typeof version !== "number" || version < 1 || version > current)
    throw new Error(
      `a row of the collection ${shape.collection} has version ${version}, this build reads versions up to ${current}: start the build that wrote it`,
    );
  return upcast(value, version, shape);
}

/** What stands before values that are one after the other makes them a list: their version bytes are numbers in it. */
export const listHeadBytes = 3;
const list16 = 0xdc;

/** Returns where it ends. */
export function writeListHead(into: Buffer, at: number, values: number): number {
  into[at] = list16;
  return into.writeUInt16BE(values * 2, at + 1);
}

/** Values with such a head, which stand in a part of `bytes`. */
export function unpackList(
  bytes: Uint8Array,
  start: number,
  end: number,
  shape: RowShape,
): readonly unknown[] {
  part.start = start;
  part.end = end;
  const read = packr.unpack(bytes, part) as readonly unknown[];
  const values = [];
  for (let i = 0; i < read.length; i += 2) values.push(inShape(read[i + 1], read[i], shape));
  return values;
}

/** In place of a value that stands elsewhere, from `start` to `end`. */
export class Reference {
  readonly start: number;
  readonly end: number;

  constructor(start: number, end: number) {
    this.start = start;
    this.end = end;
  }
}

/** Both as u32. */
export const referenceType = 0x53;
addExtension({
  type: referenceType,
  unpack: (bytes: Buffer) => new Reference(bytes.readUInt32BE(0), bytes.readUInt32BE(4)),
});

export function pack(value: unknown): Uint8Array {
  return packr.pack(value);
}

export function unpack(bytes: Uint8Array): unknown {
  return packr.unpack(bytes);
}
