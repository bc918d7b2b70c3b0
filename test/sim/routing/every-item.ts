import { decodeTuple } from "#base";
import type { ItemGroups } from "../../../actors/pools/queue/rows/item.ts";
import { bodyFromRow, bodyInRow, fromRow } from "../../../actors/pools/queue/rows/item-row.ts";
import { ownShape } from "../../../runtime/row-shape.ts";
import { unpackValue } from "../../../runtime/shard/codec.ts";
import { entityPartition } from "../../../runtime/shard/partition.ts";
import { ownCollections } from "../../support/queue-check.ts";
import type { DurableEntry } from "../watch.ts";
import { at } from "./set-up.ts";
import type { KnownPool } from "./told.ts";

/** The last rows of every item that a queue ever had, from the journal, including purged and forgotten items. */
export interface EveryItem {
  readonly groups: ReadonlyMap<string, ItemGroups>;
  readonly payloads: ReadonlyMap<string, unknown>;
}

export function everyItem(durable: readonly DurableEntry[], pool: KnownPool): EveryItem {
  const partition = (collection: string) => entityPartition(at(pool, "queue"), ownShape(collection)).text;
  const own = new Set(ownCollections.map(partition));
  const bodies = partition("body");
  const groups = new Map<string, ItemGroups>();
  const payloads = new Map<string, unknown>();
  for (const { entry } of durable)
    for (const change of entry.changes) {
      const { text } = change.partition;
      if (change.type !== "row" || change.end === 0 || !(text === bodies || own.has(text))) continue;
      const id = decodeTuple(change.key)[0] as string;
      const value = unpackValue(entry.bytes.subarray(change.start, change.end), change.partition);
      if (own.has(text)) groups.set(id, fromRow(value).groups);
      const body = own.has(text) ? bodyInRow(value) : bodyFromRow(value);
      if (body !== undefined) payloads.set(id, body.payload);
    }
  return { groups, payloads };
}
