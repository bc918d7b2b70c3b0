import { assert } from "#base";
import type { Address } from "../actor.ts";
import { bytesOf, pack, textOf, unpack } from "./codec.ts";
import type { Key, Partition } from "./partition.ts";

/**
 * One position of the journal: what happened to one entity (and its twins) by one command, with the time and seed it
 * was decided under, and the row changes that followed. Recovery reads only the row changes; replaying the events is
 * for proof.
 */
export interface Entry extends Decision {
  readonly changes: readonly RecordedChange[];
}

/** An entry before its changes are counted in. */
export interface Decision {
  readonly now: number;
  readonly seed: string;
  readonly address: Address | undefined;
  /** In the order they were applied; twins have a kind of their own. */
  readonly events: readonly { readonly kind: string; readonly events: readonly unknown[] }[];
}

export type RecordedChange =
  | {
      readonly type: "row";
      readonly partition: Partition;
      readonly key: Key;
      readonly value: Uint8Array | undefined;
    }
  | {
      readonly type: "range";
      readonly partition: Partition;
      readonly from: string;
      readonly to: string | undefined;
    };

const entryVersion = 1;

export function encodeEntry(entry: Decision, changes: readonly RecordedChange[]): Uint8Array {
  const { address } = entry;
  const flat: unknown[] = [entryVersion, entry.now, entry.seed];
  if (address === undefined) flat.push(null, null, null);
  else flat.push(address.kind, address.tenant, address.key);
  flat.push(entry.events.length);
  for (const { kind, events } of entry.events) flat.push(kind, events);
  for (const change of changes) {
    flat.push(change.partition.bytes);
    if (change.type === "row") flat.push(change.key.bytes, change.value ?? null);
    else flat.push(null, [bytesOf(change.from), change.to === undefined ? null : bytesOf(change.to)]);
  }
  return pack(flat);
}

export function decodeEntry(bytes: Uint8Array): Entry {
  const flat = unpack(bytes) as unknown[];
  assert(flat[0] === entryVersion, `a journal entry of version ${String(flat[0])} can be read`);
  const address =
    flat[3] === null
      ? undefined
      : { kind: flat[3] as string, tenant: flat[4] as string, key: flat[5] as string };
  const events: { kind: string; events: unknown[] }[] = [];
  let at = 7;
  for (let i = 0; i < (flat[6] as number); i++)
    events.push({ kind: flat[at++] as string, events: flat[at++] as unknown[] });
  const changes: RecordedChange[] = [];
  for (; at < flat.length; at += 3)
    changes.push(decodeChange(flat[at] as Uint8Array, flat[at + 1], flat[at + 2]));
  return { now: flat[1] as number, seed: flat[2] as string, address, events, changes };
}

function decodeChange(partitionBytes: Uint8Array, key: unknown, value: unknown): RecordedChange {
  const partition = { bytes: partitionBytes, text: textOf(partitionBytes), collection: "" };
  if (key === null) {
    const [from, to] = value as [Uint8Array, Uint8Array | null];
    return { type: "range", partition, from: textOf(from), to: to === null ? undefined : textOf(to) };
  }
  const keyBytes = key as Uint8Array;
  return {
    type: "row",
    partition,
    key: { bytes: keyBytes, text: textOf(keyBytes) },
    value: (value as Uint8Array | null) ?? undefined,
  };
}
