import { assert, type Refusal } from "#base";
import type { Address } from "../actor.ts";
import { hashOf, type Kind } from "../placement.ts";
import { cutOffRefusal, fullRefusal, isLost, undelivered } from "../refusals.ts";
import type { Tenants } from "../thread/tenants.ts";
import { abandonCell, abandonWork } from "./abandon.ts";
import { Alarm } from "./alarm.ts";
import { Broadcasts } from "./broadcasts.ts";
import { WriteBuffer } from "./buffer.ts";
import { Cell, type CellShard, type Entity, type ShardStatus } from "./cell.ts";
import { CellMap } from "./cell-map.ts";
import { CommitLog } from "./commit.ts";
import { CommandContext } from "./context.ts";
import { joinSystem } from "./join.ts";
import type { ShardMetrics } from "./metrics.ts";
import { type Delivery, Outbox } from "./outbox.ts";
import { Outgoing } from "./outgoing.ts";
import type { ShardParts } from "./parts.ts";
import { PublishedEvents } from "./published.ts";
import { Reader } from "./reader.ts";
import { Recorder } from "./recorder.ts";
import { runTurn } from "./run.ts";
import type { Slabs } from "./slabs.ts";
import { Sweep, sweepInboxes, sweepRecords } from "./sweeps.ts";
import { tellAll } from "./tell-all.ts";
import type { ThreadParts } from "./thread-parts.ts";
import { TimerWindow } from "./timers.ts";
import { Turn } from "./turn.ts";

/** What shards and the parts of a thread use of it, beside what the parts of a shard use. */
export interface Host extends ThreadParts {
  readonly tenants: Tenants;
  readonly slabs: Slabs;
  readonly shards: ReadonlyMap<number, Shard>;
  readonly checkpoints: ThreadParts["checkpoints"] & {
    readonly waitingBytes: number;
    readonly writes: number;
    readonly rows: number;
    committed(shard: Shard): void;
  };
  readonly trims: {
    stored(shard: Shard, upTo: number): void;
    opened(shard: Shard, watermark: number): void;
  };
  readonly effects: {
    due(shard: Shard, address: Address, id: string, dueMs: number): void;
    ended(shard: Shard, address: Address, id: string): void;
    drop(shard: Shard): void;
    readonly running: number;
    readonly waiting: number;
  };
  readonly corruption: {
    readonly shards: readonly number[];
    found(shard: number, failure: unknown): void;
    givesUp(shard: number, failure: unknown): void;
  };
  readonly settled: ThreadParts["settled"] & { tell(nowMs: number): void };
  readonly health: { look(): void };
  readonly onOpened: (shard: number) => void;
  deliver(delivery: Delivery, reply: (refusal: Refusal | undefined) => void): void;
  markDirty(shard: Shard): void;
  shardFailed(shard: Shard, error: unknown): void;
  appendFailed(shard: Shard, failure: unknown): void;
  /** A new ownership term over the same shard; the old one's memory is gone. */
  replace(shard: Shard, refusal: Refusal): Shard;
  /** The shard is no longer ours, or is of no use. */
  lose(shard: number, refusal?: Refusal): void;
}

/**
 * One ownership term over a shard, from its opening to the first doubt. Everything here is memory that can be built again from
 * journal and tables; after a failed or unknown append it is dropped whole and a new ownership term begins. Its parts
 * name what they need of it, and do not know it.
 */
export class Shard implements CellShard, ShardParts {
  readonly number: number;
  readonly thread: Host;
  readonly cells = new CellMap();
  readonly buffer: WriteBuffer;
  readonly reader: Reader;
  readonly context: CommandContext;
  readonly recorder: Recorder;
  readonly turn = new Turn(this);
  readonly timers: TimerWindow;
  readonly alarm = new Alarm(this);
  readonly outbox: Outbox;
  readonly published: PublishedEvents;
  readonly broadcasts = new Broadcasts(this);
  readonly outgoing = new Outgoing(this);
  readonly metrics: ShardMetrics;
  /** When its opening began, on the monotonic clock. */
  readonly openingMs: number;
  /** Cells that have work and cannot run now: the shard is being opened, or too much waits for the disk. */
  readonly waiting: Cell[] = [];
  /** What waits in the mailboxes of its entities. */
  mailboxDepth = 0;
  mailboxBytes = 0;
  status: ShardStatus = "opening";
  commit = new CommitLog(0);
  epoch = 0;
  /** The view of the cluster on which it was taken. */
  view = 0;
  /** It goes to another node: nothing is begun any more. */
  leaving = false;
  /** Shard time of the last decided change. */
  timeMs = 0;
  /** Shard time minus monotonic time at least, where what is stored was ahead of the clock. */
  #offsetMs = Number.NEGATIVE_INFINITY;
  /** Until then (monotonic) changes are refused with this: the disk is full or out of reach. */
  refusal: Refusal | undefined = undefined;
  refusalUntilMs = 0;
  readonly #sweeps = [new Sweep(this, sweepRecords), new Sweep(this, sweepInboxes)];

