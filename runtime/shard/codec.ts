import { Packr } from "msgpackr";
import { assert } from "#base";

/** Values in rows: a version byte, then MessagePack without shared structures, so every value reads on its own. */
const packr = new Packr({ useRecords: false, variableMapSize: true });
export const valueVersion = 1;
/** Rather than a view of it, for each of very many values. */
const part = { start: 0, end: 0 };

/** The value that stands in a part of `bytes`. */
export function unpackValue(bytes: Uint8Array, start = 0, end = bytes.length): unknown {
  assert(bytes[start] === valueVersion, `a stored value of version ${bytes[start]} can be read`);
  part.start = start + 1;
  part.end = end;
  return packr.unpack(bytes, part);
}

export function pack(value: unknown): Uint8Array {
  return packr.pack(value);
}

export function unpack(bytes: Uint8Array): unknown {
  return packr.unpack(bytes);
}
