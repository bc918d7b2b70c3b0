/**
 * Reads the pages of an LMDB file without its driver, and checks that they do not contradict each other. The driver trusts its pages:
 * it answers wrongly from a corrupt one, or ends the process (SIGBUS, SIGSEGV).
 */
import { fstatSync, readSync } from "node:fs";

export const pageBytes = 4_096;

/** The tree of the rows, or of the lists of free pages, as a meta page describes it. */
export interface Tree {
  readonly flags: number;
  readonly depth: number;
  readonly branchPages: number;
  readonly leafPages: number;
  readonly longPages: number;
  readonly entries: number;
  /** Absent: the tree is empty. */
  readonly root: number | undefined;
}

interface Meta {
  readonly transaction: bigint;
  readonly lastPage: number;
  readonly free: Tree;
  readonly rows: Tree;
}

/** Receives an entry of a tree; key and value lie in buffers that are used again. */
type Each = (key: Buffer, value: Buffer) => void;

/** A page that contradicts another one, or itself. */
export class CorruptPage extends Error {}

export class Pages {
  readonly #file: number;
  readonly #bytes: number;
  readonly meta: Meta;
  /** 1: the page is in use. */
  readonly #used: Uint8Array;

  constructor(file: number) {
    this.#file = file;
    this.#bytes = fstatSync(file).size;
    this.meta = this.#newestMeta();
    const { lastPage } = this.meta;
    // The file is shorter where its last pages are free.
    if (lastPage > this.#bytes / pageBytes + freeAtEndMax) throw corrupt(0, `its last page is ${lastPage}`);
    this.#used = new Uint8Array(lastPage + 1).fill(1, 0, 2);
  }

  /** All rows in the order of their keys. */
  walkRows(each: Each): Generator<void> {
    return this.#walk(this.meta.rows, Buffer.compare, each);
  }

  /** Marks pages that a list of free pages has: none is in use, and none is in two lists. */
  walkFree(): Generator<void> {
    return this.#walk(this.meta.free, compareNumbers, (_, list) => {
      const count = list.length < 8 ? Number.POSITIVE_INFINITY : Number(list.readBigUInt64LE(0));
      if (count > list.length / 8 - 1) throw corrupt(0, "a list of free pages is longer than its record");
      for (let at = 1; at <= count; at++) {
        let entry = Number(list.readBigInt64LE(at * 8));
        let length = 1;
        // A negative number is the length of a run; its first page follows.
        if (entry < 0 && at < count) {
          length = -entry;
          entry = Number(list.readBigInt64LE(++at * 8));
        }
        if (entry !== 0) this.#take(entry, length, "free");
      }
    });
  }

  *#walk(tree: Tree, compare: typeof Buffer.compare, each: Each): Generator<void> {
    const counts = { branchPages: 0, leafPages: 0, longPages: 0, entries: 0 };
    const buffers = Array.from({ length: tree.depth }, () => Buffer.allocUnsafe(pageBytes));
    const pages = this;

    /** Keys of the page are not below `from`, and below `to`. */
    function* visit(number: number, depth: number, from?: Buffer, to?: Buffer): Generator<void> {
      const page = buffers[depth]!;
      pages.#read(number, page);
      const isLeaf = depth === tree.depth - 1;
      if (page.readUInt16LE(flagsAt) !== (isLeaf ? leafPage : branchPage))
        throw corrupt(number, "its type does not fit its place");
      counts[isLeaf ? "leafPages" : "branchPages"]++;
      const nodes = nodesOf(number, page, isLeaf);
      const keys: (Buffer | undefined)[] = nodes.map((node) => keyAt(page, node));
      // The first key of a branch page is never looked at.
      if (!isLeaf) keys[0] = from;
      else if (from && keys[0] && compare(from, keys[0]) > 0) throw corrupt(number, unordered);
      for (const [at, key] of keys.entries()) {
        const next = keys[at + 1] ?? to;
        if (key && next && compare(key, next) >= 0) throw corrupt(number, unordered);
      }
      if (isLeaf) nodes.forEach((node, at) => void leafEntry(number, page, node, keys[at]!));
      else {
        yield;
        for (const [at, node] of nodes.entries()) {
          const child = page.readUInt32LE(node) + page.readUInt16LE(node + 4) * 2 ** 32;
          yield* visit(child, depth + 1, keys[at], keys[at + 1] ?? to);
        }
      }
    }

    function leafEntry(number: number, page: Buffer, node: number, key: Buffer): void {
      counts.entries++;
      const bytes = page.readUInt32LE(node);
      const start = node + nodeHeaderBytes + key.length;
      if (page.readUInt16LE(node + 4) === 0) each(key, page.subarray(start, start + bytes));
      else {
        const long = pages.#longValue(number, page, start, bytes);
        counts.longPages += long.length / pageBytes;
        each(key, long.subarray(pageHeaderBytes, pageHeaderBytes + bytes));
      }
    }

    if (tree.root !== undefined) yield* visit(tree.root, 0);
    else if (tree.depth !== 0) throw corrupt(0, "it has no root");
    for (const [field, noun] of counted)
      if (tree[field] !== counts[field])
        throw corrupt(0, `${counts[field]} ${noun} are there, and ${tree[field]} were written`);
  }

  #newestMeta(): Meta {
    const [first, second] = [0, 1].map((number) => {
      const page = Buffer.alloc(pageBytes);
      if (this.#bytes < (number + 1) * pageBytes) throw corrupt(number, `the file has ${this.#bytes} bytes`);
      readSync(this.#file, page, 0, pageBytes, number * pageBytes);
      return metaIn(number, page);
    });
    return first!.transaction >= second!.transaction ? first! : second!;
  }

  #read(number: number, page: Buffer): void {
    this.#take(number, 1, "used");
    readSync(this.#file, page, 0, pageBytes, number * pageBytes);
    this.#header(number, page);
  }

  #header(number: number, page: Buffer): void {
    if (page.readUInt32LE(0) + page.readUInt32LE(4) * 2 ** 32 !== number)
      throw corrupt(number, "it is another page");
    if (page.readBigUInt64LE(8) > this.meta.transaction)
      throw corrupt(number, "its transaction is yet to come");
  }

  #longValue(holder: number, page: Buffer, at: number, bytes: number): Buffer {
    const first = page.readUInt32LE(at) + page.readUInt32LE(at + 4) * 2 ** 32;
    // A shorter value that replaced a longer one in the same transaction keeps its pages.
    const count = Number(page.readBigUInt64LE(at + 16));
    if (count * pageBytes < pageHeaderBytes + bytes)
      throw corrupt(holder, "a long value is longer than its pages");
    this.#take(first, count, "used");
    const values = Buffer.allocUnsafe(count * pageBytes);
    readSync(this.#file, values, 0, values.length, first * pageBytes);
    this.#header(first, values);
    if (
      values.readUInt16LE(flagsAt) !== longPage ||
      values.readUInt32LE(20) !== count ||
      values.compare(page, at + 8, at + 16, 8, 16) !== 0
    )
      throw corrupt(first, "it is not the first page of its value");
    return values;
  }

  #take(first: number, count: number, how: "used" | "free"): void {
    if (!(first >= 2 && first + count - 1 <= this.meta.lastPage))
      throw corrupt(first, "there is no such page");
    if (how === "used" && (first + count) * pageBytes > this.#bytes)
      throw new CorruptPage(
        `is cut short: it has ${this.#bytes} bytes, and offset ${(first + count - 1) * pageBytes} is used`,
      );
    for (let page = first; page < first + count; page++)
      if (this.#used[page]!++ !== 0) throw corrupt(page, `it is ${how} and already in use`);
  }
}

