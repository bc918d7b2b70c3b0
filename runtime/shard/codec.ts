import { addExtension, Packr } from "msgpackr";
import { assert } from "#base";

/** Values in rows: a version byte, then MessagePack without shared structures, so every value reads on its own. */
const packr = new Packr({ useRecords: false, variableMapSize: true });
export const valueVersion = 1;
/** Rather than a view of it, for each of very many values. */
const part = { start: 0, end: 0 };

export function unpackValue(bytes: Uint8Array): unknown {
  part.start = 1;
  part.end = bytes.length;
  checkVersion(bytes[0]);
  return packr.unpack(bytes, part);
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
export function unpackList(bytes: Uint8Array, start: number, end: number): readonly unknown[] {
  part.start = start;
  part.end = end;
  const read = packr.unpack(bytes, part) as readonly unknown[];
  const values = [];
  for (let i = 0; i < read.length; i += 2) {
    checkVersion(read[i]);
    values.push(read[i + 1]);
  }
  return values;
}

function checkVersion(version: unknown): void {
  assert(version === valueVersion, `a stored value of version ${version} can be read`);
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
