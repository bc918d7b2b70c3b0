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
  let length = 0;
  for (const part of parts) length += typeof part === "number" ? 8 : part.length * 3 + 2;
  const bytes = Buffer.allocUnsafe(length + 8);
  let at = 0;
  for (const part of parts)
    at = typeof part === "number" ? putNumber(bytes, at, part) : putString(bytes, at, part);
  return bytes.subarray(0, at);
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

function putNumber(bytes: Buffer, at: number, value: number): number {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`not a key number: ${value}`);
  bytes[at] = numberTag;
  bytes[at + 1] = Math.floor(value / 2 ** 48);
  bytes.writeUIntBE(value % 2 ** 48, at + 2, 6);
  return at + 8;
}

function putString(bytes: Buffer, at: number, value: string): number {
  bytes[at] = stringTag;
  let end = at + 1 + bytes.write(value, at + 1, "utf8");
  if (value.includes("\0")) {
    const escaped = Buffer.from(value, "utf8").toString("latin1").replaceAll("\0", "\0\xff");
    end = at + 1 + bytes.write(escaped, at + 1, "latin1");
  }
  bytes[end] = 0;
  return end + 1;
}