function keyAt(page: Buffer, node: number): Buffer {
  const start = node + nodeHeaderBytes;
  return page.subarray(start, start + page.readUInt16LE(node + 6));
}

/** Numbers are stored with their lowest byte first. */
function compareNumbers(a: Uint8Array, b: Uint8Array): -1 | 0 | 1 {
  return Buffer.compare(Buffer.from(a).reverse(), Buffer.from(b).reverse());
}

/** The places of a page's nodes, in the order of their keys. Nodes fill the page from `upper` to its end, without a gap. */
function nodesOf(number: number, page: Buffer, isLeaf: boolean): number[] {
  const [lower, upper] = [page.readUInt16LE(20), page.readUInt16LE(22)];
  if (lower === 0 || lower % 2 !== 0 || lower > upper || pageHeaderBytes + upper > pageBytes)
    throw corrupt(number, "its header has impossible sizes");
  const nodes: number[] = [];
  let filled = 0;
  for (let at = 0; at < lower; at += 2) {
    const node = pageHeaderBytes + page.readUInt16LE(pageHeaderBytes + at);
    if (node % 2 !== 0 || node < pageHeaderBytes + upper || node + nodeHeaderBytes > pageBytes)
      throw corrupt(number, "an entry lies outside");
    const bytes = nodeBytes(number, page, node, isLeaf);
    if (node + bytes > pageBytes) throw corrupt(number, "an entry is longer than the page");
    filled += bytes;
    nodes.push(node);
  }
  // Keys are in ascending order, so no two nodes are the same; with this sum they do not overlap either.
  if (filled !== pageBytes - pageHeaderBytes - upper) throw corrupt(number, "its entries do not fill it");
  return nodes;
}

