import { assert } from "#base";
import type { Address } from "../actor.ts";
import { unpack, valueVersion } from "./codec.ts";
import type { Partition } from "./partition.ts";
import type { Writer } from "./writer.ts";

/**
 * One position of the journal: what happened to one entity (and its twins) by the commands of one turn, with the time and
 * seeds they were decided under, and the row changes that followed. Recovery reads only the row changes; replaying the
 * events is for proof. The changes are written while the commands are applied, so they come first:
 *
 *   change*  · decision (MessagePack) · its length u32 · version u8
 *   change:  type u8 · partition (length u16 · bytes) · key (length u16 · bytes) · for a put: value (length u32 · bytes)
 *   a range: type u8 · partition · from (as a key) · to (as a key), which an open range lacks
 *
 * Most changes of a turn are in a few partitions, whose names are longer than their keys: one that the entry has named before is
 * 0x8000 plus its place among those, u16.
 */
export interface Entry extends Decision {
  /** What the changes' positions count in. */
  readonly bytes: Buffer;
  readonly changes: readonly RecordedChange[];
}

/** An entry before its changes are counted in. */
export interface Decision {
  readonly now: number;
  readonly address: Address | undefined;
  /** In the order they were applied; twins have a kind of their own. */
  readonly steps: readonly Step[];
}

/** What one command did to one entity. */
export interface Step {
  readonly kind: string;
  /** What the command drew from; empty where it drew nothing, and for a twin. */
  readonly seed: string;
  readonly events: readonly unknown[];
}

export type RecordedChange =
  | {
      readonly type: "row";
      readonly partition: Partition;
      readonly key: string;
      /** Where the entry has the value; both 0 where the row is deleted. */
      readonly start: number;
      readonly end: number;
    }
  | {
      readonly type: "range";
      readonly partition: Partition;
      readonly from: string;
      readonly to: string | undefined;
    };

const entryVersion = 4;
const tailBytes = 5;
const changeTypes = { delete: 0, put: 1, range: 2, openRange: 3 } as const;

const namedMark = 0x8000;
/** Looked through for every change: what comes after so many is written out each time. */
const namedMax = 16;

/** Partitions that an entry has named, in order. */
export type Named = Partition[];

/** Writes a row change at the writer's position. */
export function writeRow(
  writer: Writer,
  named: Named,
  partition: Partition,
  key: string,
  value: unknown,
): RecordedChange {
  writer.byte(value === undefined ? changeTypes.delete : changeTypes.put);
  writePartition(writer, named, partition);
  writer.shortText(key);
  if (value === undefined) return { type: "row", partition, key, start: 0, end: 0 };
  const length = writer.length();
  const start = writer.position;
  writer.byte(valueVersion);
  writer.value(value);
  const end = writer.position;
  writer.setLength(length, end - start);
  return { type: "row", partition, key, start, end };
}

export function writeRange(
  writer: Writer,
  named: Named,
  partition: Partition,
  from: string,
  to: string | undefined,
): RecordedChange {
  writer.byte(to === undefined ? changeTypes.openRange : changeTypes.range);
  writePartition(writer, named, partition);
  writer.shortText(from);
  if (to !== undefined) writer.shortText(to);
  return { type: "range", partition, from, to };
}

function writePartition(writer: Writer, named: Named, partition: Partition): void {
  const place = named.indexOf(partition);
  if (place >= 0) writer.short(namedMark + place);
  else {
    if (named.length < namedMax) named.push(partition);
    writer.shortText(partition.text);
  }
}

/** Writes what follows the changes. */
export function writeDecision(writer: Writer, { now, address, steps }: Decision): void {
  const start = writer.position;
  const flat: unknown[] = [now, address?.kind ?? null, address?.tenant ?? null, address?.key ?? null];
  for (const { kind, seed, events } of steps) flat.push(kind, seed, events);
  writer.value(flat);
  writer.length(writer.position - start);
  writer.byte(entryVersion);
}

export function decodeEntry(entry: Uint8Array): Entry {
  const bytes = Buffer.from(entry.buffer, entry.byteOffset, entry.length);
  const version = bytes.at(-1);
  assert(version === entryVersion, `a journal entry of version ${version} can be read`);
  const tail = bytes.length - tailBytes;
  const changesEnd = tail - bytes.readUInt32BE(tail);
  assert(changesEnd >= 0, "the decision of a journal entry is no longer than the entry");
  const [now, kind, tenant, key, ...flat] = unpack(bytes.subarray(changesEnd, tail)) as [
    number,
    string | null,
    string,
    string,
    ...unknown[],
  ];
  const steps: Step[] = [];
  for (let i = 0; i < flat.length; i += 3)
    steps.push({ kind: flat[i] as string, seed: flat[i + 1] as string, events: flat[i + 2] as unknown[] });
  const address = kind === null ? undefined : { kind, tenant, key };
  return { now, address, steps, bytes, changes: decodeChanges(bytes, changesEnd) };
}

function decodeChanges(bytes: Buffer, end: number): RecordedChange[] {
  const changes: RecordedChange[] = [];
  const named: Partition[] = [];
  let at = 0;
  const take = () => {
    const from = at + 2;
    at = from + bytes.readUInt16BE(at);
    return bytes.toString("latin1", from, at);
  };
  const takePartition = () => {
    const head = bytes.readUInt16BE(at);
    if (head >= namedMark) {
      at += 2;
      const partition = named[head - namedMark];
      assert(partition !== undefined, "a journal entry has named the partition it refers to");
      return partition;
    }
    const partition = { text: take(), collection: "" };
    named.push(partition);
    return partition;
  };
  while (at < end) {
    const type = bytes[at++];
    const partition = takePartition();
    const key = take();
    switch (type) {
      case changeTypes.delete:
        changes.push({ type: "row", partition, key, start: 0, end: 0 });
        break;
      case changeTypes.put: {
        const start = at + 4;
        at = start + bytes.readUInt32BE(at);
        changes.push({ type: "row", partition, key, start, end: at });
        break;
      }
      case changeTypes.range:
        changes.push({ type: "range", partition, from: key, to: take() });
        break;
      case changeTypes.openRange:
        changes.push({ type: "range", partition, from: key, to: undefined });
        break;
      default:
        assert(false, `a journal entry has no change of type ${type}`);
    }
  }
  assert(at === end, "the changes of a journal entry end where its decision begins");
  return changes;
}
