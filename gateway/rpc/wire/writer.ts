/** Protobuf's wire format into one growing buffer that is used again for the next message. */
export class WireWriter {
  #bytes = Buffer.allocUnsafe(startBytes);
  #at = 0;

  /** Starts a message. Whatever a failed one left behind is forgotten. */
  start(): void {
    this.#at = 0;
  }

  finish(): Buffer {
    const message = Buffer.allocUnsafe(this.#at);
    this.#bytes.copy(message, 0, 0, this.#at);
    if (this.#bytes.length > keptBytesMax) this.#bytes = Buffer.allocUnsafe(startBytes);
    return message;
  }

  /** Up to 53 bits, not negative. */
  varint(value: number): void {
    this.#ensure(10);
    const bytes = this.#bytes;
    let at = this.#at;
    let rest = value;
    while (rest > 0x7fffffff) {
      bytes[at++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    while (rest > 127) {
      bytes[at++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    bytes[at++] = rest;
    this.#at = at;
  }

  /** Any 64 bits; negative numbers take ten bytes. */
  varint64(value: number | string | bigint): void {
    if (typeof value === "number" && value >= 0 && Number.isSafeInteger(value)) {
      this.varint(value);
      return;
    }
    this.#ensure(10);
    let rest = BigInt.asUintN(64, BigInt(value));
    while (rest > 127n) {
      this.#bytes[this.#at++] = Number(rest & 127n) | 128;
      rest >>= 7n;
    }
    this.#bytes[this.#at++] = Number(rest);
  }

  fixed32(value: number): void {
    this.#ensure(4);
    this.#at = this.#bytes.writeUInt32LE(value >>> 0, this.#at);
  }

  fixed64(value: number | string | bigint): void {
    this.#ensure(8);
    this.#at = this.#bytes.writeBigUInt64LE(BigInt.asUintN(64, BigInt(value)), this.#at);
  }

  float(value: number): void {
    this.#ensure(4);
    this.#at = this.#bytes.writeFloatLE(value, this.#at);
  }

  double(value: number): void {
    this.#ensure(8);
    this.#at = this.#bytes.writeDoubleLE(value, this.#at);
  }

  string(value: string): void {
    const { length } = value;
    if (length < shortText && this.#ascii(value, length)) return;
    const bytes = Buffer.byteLength(value);
    this.varint(bytes);
    this.#ensure(bytes);
    this.#bytes.write(value, this.#at);
    this.#at += bytes;
  }

  bytes(value: Uint8Array): void {
    this.varint(value.length);
    this.raw(value);
  }

  /** Bytes that are fields already. */
  raw(value: Uint8Array): void {
    this.#ensure(value.length);
    this.#bytes.set(value, this.#at);
    this.#at += value.length;
  }

  /** What `write` writes, with its length before it. Most are short: room for one byte is left, and more made if not. */
  nested<T>(value: T, write: (writer: WireWriter, value: T) => void): void {
    this.#ensure(1);
    const from = this.#at++;
    write(this, value);
    const length = this.#at - from - 1;
    if (length < 128) {
      this.#bytes[from] = length;
      return;
    }
    this.#ensure(4);
    const end = this.#at;
    this.#at = from;
    const more = length < 16_384 ? 1 : length < 2_097_152 ? 2 : length < 268_435_456 ? 3 : 4;
    this.#bytes.copyWithin(from + 1 + more, from + 1, end);
    this.varint(length);
    this.#at = end + more;
  }

  #ascii(value: string, length: number): boolean {
    this.#ensure(length + 1);
    const bytes = this.#bytes;
    const from = this.#at + 1;
    for (let i = 0; i < length; i++) {
      const code = value.charCodeAt(i);
      if (code > 127) return false;
      bytes[from + i] = code;
    }
    bytes[this.#at] = length;
    this.#at = from + length;
    return true;
  }

  #ensure(more: number): void {
    const needed = this.#at + more;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
  }
}

const startBytes = 16 * 1_024;
/** A buffer that one large message has blown up is let go. */
const keptBytesMax = 1_024 * 1_024;
/** Below this a loop is faster than a call into the engine's own encoder. */
const shortText = 48;
