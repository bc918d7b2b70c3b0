import { assert } from "#base";
import type { Address } from "../actor.ts";
import { anyFormat, downcast, ownShape, writtenVersion } from "../row-shape.ts";
import { Reference, unpack } from "./codec.ts";
import type { Partition } from "./partition.ts";
import type { Writer } from "./writer.ts";
import type { Written } from "./written.ts";

/**
 * One position of the journal: what happened to one entity (and its twins) by the commands of one turn, with the time and
 * seeds they were decided under, and the row changes that followed. Recovery reads only the row changes; replaying the
 * events is for proof. The changes are written while the commands are applied, so they come first:
 *
 *   change*  · decision (MessagePack) · its length u32 · time f64 · version u8
 *   change:  type u8 · partition (length u16 · bytes) · key (length u16 · bytes) · for a put: value (length u32 · bytes)
 *   a put of the same value as the one before: type u8 · partition · key · where that begins and ends, u32 each
 *   a range: type u8 · partition · from (as a key) · to (as a key)
 *
 * Most changes of a turn are in a few partitions, whose names are longer than their keys: one that the entry has named before is
 * 0x8000 plus its place among those, u16. Events mostly hold what rows do: a list that is part of a row is a reference in them.
 */
export interface Entry extends Changes, Decision {}

/** What recovery reads of an entry. */
export interface Changes {
  readonly now: number;
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
      readonly to: string;
    };

const entryVersion = 1;
const tailBytes = 13;
const changeTypes = { delete: 0, put: 1, range: 2, putSame: 4 } as const;

const namedMark = 0x8000;

/** Recovery moves values and reads none. */
const anyShape = ownShape("");

/** Writes a row change at the writer's position, in the shape of this format. */
export function writeRow(
  writer: Writer,
  written: Written,
  partition: Partition,
  key: string,
  shaped: unknown,
  format = anyFormat,
): RecordedChange {
  const version = writtenVersion(partition, format);
  const value = shaped === undefined ? undefined : downcast(shaped, version, partition);
  const isSame = written.isLastRow(value, version);
  writer.byte(value === undefined ? changeTypes.delete : isSame ? changeTypes.putSame : changeTypes.put);
  writePartition(writer, written, partition);
  writer.shortText(key);
  if (value === undefined) return { type: "row", partition, key, start: 0, end: 0 };
  if (isSame) {
    const { lastStart: start, lastEnd: end } = written;
    writer.length(start - written.origin);
    writer.length(end - written.origin);
    return { type: "row", partition, key, start, end };
  }
  const length = writer.length();
  const start = writer.position;
  writer.byte(version);
  writer.row(value, written);
  const end = writer.position;
  writer.setLength(length, end - start);
  written.addRow(value, version, start, end);
  return { type: "row", partition, key, start, end };
}

export function writeRange(
  writer: Writer,
  written: Written,
  partition: Partition,
  from: string,
  to: string,
): RecordedChange {
  writer.byte(changeTypes.range);
  writePartition(writer, written, partition);
  writer.shortText(from);
  writer.shortText(to);
  return { type: "range", partition, from, to };
}

function writePartition(writer: Writer, written: Written, partition: Partition): void {
  const place = written.partition(partition);
  if (place >= 0) writer.short(namedMark + place);
  else writer.shortText(partition.text);
}

/** Writes what follows the changes. */
export function writeDecision(writer: Writer, written: Written, { now, address, steps }: Decision): void {
  const start = writer.position;
  const flat: unknown[] = [address?.kind ?? null, address?.tenant ?? null, address?.key ?? null];
  for (const { kind, seed, events } of steps) flat.push(kind, seed, events);
  writer.referring(flat, written);
  writer.length(writer.position - start);
  writer.double(now);
  writer.byte(entryVersion);
}

export function decodeChanges(entry: Uint8Array): Changes {
  const { now, bytes, changesEnd } = openEntry(entry);
  return { now, bytes, changes: changesBefore(bytes, changesEnd) };
}

export function decodeEntry(entry: Uint8Array): Entry {
  const { now, bytes, changesEnd, tail } = openEntry(entry);
  const decision = unpack(bytes.subarray(changesEnd, tail));
  const [kind, tenant, key, ...flat] = resolved(decision, bytes.subarray(0, changesEnd)) as [
    string | null,
    string,
    string,
    ...unknown[],
  ];
  const steps: Step[] = [];
  for (let i = 0; i < flat.length; i += 3)
    steps.push({ kind: flat[i] as string, seed: flat[i + 1] as string, events: flat[i + 2] as unknown[] });
  const address = kind === null ? undefined : { kind, tenant, key };
  return { now, address, steps, bytes, changes: changesBefore(bytes, changesEnd) };
}

/** `tail`: where the decision ends. */
function openEntry({ buffer, byteOffset, length }: Uint8Array) {
  const bytes = Buffer.from(buffer, byteOffset, length);
  const version = bytes.at(-1);
  if (version !== entryVersion)
    throw new Error(
      `a journal entry has version ${version}, this build reads version ${entryVersion}: start the build that wrote it`,
    );
  const tail = bytes.length - tailBytes;
  const changesEnd = tail - bytes.readUInt32BE(tail);
  assert(changesEnd >= 0, "the decision of a journal entry is no longer than the entry");
  return { now: bytes.readDoubleBE(tail + 4), bytes, changesEnd, tail };
}

/** The value with what it refers to in its place. */
function resolved(value: unknown, changes: Buffer): unknown {
  if (value instanceof Reference) {
    assert(value.start < value.end && value.end <= changes.length, "what an entry refers to is in it");
    return unpack(changes.subarray(value.start, value.end));
  }
  if (Array.isArray(value)) return value.map((part) => resolved(part, changes));
  if (Object.prototype.toString.call(value) !== "[object Object]") return value;
  return Object.fromEntries(
    Object.entries(value as object).map(([key, part]) => [key, resolved(part, changes)]),
  );
}

function changesBefore(bytes: Buffer, end: number): RecordedChange[] {
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
    const partition = { text: take(), ...anyShape };
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
      case changeTypes.putSame: {
        const [start, valueEnd] = [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)];
        assert(start < valueEnd && valueEnd <= at, "the row whose value another one shares comes before it");
        at += 8;
        changes.push({ type: "row", partition, key, start, end: valueEnd });
        break;
      }
      case changeTypes.range:
        changes.push({ type: "range", partition, from: key, to: take() });
        break;
      default:
        assert(false, `a journal entry has no change of type ${type}`);
    }
  }
  assert(at === end, "the changes of a journal entry end where its decision begins");
  return changes;
}
