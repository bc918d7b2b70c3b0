import { decodeTuple } from "#base";
import { isOver } from "../../../actors/pools/queue/rows/item.ts";
import { ownShape } from "../../../runtime/row-shape.ts";
import { entityPartition } from "../../../runtime/shard/partition.ts";
import type { DurableEntry } from "../watch.ts";
import type { Life } from "./log.ts";
import { at } from "./set-up.ts";
import type { KnownPool } from "./told.ts";

export interface Forgotten {
  readonly seq: number;
  readonly atMs: number;
}

/** Finished items of a queue that are no longer kept, from the journal, with the time of their deletion. */
export function forgottenItems(
  durable: readonly DurableEntry[],
  pool: KnownPool,
): ReadonlyMap<string, Forgotten> {
  const finished = entityPartition(at(pool, "queue"), ownShape("done")).text;
  const forgotten = new Map<string, Forgotten>();
  for (const { seq, entry } of durable)
    for (const change of entry.changes) {
      if (change.partition.text !== finished || change.type !== "row" || change.end > 0) continue;
      const [id] = decodeTuple(change.key);
      forgotten.set(id as string, { seq, atMs: entry.now });
    }
  return forgotten;
}

/** Only finished items are deleted, and only when their retention is over. */
export function* forgottenProblems(
  { settings: { retentionMs } }: KnownPool,
  lives: ReadonlyMap<string, Life>,
  forgotten: ReadonlyMap<string, Forgotten>,
): Generator<string> {
  for (const [id, { atMs }] of forgotten) {
    const end = lives.get(id)?.steps.at(-1);
    if (end === undefined || !isOver(end.state) || end.state === "dead")
      yield `${id} was forgotten while ${end?.state}`;
    else if (atMs < end.atMs + retentionMs)
      yield `${id} was forgotten ${end.atMs + retentionMs - atMs} ms early`;
  }
}

/** A dedup id has one item, as long as that item can be read. */
export function* repeatedProblems(
  { items }: KnownPool,
  lives: ReadonlyMap<string, Life>,
  goneSeq: (id: string) => number,
): Generator<string> {
  const lastOf = new Map<string, string>();
  for (const [id, { steps }] of lives) {
    const { dedupId } = items.get(id) ?? {};
    if (dedupId === undefined) continue;
    const before = lastOf.get(dedupId);
    if (before !== undefined && steps[0]!.seq < goneSeq(before))
      yield `${id} has the dedup id of ${before}, which could be read`;
    lastOf.set(dedupId, id);
  }
}