  constructor(number: number, thread: Host, metrics: ShardMetrics) {
    this.number = number;
    this.thread = thread;
    this.recorder = new Recorder(thread.storage);
    this.metrics = metrics;
    const { clock } = thread.world;
    this.openingMs = clock.monotonic();
    this.buffer = new WriteBuffer(thread.slabs, thread.limits.checkpointWriteBytesMax);
    this.reader = new Reader(number, this.buffer, thread.storage.tables, () => clock.monotonic(), {
      threw: (error) => this.failed(error),
      corrupt: (failure) => thread.corruption.found(number, failure),
    });
    this.context = new CommandContext(this.turn, thread.world);
    this.timers = new TimerWindow(this.reader, thread.limits);
    this.published = new PublishedEvents(this);
    this.outbox = new Outbox(
      {
        shard: number,
        durableSeq: () => this.commit.durableSeq,
        // The answer comes in a step of the target's shard, or of a link: neither has part in what it leads to here.
        deliver: (delivery, reply) => thread.deliver(delivery, (refusal) => this.guard(() => reply(refusal))),
        delivered: (numbers) => this.outgoing.delivered(numbers),
        setTimer: (delayMs, step) => this.setTimer(delayMs, step),
        limits: thread.limits,
      },
      this.reader,
    );
  }

  /** Too much is decided and not durable: taking more would only make it wait in memory. */
  get congested(): boolean {
    const { commit } = this;
    const { limits } = this.thread;
    return (
      this.leaving ||
      commit.waitingEntries >= limits.batchEntriesMax ||
      commit.waitingBytes >= limits.batchBytesMax ||
      commit.gatedCount >= limits.gatedRepliesMax ||
      commit.gatedBytes >= limits.gatedBytesMax ||
      this.thread.checkpoints.behind
    );
  }

