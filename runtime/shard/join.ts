import { assert } from "#base";
import type { Cell } from "./cell.ts";
import type { Decision, RecordedChange } from "./entry.ts";
import type { ShardParts } from "./parts.ts";
import { type Change, rememberEffect, rememberTimer } from "./recorder.ts";

/** Joins what the recorder holds, of so many commands, to the open batch: from here on it counts. */
export function join(shard: ShardParts, entry: Decision, cell: Cell | undefined, commands: number): void {
  const { recorder, commit } = shard;
  const { entries, bytes, start } = recorder.end(entry);
  let seq = commit.decidedSeq;
  let from = 0;
  for (const { change } of recorder.splits) {
    fold(shard, recorder.changes.slice(from, change), bytes, start, ++seq);
    from = change;
  }
  fold(shard, from === 0 ? recorder.changes : recorder.changes.slice(from), bytes, start, ++seq);
  commit.join(entries, commands);
  joined(shard, entry.now, seq, cell);
}

/** A change of the runtime's own, of no entity. */
export function joinSystem(shard: ShardParts, changes: readonly Change[]): void {
  const { recorder, commit, turn } = shard;
  assert(!turn.isOpen, "a change of the runtime's own comes between turns");
  const now = shard.now();
  recorder.begin(now, commit.decidedSeq + 1);
  for (const change of changes) recorder.record(change);
  join(shard, { now, address: undefined, steps: [] }, undefined, 0);
}

/** The position at which a fenced commit that begins after now will have happened. */
export function confirmation(shard: ShardParts): number {
  if (shard.commit.waitingEntries === 0) joinSystem(shard, []);
  return shard.commit.decidedSeq;
}

/** Puts row changes into the buffer, of a decision or of the journal at opening: their values stand in `bytes` after `start`. */
export function fold(
  { buffer }: Pick<ShardParts, "buffer">,
  changes: readonly RecordedChange[],
  bytes: Buffer,
  start: number,
  seq: number,
): void {
  for (const change of changes) {
    if (change.type === "row") {
      const value = change.end > 0 ? bytes : undefined;
      const row = { bytes: value, start: start + change.start, end: start + change.end, seq };
      buffer.put(change.partition, change.key, row);
    } else buffer.deleteRange(change.partition, change, seq);
  }
  buffer.reached(seq);
}

/** What follows from a join: the rows are in the buffer, the entries in the batch. */
function joined(shard: ShardParts, now: number, seq: number, cell: Cell | undefined): void {
  const { recorder, timers } = shard;
  shard.timeMs = Math.max(shard.timeMs, now);
  if (cell !== undefined) cell.lastSeq = seq;
  if (recorder.timers.length > 0) {
    for (const change of recorder.timers) {
      timers.changed(change);
      rememberTimer(change);
    }
    shard.alarm.arm();
  }
  for (const change of recorder.effects) rememberEffect(change);
  shard.outgoing.joined(seq);
  shard.markDirty();
}
