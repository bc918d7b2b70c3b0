import { Packr } from "msgpackr";
import { assert } from "#base";

/** Values in rows: a version byte, then MessagePack without shared structures, so every value reads on its own. */
const packr = new Packr({ useRecords: false, variableMapSize: true });
export const valueVersion = 1;
/** Rather than a view of the rest, for each of very many values. */
const behindVersion = { start: 1 };

export function unpackValue(bytes: Uint8Array): unknown {
  assert(bytes[0] === valueVersion, `a stored value of version ${bytes[0]} can be read`);
  return packr.unpack(bytes, behindVersion);
}

export function pack(value: unknown): Uint8Array {
  return packr.pack(value);
}

export function unpack(bytes: Uint8Array): unknown {
  return packr.unpack(bytes);
}
