import { limits as defaults } from "#base";
import { pack } from "../shard/codec.ts";
import { isPlain } from "../shard/plain.ts";
import { type ShapeNode, Shapes } from "./shapes.ts";

/** The first byte of a value. Below `text` a whole number is its own tag, and short texts and lists carry their length. */
export const tags = {
  text: 0x80,
  list: 0xc0,
  null: 0xd0,
  undefined: 0xd1,
  false: 0xd2,
  true: 0xd3,
  int: 0xd4,
  double: 0xd5,
  longText: 0xd6,
  newText: 0xd7,
  knownText: 0xd8,
  longList: 0xd9,
  shape: 0xda,
  newShape: 0xdb,
  map: 0xdc,
  packed: 0xdd,
  forget: 0xde,
} as const;

/**
 * Short texts that went over a link lately, by a slot that follows from the text. The two ends keep the same: a text
 * that is not in its slot goes as it is and takes the slot. Tenants, kinds and methods come with every ask; that the
 * reader gets the same string again saves it from reading it, and those after it from hashing it.
 */
export type KnownTexts = (string | undefined)[];

const slotCount = 256;
const lengthMin = 3;
/** An id fits, a request's own id (36) does not: it never comes twice. */
const lengthMax = 32;

const startBytes = 16 * 1_024;
/** From this length on a text is measured first, instead of having room for the most it could take. */
const measuredLengthMin = 4_096;
const shortTextMax = 0x3f;

/**
 * Writes plain values for one reader that reads all of them in order: what both have seen before (names of members,
 * short texts) is a number from then on. Nothing of it may be stored.
 */
export class Encoder {
  length = 0;
  #bytes = Buffer.allocUnsafeSlow(startBytes);
  #view = new DataView(this.#bytes.buffer);
  #shapes = new Shapes();
  #texts: KnownTexts = [];
  /** A buffer that grew for something larger than the usual frame is not kept. */
  readonly #keptBytesMax: number;

  constructor(frameBytes: number = defaults.linkFrameBytes) {
    this.#keptBytesMax = 2 * frameBytes;
  }

  /** What was written since the last time, in memory of its own, to be given away. */
  take(): Uint8Array<ArrayBuffer> {
    const taken = new Uint8Array(this.length);
    taken.set(this.#bytes.subarray(0, this.length));
    this.length = 0;
    if (this.#bytes.length > this.#keptBytesMax) this.#resize(startBytes);
    return taken;
  }

  /** Takes back what was written from this length on, and whatever the reader would have learned from it. */
  cut(length: number): void {
    this.length = length;
    this.#forget();
  }

  /** A chain and not a switch, as in the journal's writer: each test of a type is a look at its tag. */
  value(value: unknown): void {
    if (typeof value === "string") this.#text(value);
    else if (typeof value === "number") this.#number(value);
    else if (typeof value === "object") {
      if (value === null) this.#byte(tags.null);
      else this.#object(value);
    } else if (typeof value === "boolean") this.#byte(value ? tags.true : tags.false);
    else if (value === undefined) this.#byte(tags.undefined);
    else this.#packed(value);
  }

  #byte(value: number): void {
    this.#room(1);
    this.#bytes[this.length++] = value;
  }

  #object(value: object): void {
    if (Array.isArray(value)) {
      const { length } = value;
      if (length < 16) this.#byte(tags.list | length);
      else this.#head(tags.longList, length);
      for (let i = 0; i < length; i++) this.value(value[i]);
      return;
    }
    if (isPlain(value)) this.#plain(value);
    else this.#packed(value);
  }

