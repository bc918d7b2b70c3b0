/**
 * Order-preserving keys: `encodeTuple` compares, byte by byte, as the tuples do part by part. Parts are strings and
 * non-negative safe integers. A tuple's encoding is never a prefix of a different tuple's part, so a prefix of parts
 * is a prefix of bytes.
 */
export type TuplePart = string | number;

const stringTag = 0x02;
const numberTag = 0x04;
const escapeByte = 0xff;

export function encodeTuple(parts: readonly TuplePart[]): Uint8Array {
  const length = put(parts);
  const bytes = Buffer.allocUnsafe(length);
  room.copy(bytes, 0, 0, length);
  return bytes;
}

/** The same encoding as a string, one character a byte: JavaScript compares it unit by unit, as storage compares bytes. */
export function encodeTupleText(parts: readonly TuplePart[]): string {
  const length = put(parts);
  return room.toString("latin1", 0, length);
}

export function decodeTuple(bytes: Uint8Array): TuplePart[] {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const parts: TuplePart[] = [];
  let at = 0;
  while (at < view.length) {
    const tag = view[at++];
    if (tag === numberTag) {
      parts.push(view.readUIntBE(at, 1) * 2 ** 48 + view.readUIntBE(at + 1, 6));
      at += 7;
    } else if (tag === stringTag) {
      const part: number[] = [];
      for (; view[at] !== 0 || view[at + 1] === escapeByte; at++) {
        if (at >= view.length) throw new RangeError("tuple ends inside a string");
        part.push(view[at]!);
        if (view[at] === 0) at++;
      }
      at++;
      parts.push(Buffer.from(part).toString("utf8"));
    } else throw new RangeError(`unknown tuple tag ${tag}`);
  }
  return parts;
}

/** The first key after every key that starts with `prefix`: the end of a prefix range. */
export function afterPrefix(prefix: Uint8Array): Uint8Array {
  const end = Buffer.allocUnsafe(prefix.length + 1);
  end.set(prefix);
  end[prefix.length] = 0xff;
  return end;
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
  return typeof part === "number" ? 8 : part.length * 3 + 2;
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
  return at + 8;
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
