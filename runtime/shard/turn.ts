import type { Answer } from "../ask.ts";
import { release, sizeOfAnswer, tellSeen } from "./answer.ts";
import type { AskOrigin, Cell, Entity, Work } from "./cell.ts";
import type { EffectRow } from "./effect-row.ts";
import type { Step } from "./entry.ts";
import { join } from "./join.ts";
import { type ParkingShard, park } from "./park.ts";
import type { Partition } from "./partition.ts";
import type { Reader } from "./reader.ts";
import type { Recorder } from "./recorder.ts";
import { type SettlingShard, settle } from "./settle.ts";
import { tellAll } from "./tell-all.ts";

/** What a turn needs of its shard. */
interface TurnShard extends ParkingShard {
  readonly reader: Reader;
  readonly alarm: ParkingShard["alarm"] & SettlingShard["alarm"];
}

/** A command that has run, and what follows when its turn is joined to the batch. */
interface Ran {
  readonly work: Work;
  /** What its caller is told; absent: nothing yet. */
  readonly reply: Answer | undefined;
  /** It changed nothing: the reply tells what was seen. */
  readonly seen: boolean;
  /** Not answered yet: it waits as a parked command does. */
  readonly parkUntilMs: number | undefined;
  readonly bytes: number;
}

/**
 * The commands a cell runs in a row. They share one position of the journal, so what every commit writes is written once
 * for all of them, and they become durable or are lost together. Until the turn is closed its rows are not in the buffer:
 * a reader that needs more than `buffered` closes it first.
 */
export class Turn {
  readonly #shard: TurnShard;
  #cell: Cell | undefined = undefined;
  #now = 0;
  #ran: Ran[] = [];
  #steps: Step[] = [];
  #bytes = 0;
  /** True while it is being closed, and after that failed. */
  closing = false;

  constructor(shard: TurnShard) {
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
    entity.unsealed = true;
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

  /** A command has run; `reply` is what its caller is told when all of this is durable. */
  ran(work: Work, reply: Answer | undefined, parkUntilMs?: number): void {
    this.#add({ work, reply, seen: false, parkUntilMs, bytes: reply ? sizeOfAnswer(reply) : 0 });
  }

  ranSeen(work: Work, reply: Answer): void {
    this.#add({ work, reply, seen: true, parkUntilMs: undefined, bytes: sizeOfAnswer(reply) });
  }

  #add(each: Ran): void {
    this.#ran.push(each);
    // What is sealed later, and the events, are about as large as what was asked and answered.
    this.#bytes += each.work.bytes + each.bytes;
    const { recorder, thread } = this.#shard;
    if (this.#bytes + recorder.bytes >= thread.limits.turnBytesMax || recorder.reachesOut) this.close();
  }

  /** Joins what the commands did to the batch: from here on it counts. */
  close(): void {
    const cell = this.#cell;
    const now = this.#now;
    if (cell === undefined) return;
    this.closing = true;
    const { recorder, commit } = this.#shard;
    for (const entity of cell.entities) if (entity.unsealed) seal(entity, recorder);
    const address = this.#steps.length > 0 ? cell.entities[0]!.address : undefined;
    join(this.#shard, { now, address, steps: this.#steps }, cell, this.#ran.length);
    const ran = this.#ran;
    this.#end();
    const answered = ran.filter(({ reply }) => reply !== undefined);
    if (answered.length > 0)
      commit.whenDurable(
        cell.lastSeq,
        sizeOf(answered),
        (refusal) =>
          tellAll(answered, ({ work, reply, seen }) => {
            const origin = work.origin as AskOrigin;
            if (seen && refusal === undefined) tellSeen(this.#shard, origin, reply!);
            else origin.reply(refusal ?? reply!);
          }),
        answered.length,
      );
    for (const { work, reply, parkUntilMs } of ran) {
      if (work.origin.type !== "ask") settle(this.#shard, work);
      else if (reply !== undefined) release(this.#shard, work);
      else if (parkUntilMs !== undefined) park(this.#shard, work, parkUntilMs, now);
    }
  }

  /** None of it counts: its commands, to be run again or told. */
  abandon(): Work[] {
    const works = this.#ran.map(({ work }) => work);
    this.#end();
    return works;
  }

  #end(): void {
    this.#cell = undefined;
    this.#ran = [];
    this.#steps = [];
    this.#bytes = 0;
    this.closing = false;
  }
}

function seal(entity: Entity, recorder: Recorder): void {
  entity.unsealed = false;
  entity.definition.seal?.(entity.state, recorder.for(entity));
}

function sizeOf(answered: readonly Ran[]): number {
  let size = 0;
  for (const { bytes } of answered) size += bytes;
  return size;
}
