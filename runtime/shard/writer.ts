import { pack, referenceType } from "./codec.ts";
import { isPlain } from "./plain.ts";
import { isLong, type Written } from "./written.ts";

/** Room for some dozens of commands. What is stored late keeps its slab in memory, so it is not large. */
const slabBytes = 64 * 1_024;
/** A part larger than this is rare: its slab has no room for others, and is not kept. */
const doubledBytesMax = 1_024 * 1_024;
/** From this length on a text is measured first, instead of having room for the most it could take. */
const measuredLengthMin = 4_096;

/**
 * Puts values and texts one behind the other into slabs of memory. A slab is never written twice, so a reader that was given
 * a part of it may keep it; what was begun and not ended is written over by the next.
 *
 * Values are MessagePack, as msgpackr reads it. Writing it here takes half of msgpackr's time, and saves a buffer for
 * every value.
 */
export class Writer {
  bytes = Buffer.allocUnsafeSlow(slabBytes);
  #view = viewOf(this.bytes);
  /** Where the open part begins: positions count from here, because it may have to move to another slab. */
  #start = 0;
  #at = 0;
  /** What is written now may refer to this. */
  #referred: Written | undefined;

  /** Drops what was not ended and begins anew. */
  begin(): void {
    this.#at = this.#start;
    this.#referred = undefined;
  }