  /** Never goes back and never stands still: where it is ahead of the clock, it goes on with the monotonic one. */
  now(): number {
    const { clock } = this.thread;
    const now = Math.max(clock.now(), this.timeMs);
    if (this.#offsetMs === Number.NEGATIVE_INFINITY) return now;
    return Math.max(now, Math.floor(clock.monotonicMs + this.#offsetMs));
  }

  /** Takes over the time of the ownership term before, which may have gone on since the last commit. */
  keepTime(before: Shard): void {
    this.#offsetMs = before.#offsetMs;
  }

  /** Runs a step of this ownership term that has no caller to report an error to. If it throws, this ownership term ends, not the thread. */
  guard(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.failed(error);
    }
  }

  failed(error: unknown): void {
    this.thread.shardFailed(this, error);
  }

  run(cell: Cell): number {
    return runTurn(this, cell);
  }

  markDirty(): void {
    this.thread.markDirty(this);
  }

  effectDue(address: Address, id: string, dueMs: number): void {
    this.thread.effects.due(this, address, id, dueMs);
  }

  /** The effects that an entity in memory knows. */
  effectsOf(address: Address): Entity["effects"] | undefined {
    const kind = this.thread.kinds.get(address.kind);
    if (kind === undefined) return undefined;
    const cell = this.cells.get(hashOf(address), kind, address.tenant, address.key);
    return cell?.entity(address.kind)?.effects;
  }

  effectEnded(address: Address, id: string): void {
    this.thread.effects.ended(this, address, id);
  }

  setTimer(delayMs: number, step: () => void): () => void {
    return this.thread.world.setTimer(delayMs, () => this.guard(step));
  }

  cell(kind: Kind, address: Address, hash = hashOf(address)): Cell {
    const known = this.cells.get(hash, kind, address.tenant, address.key);
    if (known !== undefined) return known;
    const share = this.thread.tenants.enter(address.tenant);
    const cell = new Cell(this, hash, address, { family: kind.family, share });
    this.cells.add(cell);
    return cell;
  }

  /** Forgets an idle cell; what it is stays in its rows. A caller that is told of its failure may ask again, and have it forgotten first. */
  forget(cell: Cell): void {
    if (this.cells.delete(cell)) this.thread.tenants.leave(cell.share);
  }

  /** Forgets a cell that was never brought into memory and has nothing to do. */
  forgetIdle(cell: Cell): void {
    if (
      this.status !== "dropped" &&
      cell.status === "cold" &&
      cell.idle &&
      cell.lastSeq <= this.commit.durableSeq
    )
      this.forget(cell);
  }

  /** Why the store takes no changes now, as far as that is known. */
  get storeRefusal(): Refusal | undefined {
    if (this.refusal !== undefined && this.thread.world.clock.monotonic() < this.refusalUntilMs)
      return this.refusal;
    if (this.thread.storage.room?.full) return fullRefusal();
    return this.thread.reachesStore ? undefined : cutOffRefusal();
  }

  /** Starts the next append, if there is one to start. */
  pump(): void {
    if (this.status !== "ready") return;
    if (this.outgoing.arrived && this.commit.inFlight === undefined && !this.storeRefusal)
      joinSystem(this, this.outgoing.takeArrived());
    const batch = this.commit.next(this.thread.world.clock.monotonic());
    if (batch === undefined) return;
    const { firstSeq, entries } = batch;
    this.thread.storage.journal.append({ shard: this.number, epoch: this.epoch, firstSeq, entries }).then(
      () => {
        this.guard(() => this.#appended());
        // Of all shards: what it throws is not this one's.
        if (this.status === "ready") this.thread.checkpoints.committed(this);
      },
      (failure: unknown) => this.thread.appendFailed(this, failure),
    );
    // There is room in the next batch: cells that wait for it have it before those that come only now.
    this.resume();
  }

  /** `confirmedMs`: when what made or kept us its owner began; however long the recovery took. */
  ready(epoch: number, head: number, confirmedMs: number): void {
    this.epoch = epoch;
    this.recorder.epoch = epoch;
    this.commit = new CommitLog(head, this.thread.limits);
    this.commit.confirmedMs = confirmedMs;
    const { clock } = this.thread;
    if (this.timeMs > clock.now()) this.#offsetMs = Math.max(this.#offsetMs, this.timeMs - clock.monotonicMs);
    this.status = "ready";
    this.published.load();
    this.outbox.read();
    this.broadcasts.load();
    this.alarm.ring();
    this.resume();
    this.thread.checkpoints.committed(this);
    this.thread.onOpened(this.number);
  }

  resume(): void {
    if (this.status !== "ready" || this.waiting.length === 0 || this.congested) return;
    for (const cell of this.waiting.splice(0)) {
      cell.scheduled = false;
      this.thread.schedule(cell);
    }
  }

  /** Ends the ownership term. All that waits is told; no caller is answered from this memory again. */
  drop(refusal: Refusal): void {
    if (this.status === "dropped") return;
    this.status = "dropped";
    this.alarm.stop();
    // Those who wait for a delivery have changed something: to them it did not get lost.
    this.outbox.stop(isLost(refusal) ? undelivered() : refusal);
    this.published.stop();
    this.thread.effects.drop(this);
    for (const work of this.turn.abandon()) abandonWork(this, work, refusal);
    tellAll(this.commit.abandon(), (gated) => gated.release(refusal));
    for (const cell of this.cells.values()) {
      abandonCell(this, cell, refusal);
      this.thread.tenants.leave(cell.share);
    }
    this.cells.clear();
    this.waiting.length = 0;
    this.buffer.drop();
  }

  /** Now and then: looks at the clock, and forgets what is kept only for a time. */
  maintain(): void {
    this.alarm.look();
    if (this.storeRefusal) return;
    const nowMs = this.now();
    if (this.outgoing.arrived) this.markDirty();
    this.published.maintain(nowMs);
    for (const sweep of this.#sweeps) sweep.look(nowMs);
  }

  #appended(): void {
    if (this.status === "dropped") return;
    const batch = this.commit.inFlight;
    assert(batch !== undefined, "an append that ends was under way");
    const released = this.commit.succeeded();
    this.refusal = undefined;
    // First: whatever else goes wrong here, they were promised an answer.
    tellAll(released, (gated) => gated.release(undefined));
    this.metrics.committed(batch, this.thread.world.clock.monotonic());
    // Not at once: what has arrived beside the end of this append joins the next.
    if (this.commit.waitingEntries > 0 || this.outgoing.arrived) this.markDirty();
    this.resume();
  }
}
