import { limits } from "#base";

/** A character takes up to six bytes as JSON (`\u0000`), a number up to three times what is counted for it. */
const worstCase = 6;

/** Bytes of the values as JSON: about, without making the text, unless they may be over the limit: then exactly. */
export function jsonBytes(...values: readonly unknown[]): number {
  let bytes = 0;
  for (const value of values) if (value !== undefined) bytes += sizeOf(value);
  if (bytes * worstCase <= limits.payloadBytesMax) return bytes;
  bytes = 0;
  for (const value of values) if (value !== undefined) bytes += Buffer.byteLength(JSON.stringify(value));
  return bytes;
}

function sizeOf(value: unknown): number {
  switch (typeof value) {
    case "string":
      return value.length + 2;
    case "number":
      return 8;
    case "object":
      return value === null ? 4 : sizeOfObject(value);
    default:
      return 5;
  }
}

function sizeOfObject(value: object): number {
  let bytes = 2;
  if (Array.isArray(value)) {
    for (const element of value) bytes += sizeOf(element) + 1;
    return bytes;
  }
  for (const name in value) bytes += name.length + 4 + sizeOf((value as Record<string, unknown>)[name]);
  return bytes;
}