  end(): Buffer {
    const part = this.bytes.subarray(this.#start, this.#at);
    this.#start = this.#at;
    return part;
  }

  get position(): number {
    return this.#at - this.#start;
  }

  /** Where the open part begins in `bytes`. */
  get start(): number {
    return this.#start;
  }

  byte(value: number): void {
    this.#room(1);
    this.bytes[this.#at++] = value;
  }

  /** A length of 32 bits, and the place to put it later. */
  length(value = 0): number {
    this.#room(4);
    const position = this.position;
    this.#view.setUint32(this.#at, value);
    this.#at += 4;
    return position;
  }

  double(value: number): void {
    this.#room(8);
    this.#view.setFloat64(this.#at, value);
    this.#at += 8;
  }

  setLength(position: number, value: number): void {
    this.#view.setUint32(this.#start + position, value);
  }

  short(value: number): void {
    this.#room(2);
    this.#short(value);
  }

  /** A text of one byte a character behind its length of 16 bits. */
  shortText(text: string): void {
    const { length } = text;
    this.#room(length + 2);
    this.#short(length);
    if (length > 64) this.bytes.write(text, this.#at, "latin1");
    else for (let i = 0; i < length; i++) this.bytes[this.#at + i] = text.charCodeAt(i);
    this.#at += length;
  }

  /** The value of a row: it can be referred to from now on, and the long lists that a short one has. */
  row(value: unknown, written: Written): void {
    if (typeof value !== "object" || value === null) {
      this.value(value);
      return;
    }
    const start = this.position;
    if (Array.isArray(value) && !isLong(value)) {
      this.#head(value.length, 0x90, 0xdc);
      for (const part of value)
        if (isLong(part)) this.row(part, written);
        else this.value(part);
    } else this.#object(value);
    written.add(value, start, this.position);
  }

  /** A value that refers to what is written already. */
  referring(value: unknown, written: Written): void {
    this.#referred = written;
    this.value(value);
    this.#referred = undefined;
  }

  #refer(value: object, written: Written): boolean {
    const reference = written.find(value);
    if (reference === undefined) return false;
    this.#room(10);
    this.bytes[this.#at] = 0xd7;
    this.bytes[this.#at + 1] = referenceType;
    this.#view.setUint32(this.#at + 2, reference.start);
    this.#view.setUint32(this.#at + 6, reference.end);
    this.#at += 10;
    return true;
  }

  /** A chain and not a switch: each test of a type is a look at its tag, while a switch has the type's name made first (a tenth more). */
  value(value: unknown): void {
    if (typeof value === "string") this.#string(value);
    else if (typeof value === "number") this.#number(value);
    else if (typeof value === "object") {
      if (value === null) this.byte(0xc0);
      else this.#object(value);
    } else if (typeof value === "boolean") this.byte(value ? 0xc3 : 0xc2);
    else if (value === undefined) this.#undefined();
    else this.#other(value);
  }

  #undefined(): void {
    this.#room(3);
    this.bytes.fill(0, this.#at, this.#at + 3);
    this.bytes[this.#at] = 0xd4;
    this.#at += 3;
  }

  #object(value: object): void {
    if (this.#referred !== undefined && this.#refer(value, this.#referred)) return;
    if (Array.isArray(value)) {
      this.#head(value.length, 0x90, 0xdc);
      for (let i = 0; i < value.length; i++) this.value(value[i]);
      return;
    }
    if (isPlain(value)) this.#plain(value);
    else this.#other(value);
  }

  /** Counted before it is written: a head that turns out too short would have everything below it written twice. */
  #plain(object: Record<string, unknown>): void {
    let count = 0;
    for (const _ in object) count++;
    this.#head(count, 0x80, 0xde);
    for (const key in object) {
      this.#string(key);
      this.value(object[key]);
    }
  }

  #head(count: number, small: number, medium: number): void {
    this.#room(5);
    if (count < 16) this.bytes[this.#at++] = small | count;
    else if (count < 0x10000) {
      this.bytes[this.#at++] = medium;
      this.#short(count);
    } else {
      this.bytes[this.#at++] = medium + 1;
      this.#view.setUint32(this.#at, count);
      this.#at += 4;
    }
  }

  #number(value: number): void {
    this.#room(9);
    const { bytes } = this;
    if (value >>> 0 !== value) {
      if (value === (value | 0)) {
        if (value >= -0x20) bytes[this.#at++] = value;
        else {
          bytes[this.#at] = 0xd2;
          this.#view.setInt32(this.#at + 1, value);
          this.#at += 5;
        }
      } else {
        bytes[this.#at] = 0xcb;
        this.#view.setFloat64(this.#at + 1, value);
        this.#at += 9;
      }
    } else if (value < 0x80) bytes[this.#at++] = value;
    else if (value < 0x10000) {
      bytes[this.#at++] = 0xcd;
      this.#short(value);
    } else {
      bytes[this.#at] = 0xce;
      this.#view.setUint32(this.#at + 1, value);
      this.#at += 5;
    }
  }

  #string(text: string): void {
    const { length } = text;
    this.#room(5 + (length < measuredLengthMin ? length * 3 : Buffer.byteLength(text)));
    if (length >= 0x40 || !this.#shortString(text, length)) this.#longString(text);
  }

  /** False where a character takes more than a byte: nothing is written then. */
  #shortString(text: string, length: number): boolean {
    const { bytes } = this;
    const head = length < 0x20 ? 1 : 2;
    let end = this.#at + head;
    for (let i = 0; i < length; i++) {
      const unit = text.charCodeAt(i);
      if (unit >= 0x80) return false;
      bytes[end++] = unit;
    }
    if (head === 1) bytes[this.#at] = 0xa0 | length;
    else {
      bytes[this.#at] = 0xd9;
      bytes[this.#at + 1] = length;
    }
    this.#at = end;
    return true;
  }

  #longString(text: string): void {
    const length = this.bytes.write(text, this.#at + 5, "utf8");
    this.bytes[this.#at] = 0xdb;
    this.#view.setUint32(this.#at + 1, length);
    this.#at += 5 + length;
  }

  /** What is no plain data: bytes, dates, maps. */
  #other(value: unknown): void {
    const packed = pack(value);
    this.#room(packed.length);
    this.bytes.set(packed, this.#at);
    this.#at += packed.length;
  }

  #short(value: number): void {
    this.bytes[this.#at++] = value >>> 8;
    this.bytes[this.#at++] = value;
  }

  /** Moves the open part to a fresh slab when this one has no room for so much more. */
  #room(more: number): void {
    if (this.#at + more <= this.bytes.length) return;
    const needed = this.position + more;
    this.#replaceSlab(Math.max(slabBytes, needed + Math.min(needed, doubledBytesMax)));
  }

  #replaceSlab(size: number): void {
    const begun = this.position;
    const fresh = Buffer.allocUnsafeSlow(size);
    this.bytes.copy(fresh, 0, this.#start, this.#at);
    this.bytes = fresh;
    this.#view = viewOf(fresh);
    this.#start = 0;
    this.#at = begun;
  }
}

function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
