import { assert } from "#base";
import { unpack } from "../shard/codec.ts";
import { type KnownTexts, tags } from "./encoder.ts";

/** Reads what an `Encoder` wrote, from its first byte on and in order. */
export class Decoder {
  #bytes: Buffer = Buffer.alloc(0);
  #view = new DataView(this.#bytes.buffer);
  #at = 0;
  #shapes: (readonly string[])[] = [];
  readonly #texts: KnownTexts = [];

  /** The next bytes, which are whole values. */
  open(bytes: Uint8Array): void {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#at = 0;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  value(): unknown {
    const tag = this.#bytes[this.#at++]!;
    if (tag < tags.text) return tag;
    if (tag < tags.list) return this.#text(tag);
    if (tag < tags.null) return this.#list(tag & 0xf);
    switch (tag) {
      case tags.knownText:
        return this.#texts[this.#bytes[this.#at++]!];
      case tags.newText:
        return this.#newText();
      case tags.shape:
        return this.#object(this.#shapes[this.#short()]!);
      case tags.newShape:
        return this.#object(this.#newShape());
      case tags.null:
        return null;
      case tags.undefined:
        return undefined;
      case tags.false:
        return false;
      case tags.true:
        return true;
      case tags.int:
        this.#at += 4;
        return this.#view.getInt32(this.#at - 4);
      case tags.double:
        this.#at += 8;
        return this.#view.getFloat64(this.#at - 8);
      case tags.longText:
        return this.#longText();
      case tags.longList:
        return this.#list(this.#count());
      case tags.map:
        return this.#map();
      case tags.forget:
        this.#shapes = [];
        return this.value();
      default:
        return this.#packed();
    }
  }

  /** Where only a number can come. */
  number(): number {
    const value = this.value();
    assert(typeof value === "number", "a frame has a number where one belongs");
    return value;
  }

  /** Where only a text can come. */
  text(): string {
    const value = this.value();
    assert(typeof value === "string", "a frame has a text where one belongs");
    return value;
  }

  #text(tag: number): string {
    const start = this.#at;
    this.#at = start + (tag & 0x3f);
    return this.#bytes.toString("latin1", start, this.#at);
  }

  #newText(): string {
    const slot = this.#bytes[this.#at++]!;
    const text = this.#text(this.#bytes[this.#at++]!);
    this.#texts[slot] = text;
    return text;
  }

  #longText(): string {
    const length = this.#count();
    const start = this.#at;
    this.#at += length;
    return this.#bytes.toString("utf8", start, this.#at);
  }

  #list(length: number): unknown[] {
    const list: unknown[] = [];
    for (let i = 0; i < length; i++) list.push(this.value());
    return list;
  }

  #object(names: readonly string[]): Record<string, unknown> {
    const object: Record<string, unknown> = {};
    for (let i = 0; i < names.length; i++) object[names[i]!] = this.value();
    return object;
  }

  #newShape(): readonly string[] {
    const names: string[] = [];
    for (let count = this.#bytes[this.#at++]!; count > 0; count--) names.push(this.text());
    this.#shapes.push(names);
    return names;
  }

  #map(): Record<string, unknown> {
    const object: Record<string, unknown> = {};
    for (let count = this.#count(); count > 0; count--) {
      const name = this.text();
      const value = this.value();
      if (name !== "__proto__") object[name] = value;
      else
        Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
    }
    return object;
  }

  #packed(): unknown {
    const length = this.#count();
    this.#at += length;
    // A copy: bytes in it are views of what they were read from, and would keep the whole frame.
    return unpack(Buffer.from(this.#bytes.subarray(this.#at - length, this.#at)));
  }

  #count(): number {
    this.#at += 4;
    return this.#view.getUint32(this.#at - 4);
  }

  #short(): number {
    this.#at += 2;
    return this.#view.getUint16(this.#at - 2);
  }
}
