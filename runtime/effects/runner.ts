import { type Refusal, RefusalError, refuse, toFault } from "#base";
import type { Address } from "../actor.ts";
import { writeRefusal } from "../shard/answer.ts";
import { Work } from "../shard/cell.ts";
import {
  type EffectRow,
  effectFromBytes,
  effectPlace,
  effectTimer,
  effectToRow,
} from "../shard/effect-row.ts";
import { joinSystem } from "../shard/join.ts";
import { keyOf } from "../shard/partition.ts";
import { deletion, duePartition } from "../shard/recorder.ts";
import type { Shard } from "../shard/shard.ts";
import type { ThreadParts } from "../shard/thread-parts.ts";
import type { EffectHandler, EffectHandlers, EffectRun, EffectStep } from "./effect.ts";
import { Lanes } from "./lanes.ts";

interface Due {
  readonly shard: Shard;
  readonly address: Address;
  readonly id: string;
  readonly dueMs: number;
  /** As it was read; only until something else runs: it may change while it waits. */
  row: EffectRow | undefined;
}

interface Attempt {
  readonly due: Due;
  readonly row: EffectRow;
  readonly controller: AbortController;
  cancelLease: () => void;
  /** Gives its place in its lane back. */
  readonly ended: () => void;
  over: boolean;
}

/** Attempts that share a bound. */
interface Room {
  readonly lanes: Lanes<Due>;
  running: number;
}

/** What runs of one ownership term of a shard, by name. */
interface Term {
  readonly attempts: Map<string, Attempt>;
  /** Effects whose last attempt failed: the next one is counted first. */
  readonly again: Set<string>;
}

/** When an effect that cannot be read, counted or handed over now is tried again. */
const retryMs = 1_000;
const backOffMsMax = 60_000;

const leaseOver = refuse("TIMEOUT", "the attempt took longer than its lease");

/**
 * Runs the effects of a thread's shards: each when the commit that asked for it is durable and its time has come, at least
 * once, and one attempt at a time. What does not fit its bounds waits; its rows are what counts.
 */
export class EffectRunner {
  readonly #thread: ThreadParts;
  readonly #handlers: EffectHandlers;
  readonly #works: Room = { lanes: new Lanes(), running: 0 };
  /** Of handlers that only wait for something. */
  readonly #waits: Room = { lanes: new Lanes(), running: 0 };
  readonly #terms = new WeakMap<Shard, Term>();

  constructor(thread: ThreadParts, handlers: EffectHandlers) {
    this.#thread = thread;
    this.#handlers = handlers;
  }

  get running(): number {
    return this.#works.running;
  }

  /** Effects whose time has come and that wait for a place. */
  get waiting(): number {
    return this.#works.lanes.waiting + this.#waits.lanes.waiting;
  }