function nodeBytes(number: number, page: Buffer, node: number, isLeaf: boolean): number {
  const head = nodeHeaderBytes + page.readUInt16LE(node + 6);
  const flags = page.readUInt16LE(node + 4);
  if (!isLeaf) return even(head);
  if (flags !== 0 && flags !== longValue) throw corrupt(number, "an entry has an unknown type");
  return even(head + (flags === longValue ? longValueBytes : page.readUInt32LE(node)));
}

function even(bytes: number): number {
  return bytes + (bytes & 1);
}

function metaIn(number: number, page: Buffer): Meta {
  const sound =
    page.readUInt16LE(flagsAt) === metaPage &&
    page.readUInt32LE(24) === 0xbeefc0de &&
    page.readUInt32LE(28) === layoutVersion &&
    page.readUInt32LE(48) === pageBytes;
  if (!sound) throw corrupt(number, "it is no meta page");
  const meta = {
    transaction: page.readBigUInt64LE(152),
    lastPage: Number(page.readBigUInt64LE(144)),
    free: treeIn(page, 48),
    rows: treeIn(page, 96),
  };
  if (meta.free.flags !== numberKeys || meta.rows.flags !== 0) throw corrupt(number, "it has unknown flags");
  return meta;
}

function treeIn(page: Buffer, at: number): Tree {
  const number = (offset: number) => Number(page.readBigUInt64LE(at + offset));
  return {
    flags: page.readUInt16LE(at + 4),
    depth: page.readUInt16LE(at + 6),
    branchPages: number(8),
    leafPages: number(16),
    longPages: number(24),
    entries: number(32),
    root: page.readBigUInt64LE(at + 40) === 0xffff_ffff_ffff_ffffn ? undefined : number(40),
  };
}

function corrupt(page: number, why: string): CorruptPage {
  return new CorruptPage(`is corrupt at offset ${page * pageBytes}: ${why}`);
}

const unordered = "its keys are not in order";
const counted = [
  ["branchPages", "branch pages"],
  ["leafPages", "leaf pages"],
  ["longPages", "pages of long values"],
  ["entries", "entries"],
] as const;
/** Free pages at the end of the file need not be written. */
const freeAtEndMax = 2 ** 20;
const pageHeaderBytes = 24;
const nodeHeaderBytes = 8;
const longValueBytes = 24;
const flagsAt = 18;
const branchPage = 1;
const leafPage = 2;
const longPage = 4;
const metaPage = 8;
const longValue = 1;
const numberKeys = 8;
const layoutVersion = 2;
