import type { Refusal } from "#base";
import { answerDelivered, release, settle, sizeOfAnswer, tellSeen } from "./answer.ts";
import { type AskWork, type Cell, type Entity, isAsk, type Work } from "./cell.ts";
import type { EffectRow } from "./effect-row.ts";
import type { Step } from "./entry.ts";
import { join } from "./join.ts";
import type { Ran } from "./next.ts";
import { park } from "./park.ts";
import type { Partition } from "./partition.ts";
import type { OpenTurn, ShardParts } from "./parts.ts";
import type { Recorder } from "./recorder.ts";
import { tellAll } from "./tell-all.ts";

/** A command that has run. */
interface Done {
  readonly work: Work;
  readonly ran: Ran;
  /** Of its answer. */
  readonly bytes: number;
}

/**
 * The commands a cell runs in a row. They share one position of the journal, so what every commit writes is written once
 * for all of them, and they become durable or are lost together. Until the turn is closed its rows are not in the buffer:
 * a reader that needs more than `buffered` closes it first.
 */
export class Turn implements OpenTurn {
  readonly #shard: ShardParts;
  #cell: Cell | undefined = undefined;
  #now = 0;
  #done: Done[] = [];
  #steps: Step[] = [];
  #bytes = 0;
  /** True while it is being closed, and after that failed. */
  closing = false;

  constructor(shard: ShardParts) {
    this.#shard = shard;
  }

  get isOpen(): boolean {
    return this.#cell !== undefined;
  }

  /** Where the changes of the next command go. */
  enter(cell: Cell, now: number): Recorder {
    const { recorder, commit } = this.#shard;
    if (this.#cell === undefined) {
      this.#cell = cell;
      this.#now = now;
      recorder.begin(now, commit.decidedSeq + 1);
    }
    return recorder;
  }

  /** These events happened to the entity. */
  happened(entity: Entity, seed: string, events: readonly unknown[]): void {
    this.#steps.push({ kind: entity.address.kind, seed, events });
    entity.unwritten = true;
  }

  /** A row as the next command finds it, where it is in memory: its bytes, `null` for none, `undefined` where it may be in the tables. */
  buffered(partition: Partition, key: string): Uint8Array | null | undefined {
    const { recorder, reader } = this.#shard;
    const found = this.isOpen ? recorder.find(partition, key) : undefined;
    return found === undefined ? reader.buffered(partition, key) : found;
  }

  /** An effect as the next command finds it, where it is in memory; `null`: it has ended; `undefined`: its row knows. */
  effectOf(entity: Entity, id: string): EffectRow | null | undefined {
    const changed = this.isOpen ? this.#shard.recorder.effectOf(entity, id) : undefined;
    return changed === undefined ? entity.effects.get(id) : changed;
  }

  /** A command has run; what follows from it happens when the turn is closed. */
  ran(work: Work, ran: Ran): void {
    const bytes = ran.reply === undefined ? 0 : sizeOfAnswer(ran.reply);
    this.#done.push({ work, ran, bytes });
    // What is written before the commit, and the events, are about as large as what was asked and answered.
    this.#bytes += work.bytes + bytes;
    const { recorder, thread } = this.#shard;
    if (ran.last || recorder.reachesOut || this.#bytes + recorder.bytes >= thread.limits.turnBytesMax)
      this.close();
  }

  /** Joins what the commands did to the batch: from here on it counts. */
  close(): void {
    const cell = this.#cell;
    const now = this.#now;
    if (cell === undefined) return;
    this.closing = true;
    const { recorder, commit } = this.#shard;
    for (const entity of cell.entities) if (entity.unwritten) beforeCommit(entity, recorder);
    const address = this.#steps.length > 0 ? cell.entities[0]!.address : undefined;
    join(this.#shard, { now, address, steps: this.#steps }, cell, this.#done.length);
    const done = this.#done;
    this.#end();
    const answered = done.filter(({ ran }) => ran.reply !== undefined && ran.sends === undefined);
    if (answered.length > 0)
      commit.whenDurable(
        cell.lastSeq,
        answered.reduce((sum, { bytes }) => sum + bytes, 0),
        (refusal) => tellAll(answered, (one) => this.#tell(one, refusal)),
        answered.length,
      );
    for (const { work, ran } of done)
      if (isAsk(work)) this.#closed(work, ran, now);
      else settle(this.#shard, work);
  }

  /** The position of its commit is durable, or never will be. */
  #tell({ work, ran: { reply, seen } }: Done, refusal: Refusal | undefined): void {
    if (!isAsk(work) || reply === undefined) return;
    if (seen && refusal === undefined) tellSeen(this.#shard, work, reply);
    else work.origin.reply(refusal ?? reply);
  }

  #closed(work: AskWork, { reply, sends, park: suspended }: Ran, now: number): void {
    if (suspended !== undefined) park(this.#shard, work, suspended, now);
    else if (reply !== undefined && sends !== undefined) answerDelivered(this.#shard, work, reply, sends);
    else release(this.#shard, work);
  }

  /** None of it counts: its commands, to be run again or told. */
  abandon(): Work[] {
    const works = this.#done.map(({ work }) => work);
    this.#end();
    return works;
  }

  #end(): void {
    this.#cell = undefined;
    this.#done = [];
    this.#steps = [];
    this.#bytes = 0;
    this.closing = false;
  }
}

function beforeCommit(entity: Entity, recorder: Recorder): void {
  entity.unwritten = false;
  entity.definition.beforeCommit?.(entity.state, recorder.for(entity));
}
