import { versionOf } from "../row-shape.ts";
import { pack } from "./codec.ts";
import { keyOf, shardPartition } from "./partition.ts";

/** What a shard has to remember of itself. */
export const metaPartition = shardPartition("~meta");

/** The shard's time, kept with the watermark: a trimmed journal no longer has it. */
export function timeRow(timeMs: number): { readonly key: string; readonly value: Uint8Array } {
  return { key: keyOf(["time"]), value: Buffer.from([versionOf(metaPartition), ...pack(timeMs)]) };
}
