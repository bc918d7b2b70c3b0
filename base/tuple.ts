/**
 * Order-preserving keys, as texts of one character a byte: what `encodeTuple` gives compares as the tuples do part by
 * part, in JavaScript and in a store that compares bytes. Parts are strings and non-negative safe integers. A tuple's
 * encoding is never a prefix of a different tuple's part, so a prefix of parts is a prefix of the text.
 */
export type TuplePart = string | number;

const stringTag = 0x02;
const numberTag = 0x04;
const numberBytes = 8;

export function encodeTuple(parts: readonly TuplePart[]): string {
  const length = put(parts);
  return room.toString("latin1", 0, length);
}

export function decodeTuple(text: string): TuplePart[] {
  const parts: TuplePart[] = [];
  let at = 0;
  while (at < text.length) {
    const tag = text.charCodeAt(at);
    if (tag === numberTag) {
      parts.push(numberAt(text, at + 1));
      at += numberBytes;
    } else if (tag === stringTag) {
      const end = endOfString(text, at + 1);
      parts.push(stringOf(text.slice(at + 1, end)));
      at = end + 1;
    } else throw new RangeError(`unknown tuple tag ${tag}`);
  }
  return parts;
}

function numberAt(text: string, at: number): number {
  if (text.length < at + numberBytes - 1) throw new RangeError("tuple ends inside a number");
  let value = 0;
  for (let i = 0; i < numberBytes - 1; i++) value = value * 256 + text.charCodeAt(at + i);
  return value;
}

/** A zero ends it, unless it is one of its own. */
function endOfString(text: string, from: number): number {
  let end = text.indexOf("\0", from);
  while (end >= 0 && text[end + 1] === "\xff") end = text.indexOf("\0", end + 2);
  if (end < 0) throw new RangeError("tuple ends inside a string");
  return end;
}

function stringOf(bytes: string): string {
  return isPlain(bytes) ? bytes : Buffer.from(bytes.replaceAll("\0\xff", "\0"), "latin1").toString("utf8");
}

/** Without zeros and characters of several bytes. */
function isPlain(bytes: string): boolean {
  for (let i = 0; i < bytes.length; i++) {
    const unit = bytes.charCodeAt(i);
    if (unit === 0 || unit >= 0x80) return false;
  }
  return true;
}

/** Where tuples are put together; it grows to the longest of them. */
let room = Buffer.allocUnsafeSlow(4_096);

/**
 * Puts the tuple at the start of `room`; returns its length. By index: lists of many sorts come here, and each step of an
 * iterator would be an object.
 */
function put(parts: readonly TuplePart[]): number {
  let length = 0;
  for (let i = 0; i < parts.length; i++) length += bytesMax(parts[i]!);
  if (length > room.length) room = Buffer.allocUnsafeSlow(length * 2);
  let at = 0;
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i]!;
    at = typeof part === "number" ? putNumber(at, part) : putString(at, part);
  }
  return at;
}

/** A character takes three bytes at most, and a zero two. */
function bytesMax(part: TuplePart): number {
  return typeof part === "number" ? numberBytes : part.length * 3 + 2;
}

/** 56 bits, the highest first. */
function putNumber(at: number, value: number): number {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`not a key number: ${value}`);
  const low = value % 2 ** 24;
  const high = (value - low) / 2 ** 24;
  room[at] = numberTag;
  room[at + 1] = high >>> 24;
  room[at + 2] = high >>> 16;
  room[at + 3] = high >>> 8;
  room[at + 4] = high;
  room[at + 5] = low >>> 16;
  room[at + 6] = low >>> 8;
  room[at + 7] = low;
  return at + numberBytes;
}

function putString(at: number, value: string): number {
  room[at] = stringTag;
  let end = at + 1;
  for (let i = 0; i < value.length; i++) {
    const unit = value.charCodeAt(i);
    if (unit === 0 || unit >= 0x80) return putOther(at, value);
    room[end++] = unit;
  }
  room[end] = 0;
  return end + 1;
}

/** A string with zeros or with characters of several bytes. */
function putOther(at: number, value: string): number {
  let end = at + 1 + room.write(value, at + 1, "utf8");
  if (value.includes("\0")) {
    const escaped = Buffer.from(value, "utf8").toString("latin1").replaceAll("\0", "\0\xff");
    end = at + 1 + room.write(escaped, at + 1, "latin1");
  }
  room[end] = 0;
  return end + 1;
}
