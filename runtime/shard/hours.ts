import type { Address } from "../actor.ts";
import { unpackValue } from "./codec.ts";
import { keyOf, type Partition } from "./partition.ts";
import { type Change, deletion } from "./recorder.ts";

/** That an entity has rows of a stretch of time: by these a sweep finds old ones without reading all. */
export interface Listed extends Address {
  readonly hour: number;
}

export function listing(partition: Partition, { hour, kind, tenant, key }: Listed): Change {
  const value = [hour, kind, tenant, key];
  return { type: "row", partition, key: keyOf(value), value };
}

export function unlisting(partition: Partition, { hour, kind, tenant, key }: Listed): Change {
  return deletion(partition, keyOf([hour, kind, tenant, key]));
}

export function listedIn(value: Uint8Array, partition: Partition): Listed {
  const [hour, kind, tenant, key] = unpackValue(value, partition) as [number, string, string, string];
  return { hour, kind, tenant, key };
}