  /** Its time has come: it is read, and waits for a place in its lane. */
  due(shard: Shard, address: Address, id: string, dueMs: number): void {
    const due: Due = { shard, address, id, dueMs, row: undefined };
    if (this.waiting >= this.#thread.limits.effectsWaitingMax) {
      this.#later(due, retryMs);
      return;
    }
    this.#read(due, (row) => {
      const handler = this.#handlers[row.kind];
      if (handler === undefined) {
        this.#thread.logger?.error({ address, kind: row.kind }, "no module runs effects of this kind");
        this.#later(due, backOffMsMax);
        return;
      }
      due.row = row;
      const room = handler.waits ? this.#waits : this.#works;
      room.lanes.add(address.tenant, row.lane, this.#laneMax(handler), due);
      this.#pump(room);
      due.row = undefined;
    });
  }

  /** The entity has ended it: an attempt that is under way is told to stop, and what it returns is refused. */
  ended(shard: Shard, address: Address, id: string): void {
    this.#term(shard).attempts.get(nameOf(address, id))?.controller.abort(new Error("the effect was ended"));
  }

  /** The ownership term is over: the next owner of the shard runs its effects again. */
  drop(shard: Shard): void {
    for (const attempt of this.#term(shard).attempts.values()) {
      this.#end(attempt);
      attempt.controller.abort(new Error("the shard was given up"));
    }
    this.#terms.delete(shard);
  }

  #pump(room: Room): void {
    const { limits, draining, stopped } = this.#thread;
    const most = room === this.#waits ? limits.effectsWaitMax : limits.effectsRunningMax;
    while (room.running < most && !draining && !stopped) {
      const next = room.lanes.next();
      if (next === undefined) return;
      const { value: due, ended } = next;
      if (due.shard.status === "dropped") ended();
      else due.shard.guard(() => this.#start(room, due, ended));
    }
  }

  #start(room: Room, due: Due, ended: () => void): void {
    room.running++;
    let over = false;
    const leave = () => {
      if (over) return;
      over = true;
      room.running--;
      ended();
      this.#pump(room);
    };
    const { row } = due;
    if (row !== undefined) this.#count(due, row, leave);
    else this.#read(due, (found) => this.#count(due, found, leave), leave);
  }

  /** An attempt that may have run before is a new one: that is durable before it runs. */
  #count(due: Due, row: EffectRow, leave: () => void): void {
    const { shard, address, id } = due;
    const again = this.#term(shard).again.delete(nameOf(address, id));
    let counted = row;
    let seq = row.asked;
    if (again || row.epoch !== shard.epoch) {
      if (writeRefusal(shard) !== undefined) {
        if (again) this.#term(shard).again.add(nameOf(address, id));
        this.#later(due, retryMs);
        leave();
        return;
      }
      const failures = row.failures + (again ? 1 : 0);
      counted = { ...row, attempt: row.attempt + 1, epoch: shard.epoch, failures };
      const { partition, key } = effectPlace(address, id);
      joinSystem(shard, [{ type: "row", partition, key, value: effectToRow(counted) }]);
      shard.effectsOf(address)?.delete(id);
      seq = shard.commit.decidedSeq;
    }
    // What was decided since has no part in it.
    shard.commit.whenDurable(seq, 0, (refusal) => {
      if (refusal !== undefined || this.#thread.stopped) leave();
      else this.#run(due, counted, leave);
    });
  }

  #run(due: Due, row: EffectRow, leave: () => void): void {
    const { shard, address, id } = due;
    const handler = this.#handlers[row.kind]!;
    const { limits } = this.#thread;
    const leaseMs = Math.min(handler.leaseMs ?? limits.effectLeaseMs, limits.effectLeaseMsMax);
    const controller = new AbortController();
    const attempt: Attempt = { due, row, controller, cancelLease: () => {}, ended: leave, over: false };
    const lease = () => shard.setTimer(leaseMs, () => this.#failed(attempt, new RefusalError(leaseOver)));
    attempt.cancelLease = lease();
    this.#term(shard).attempts.set(nameOf(address, id), attempt);
    const run: EffectRun<never> = {
      address,
      id,
      attempt: row.attempt,
      // The entity that asked for the effect and its handler agree on the body.
      body: row.body as never,
      begun: row.begun,
      signal: controller.signal,
      begin: () => this.#begin(attempt),
      extend: () => {
        if (attempt.over) return;
        attempt.cancelLease();
        attempt.cancelLease = lease();
      },
    };
    Promise.resolve(run)
      .then(handler.run)
      .then(
        (result) => shard.guard(() => this.#done(attempt, result)),
        (error: unknown) => shard.guard(() => this.#failed(attempt, error)),
      );
  }

  #begin(attempt: Attempt): Promise<unknown> {
    const { id } = attempt.due;
    return new Promise((resolve, reject) => {
      if (attempt.over) {
        reject(new Error("the attempt is over"));
        return;
      }
      this.#tell(attempt, { type: "begin", id, attempt: attempt.row.attempt }, (refusal, answer) => {
        if (refusal === undefined) resolve(answer);
        else reject(new RefusalError(refusal));
      });
    });
  }

  /** Its entity is told, until it has been; the place in the lane is free when that is durable. */
  #done(attempt: Attempt, result: unknown): void {
    if (attempt.over) return;
    attempt.cancelLease();
    const { shard, id } = attempt.due;
    this.#tell(attempt, { type: "done", id, attempt: attempt.row.attempt, result }, (refusal) => {
      if (attempt.over) return;
      if (refusal === undefined || refusal.code === "STATE_CONFLICT") this.#end(attempt);
      else shard.setTimer(retryMs, () => this.#done(attempt, result));
    });
  }

  #failed(attempt: Attempt, error: unknown): void {
    if (attempt.over) return;
    const { due, row } = attempt;
    const fault = toFault(error);
    const why = "error" in fault ? { err: fault.error } : { refusal: fault.refusal };
    this.#thread.logger?.warn(
      { address: due.address, effect: due.id, attempt: row.attempt, ...why },
      "an effect failed and is run again",
    );
    this.#end(attempt);
    attempt.controller.abort(error);
    this.#term(due.shard).again.add(nameOf(due.address, due.id));
    this.#later(due, Math.min(retryMs * 2 ** row.failures, backOffMsMax));
  }

  #tell(
    attempt: Attempt,
    step: EffectStep,
    reply: (refusal: Refusal | undefined, answer?: unknown) => void,
  ): void {
    const { shard, address, id } = attempt.due;
    const kind = this.#thread.kinds.get(address.kind);
    if (kind === undefined || shard.status !== "ready") {
      reply(refuse("UNAVAILABLE", "the shard was given up"));
      return;
    }
    const cell = shard.cell(kind, address);
    const { asked } = attempt.row;
    cell.system.push(new Work(cell.entity(address.kind)!, { type: "effect", id, asked, step, reply }, 0));
    if (!cell.blocked) this.#thread.schedule(cell);
  }

  #end(attempt: Attempt): void {
    const { shard, address, id } = attempt.due;
    attempt.over = true;
    attempt.cancelLease();
    const { attempts } = this.#term(shard);
    const name = nameOf(address, id);
    // Asked for again under the same id, it may have made way for another.
    if (attempts.get(name) === attempt) attempts.delete(name);
    attempt.ended();
  }

  /** The effect as its row has it now; where there is none any more, what is left of it goes. */
  #read(due: Due, found: (row: EffectRow) => void, gone: () => void = () => {}): void {
    const { shard, address, id, dueMs } = due;
    const known = shard.effectsOf(address)?.get(id);
    if (known?.dueMs === dueMs) {
      found(known);
      return;
    }
    shard.reader.getMany([effectPlace(address, id)], (failure, [bytes]) => {
      if (shard.status !== "ready") return gone();
      if (failure !== undefined) {
        this.#later(due, retryMs);
        return gone();
      }
      const row = bytes ? effectFromBytes(bytes) : undefined;
      if (row?.dueMs === dueMs) return found(row);
      const timer = keyOf([dueMs, address.kind, address.tenant, address.key, effectTimer(id)]);
      joinSystem(shard, [deletion(duePartition, timer)]);
      gone();
    });
  }

  #later({ shard, address, id, dueMs }: Due, delayMs: number): void {
    shard.timers.retry(address, effectTimer(id), dueMs, shard.now() + delayMs);
    shard.alarm.arm();
  }

  #laneMax(handler: EffectHandler): number {
    const { effectLaneMax, effectLaneMaxMax } = this.#thread.limits;
    return Math.min(handler.laneMax ?? effectLaneMax, effectLaneMaxMax);
  }

  #term(shard: Shard): Term {
    let term = this.#terms.get(shard);
    if (term === undefined) {
      term = { attempts: new Map(), again: new Set() };
      this.#terms.set(shard, term);
    }
    return term;
  }
}

function nameOf({ kind, tenant, key }: Address, id: string): string {
  return `${kind}\0${tenant}\0${key}\0${id}`;
}
