import { encodeTuple, encodeTupleText, limits, type TuplePart } from "#base";
import type { Address } from "../actor.ts";
import { textOf } from "./codec.ts";

/** One collection of one entity, or one of the shard's own: what tables keep together and in order. */
export interface Partition {
  readonly bytes: Uint8Array;
  readonly text: string;
  readonly collection: string;
}

/** A tilde marks what belongs to the runtime; a module's kinds and collections cannot begin with one. */
const shardKind = "~shard";

export function entityPartition(address: Address, collection: string): Partition {
  const bytes = encodeTuple([address.kind, address.tenant, address.key, collection]);
  return { bytes, text: textOf(bytes), collection };
}

export function shardPartition(collection: string): Partition {
  const bytes = encodeTuple([shardKind, collection]);
  return { bytes, text: textOf(bytes), collection };
}

/** A row's key as a text of one character a byte: what the buffer and the journal know it by. */
export function keyOf(parts: readonly TuplePart[]): string {
  const key = encodeTupleText(parts);
  if (key.length > limits.keyBytesMax)
    throw new RangeError(`a key of ${key.length} bytes is over ${limits.keyBytesMax}`);
  return key;
}
