import { encodeTuple, limits, type TuplePart } from "#base";
import type { Address } from "../actor.ts";
import { ownShape, type RowShape } from "../row-shape.ts";

/** One collection of one entity, or one of the shard's own: what tables keep together and in order. */
export interface Partition extends RowShape {
  readonly text: string;
}

/** A tilde marks what belongs to the runtime; a module's kinds and collections cannot begin with one. */
const shardKind = "~shard";

export function entityPartition(address: Address, shape: RowShape): Partition {
  const { collection, steps } = shape;
  return { text: encodeTuple([address.kind, address.tenant, address.key, collection]), collection, steps };
}

export function shardPartition(collection: string): Partition {
  return { text: encodeTuple([shardKind, collection]), ...ownShape(collection) };
}

/** A row's key: what the buffer, the journal and the tables know it by. */
export function keyOf(parts: readonly TuplePart[]): string {
  const key = encodeTuple(parts);
  if (key.length > limits.keyBytesMax)
    throw new RangeError(`a key of ${key.length} bytes is over ${limits.keyBytesMax}`);
  return key;
}
