import { ownShape } from "../row-shape.ts";
import type { Entity, MessageOrigin } from "./cell.ts";
import { listing } from "./hours.ts";
import { keyOf, shardPartition } from "./partition.ts";
import type { WantedRow } from "./reader.ts";
import type { Recorder } from "./recorder.ts";

const inboxCollection = "~inbox";
export const inboxShape = ownShape(inboxCollection);
/** Which entities applied messages in which period, so that their rows of `~inbox` are found without reading all. */
export const inboxHoursPartition = shardPartition("~inbox-hours");
/** By source shard: every message of that shard up to this number was applied, whichever entity it was for. */
export const lowWatermarksPartition = shardPartition("~floor");

/** The number of the last message that the entity applied of this source shard, and the low watermark, which counts where there is no such row. */
export function lastNumberRows(entity: Entity, source: number): readonly [WantedRow, WantedRow] {
  const key = keyOf([source]);
  return [
    { partition: entity.partition(inboxCollection), key },
    { partition: lowWatermarksPartition, key },
  ];
}

/** The message is applied: its number is in the same commit, which makes a repeat harmless. */
export function writeNumber(
  recorder: Recorder,
  entity: Entity,
  { source, number }: MessageOrigin,
  listedMs: number,
): void {
  recorder.change(entity.partition(inboxCollection), keyOf([source]), number);
  entity.inbox.set(source, number);
  const hour = Math.floor(recorder.now / listedMs);
  if (entity.inboxHour === hour) return;
  entity.inboxHour = hour;
  recorder.record(listing(inboxHoursPartition, { hour, ...entity.address }));
}
