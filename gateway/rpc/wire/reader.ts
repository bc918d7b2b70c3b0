import { isUtf8 } from "node:buffer";
import { limits } from "#base";

/** Protobuf's wire format out of one buffer. Throws on anything that is not well-formed. */
export class WireReader {
  readonly #bytes: Buffer;
  at: number;
  readonly end: number;

  constructor(bytes: Buffer, at = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.at = at;
    this.end = end;
  }

  /** A varint of up to 32 bits; higher ones are dropped, as the format asks. */
  uint32(): number {
    const bytes = this.#bytes;
    const first = this.at < this.end ? bytes[this.at]! : broken();
    if (first < 128) {
      this.at++;
      return first;
    }
    return Number(BigInt.asUintN(32, this.uint64()));
  }

  int32(): number {
    return this.uint32() | 0;
  }

  uint64(): bigint {
    const bytes = this.#bytes;
    let low = 0;
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.at < this.end ? bytes[this.at++]! : broken();
      low |= (byte & 127) << shift;
      if (byte < 128) return BigInt(low);
    }
    let value = BigInt(low);
    for (let shift = 28n; shift < 70n; shift += 7n) {
      const byte = this.at < this.end ? bytes[this.at++]! : broken();
      if (shift === 63n && byte > 1) broken();
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
    return broken();
  }

  /** As a number, which is exact up to 53 bits; validation refuses what is beyond. */
  int64Number(): number {
    const bytes = this.#bytes;
    let value = 0;
    let factor = 1;
    for (let at = this.at; at < this.at + 7 && at < this.end; at++) {
      const byte = bytes[at]!;
      value += (byte & 127) * factor;
      if (byte < 128) {
        this.at = at + 1;
        return value;
      }
      factor *= 128;
    }
    return Number(BigInt.asIntN(64, this.uint64()));
  }

  fixed32(): number {
    return this.#bytes.readUInt32LE(this.#take(4));
  }

  fixed64(): bigint {
    return this.#bytes.readBigUInt64LE(this.#take(8));
  }

  float(): number {
    return this.#bytes.readFloatLE(this.#take(4));
  }

  double(): number {
    return this.#bytes.readDoubleLE(this.#take(8));
  }

  string(): string {
    const length = this.uint32();
    const from = this.#take(length);
    const text = this.#bytes.toString("utf8", from, this.at);
    if (text.includes("\ufffd") && !isUtf8(this.#bytes.subarray(from, this.at))) broken();
    return text;
  }

  bytes(): Buffer {
    const length = this.uint32();
    const from = this.#take(length);
    return this.#bytes.subarray(from, this.at);
  }

  /** Everything that is left. */
  rest(): Buffer {
    const from = this.at;
    this.at = this.end;
    return this.#bytes.subarray(from, this.end);
  }

  /** A reader of the next length-delimited part, which this one passes over. */
  nested(): WireReader {
    const length = this.uint32();
    const from = this.#take(length);
    return new WireReader(this.#bytes, from, this.at);
  }

  skip(wireType: number, depth: number): void {
    switch (wireType) {
      case 0:
        this.uint64();
        return;
      case 1:
        this.#take(8);
        return;
      case 2:
        this.#take(this.uint32());
        return;
      case 3:
        this.#skipGroup(depth);
        return;
      case 5:
        this.#take(4);
        return;
      default:
        broken();
    }
  }

  #skipGroup(depth: number): void {
    if (depth > depthMax) broken();
    for (;;) {
      const wireType = this.uint32() & 7;
      if (wireType === 4) return;
      this.skip(wireType, depth + 1);
    }
  }

  #take(length: number): number {
    const from = this.at;
    if (from + length > this.end) broken();
    this.at = from + length;
    return from;
  }
}

/**
 * Messages in messages. A level of JSON is two of them, so a payload may be nested as deep as REST takes it, behind the
 * request and one more.
 */
export const depthMax = 2 * limits.jsonDepthMax + 2;

export function broken(): never {
  throw new Error("the bytes are not protobuf");
}
