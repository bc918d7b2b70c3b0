import { refuse, toFault } from "#base";
import { isCorruption, isolatedRefusal, unreadRefusal } from "../refusals.ts";
import { abandonCell } from "./abandon.ts";
import { activate } from "./activate.ts";
import { notNow } from "./answer.ts";
import type { Cell, Work } from "./cell.ts";
import { execute } from "./execute.ts";
import { lookUpRecords, recordUsed } from "./idempotency.ts";
import { wakeParked } from "./park.ts";
import type { ShardParts } from "./parts.ts";
import { isStorageFailure } from "./reader.ts";

/** Commands one cell runs before another tenant has its turn; one that did the work of several counts as many. */
const turnWorksMax = 32;

/** One turn of a cell. Returns how many commands it ran, large ones counted as several. */
export function runTurn(shard: ShardParts, cell: Cell): number {
  if (shard.status === "dropped") return 0;
  if (shard.status !== "ready" || shard.congested) return waitForShard(shard, cell);
  if (cell.status === "cold" && !cell.blocked) begin(shard, cell);
  if (cell.status !== "ready") return 0;
  const now = shard.now();
  cell.touchedMs = shard.thread.clock.monotonicMs;
  let ran = 0;
  while (!cell.blocked && cell.status === "ready") {
    if (cell.changed) wake(shard, cell, now);
    if (ran >= turnWorksMax || shard.congested) break;
    const work = cell.system.shift() ?? cell.woken.shift();
    if (work !== undefined) runOne(shard, cell, work, now);
    else if (!runNextAsk(shard, cell, now)) break;
    ran += 1 + shard.context.takeSpent(shard.thread.limits.commandSteps);
  }
  closeTurn(shard, cell);
  if (!cell.blocked && cell.system.length + cell.woken.length + cell.asks.length > 0)
    shard.thread.schedule(cell);
  return ran;
}

function waitForShard(shard: ShardParts, cell: Cell): number {
  cell.scheduled = true;
  shard.waiting.push(cell);
  return 0;
}

function begin(shard: ShardParts, cell: Cell): void {
  activate(shard.reader, cell, (failure) => {
    if (shard.status === "dropped") return;
    if (failure !== undefined) return couldNotLoad(shard, cell, failure);
    cell.status = "ready";
    cell.touchedMs = shard.thread.clock.monotonicMs;
    shard.metrics.activations++;
    shard.thread.residents.add(cell);
    shard.thread.schedule(cell);
  });
}

/** False when no ask waits, or the record of the next one has to be read first. */
function runNextAsk(shard: ShardParts, cell: Cell, now: number): boolean {
  const next = cell.asks.peek();
  if (next === undefined) return false;
  if (next.origin.idempotency !== undefined && next.record === undefined) {
    if (!lookUpRecords(shard, cell, () => shard.thread.schedule(cell))) return false;
  }
  cell.asks.shift();
  shard.thread.mailboxes.left(next);
  const lookedUp = next.record !== undefined;
  runOne(shard, cell, next, now);
  // Not before: the record of a repeat may be in a layer that only the read of its look-up keeps.
  if (lookedUp) recordUsed(shard, cell);
  return true;
}

function runOne(shard: ShardParts, cell: Cell, work: Work, now: number): void {
  const { type } = work.origin;
  try {
    if (work.alone || (type !== "ask" && type !== "effect")) shard.turn.close();
    execute(shard, work, now, () => shard.thread.schedule(cell));
    if (work.alone) shard.turn.close();
  } catch (error) {
    failed(shard, cell, work, error);
  }
}

function closeTurn(shard: ShardParts, cell: Cell): void {
  try {
    shard.turn.close();
  } catch (error) {
    failed(shard, cell, undefined, error);
  }
}

function wake(shard: ShardParts, cell: Cell, now: number): void {
  try {
    wakeParked(shard, cell, now);
  } catch (error) {
    failed(shard, cell, undefined, error);
  }
}

/**
 * A module threw. The changes of its turn never joined the batch; the cell is dropped and comes back from its rows, which
 * include what was decided before. After too many failures in a minute it is left alone for a while.
 */
function failed(shard: ShardParts, cell: Cell, running: Work | undefined, error: unknown): void {
  const { limits, logger, residents, world } = shard.thread;
  const work = undoTurn(shard, cell, running);
  const fault = toFault(error);
  const nowMs = world.clock.monotonic();
  if ("refusal" in fault && work !== undefined) {
    notNow(shard, work, fault.refusal);
  } else {
    const err = "error" in fault ? fault.error : new Error(fault.refusal.detail);
    logger?.error(
      { address: cell.entities[0]!.address, err },
      "an entity failed and is brought back from its rows",
    );
    cell.lastFailure = err.message;
    if (work !== undefined) notNow(shard, work, refuse("INTERNAL", "the entity failed; it was restarted"));
  }
  shard.metrics.restarts++;
  cell.status = "cold";
  // A look-up of records goes on, and what it finds stays true: the cell waits for it as before.
  if (cell.loading !== undefined) cell.blocked = false;
  cell.loading = undefined;
  // Some were parked by what is undone now.
  cell.changed = true;
  residents.remove(cell);
  for (const entity of cell.entities) entity.forget();
  cell.failures = cell.failures.filter((at) => nowMs - at < limits.entityRestartsWithinMs);
  cell.failures.push(nowMs);
  if (cell.failures.length > limits.entityRestartsMax) {
    cell.isolatedUntilMs = nowMs + limits.entityIsolatedMs;
    abandonCell(shard, cell, isolatedRefusal(cell.entities[0]!.address, cell.failures.length));
    shard.thread.failing.add(cell);
  } else shard.thread.schedule(cell);
}

/**
 * Commands that shared the turn run again. Returns the one that failed; if the turn could not be closed that is not known,
 * and each of them runs alone.
 */
function undoTurn(shard: ShardParts, cell: Cell, running: Work | undefined): Work | undefined {
  const { turn } = shard;
  const unclosed = turn.closing;
  const again = turn.abandon();
  let culprit = running;
  if (unclosed) {
    if (running !== undefined && !again.includes(running)) again.push(running);
    culprit = again.length === 1 ? again.pop() : undefined;
  }
  for (const work of again.reverse()) {
    work.alone = unclosed;
    // All it was given to read is as old as what is undone.
    work.record = undefined;
    work.effect = undefined;
    work.loaded = undefined;
    work.rounds = 0;
    cell.system.unshift(work);
  }
  return culprit;
}

function couldNotLoad(shard: ShardParts, cell: Cell, failure: unknown): void {
  const { logger } = shard.thread;
  if (isStorageFailure(failure)) {
    if (!isCorruption(failure))
      logger?.error({ address: cell.entities[0]!.address, err: failure }, "an entity could not be read");
    cell.status = "cold";
    abandonCell(shard, cell, unreadRefusal(failure));
  } else failed(shard, cell, undefined, failure);
}