  #plain(object: Record<string, unknown>): void {
    const node = this.#shapeOf(object);
    if (node === undefined) {
      this.#map(object);
      return;
    }
    if (node.shape < 0) this.#newShape(node);
    else {
      this.#room(3);
      this.#bytes[this.length++] = tags.shape;
      this.#short(node.shape);
    }
    for (const name in object) this.value(object[name]);
  }

  #shapeOf(object: Record<string, unknown>): ShapeNode | undefined {
    let node = this.#shapes.root;
    for (const name in object) {
      const next = node.name === name ? node.next : this.#shapes.follow(node, name);
      if (next === undefined) return undefined;
      node = next;
    }
    return node;
  }

  #newShape(node: ShapeNode): void {
    const names = this.#shapes.define(node);
    this.#room(2);
    this.#bytes[this.length++] = tags.newShape;
    this.#bytes[this.length++] = names.length;
    for (const name of names) this.#text(name);
  }

  /** What has no shape. */
  #map(object: Record<string, unknown>): void {
    if (this.#shapes.full) this.#forget();
    let count = 0;
    for (const _ in object) count++;
    this.#head(tags.map, count);
    for (const name in object) {
      this.#text(name);
      this.value(object[name]);
    }
  }

  /** Callers choose some names and texts, so there is always room for new ones: those that are in use soon come again. */
  #forget(): void {
    this.#byte(tags.forget);
    this.#shapes = new Shapes();
    this.#texts = [];
  }

  #number(value: number): void {
    this.#room(9);
    if (value === (value | 0)) {
      if (value >= 0 && value < tags.text) {
        this.#bytes[this.length++] = value;
        return;
      }
      this.#bytes[this.length] = tags.int;
      this.#view.setInt32(this.length + 1, value);
      this.length += 5;
      return;
    }
    this.#bytes[this.length] = tags.double;
    this.#view.setFloat64(this.length + 1, value);
    this.length += 9;
  }

  #text(text: string): void {
    const { length } = text;
    this.#room(3 + shortTextMax);
    if (length > shortTextMax) this.#longText(text);
    else if (isKnownText(length)) this.#knownText(text);
    else if (!this.#shortText(text)) this.#longText(text);
  }

  #knownText(text: string): void {
    const slot = slotOf(text);
    const start = this.length;
    this.#bytes[this.length++] = this.#texts[slot] === text ? tags.knownText : tags.newText;
    this.#bytes[this.length++] = slot;
    if (this.#texts[slot] === text) return;
    if (this.#shortText(text)) this.#texts[slot] = text;
    else {
      this.length = start;
      this.#longText(text);
    }
  }

  /** False where a character takes more than a byte: nothing is written then. */
  #shortText(text: string): boolean {
    const bytes = this.#bytes;
    const { length } = text;
    let end = this.length + 1;
    for (let i = 0; i < length; i++) {
      const unit = text.charCodeAt(i);
      if (unit >= 0x80) return false;
      bytes[end++] = unit;
    }
    bytes[this.length] = tags.text | length;
    this.length = end;
    return true;
  }

  #longText(text: string): void {
    this.#room(5 + (text.length < measuredLengthMin ? text.length * 3 : Buffer.byteLength(text)));
    const length = this.#bytes.write(text, this.length + 5);
    this.#bytes[this.length] = tags.longText;
    this.#view.setUint32(this.length + 1, length);
    this.length += 5 + length;
  }

  /** What is no plain data: bytes, dates, maps. */
  #packed(value: unknown): void {
    const packed = pack(value);
    this.#head(tags.packed, packed.length);
    this.#room(packed.length);
    this.#bytes.set(packed, this.length);
    this.length += packed.length;
  }

  #head(tag: number, count: number): void {
    this.#room(5);
    this.#bytes[this.length] = tag;
    this.#view.setUint32(this.length + 1, count);
    this.length += 5;
  }

  #short(value: number): void {
    this.#bytes[this.length++] = value >>> 8;
    this.#bytes[this.length++] = value;
  }

  #room(more: number): void {
    const needed = this.length + more;
    if (needed > this.#bytes.length) this.#resize(needed + Math.min(needed, this.#keptBytesMax));
  }

  #resize(size: number): void {
    const fresh = Buffer.allocUnsafeSlow(size);
    this.#bytes.copy(fresh, 0, 0, this.length);
    this.#bytes = fresh;
    this.#view = new DataView(fresh.buffer);
  }
}

function isKnownText(length: number): boolean {
  return length >= lengthMin && length <= lengthMax;
}

/** Ids differ at their ends, names anywhere. */
function slotOf(text: string): number {
  const { length } = text;
  const hash =
    text.charCodeAt(length - 1) * 31 +
    text.charCodeAt(length - 2) * 131 +
    text.charCodeAt(length >> 1) * 17 +
    text.charCodeAt(0) * 7 +
    length * 3;
  return hash & (slotCount - 1);
}
