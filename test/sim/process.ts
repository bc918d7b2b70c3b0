import type { Random, Refusal } from "#base";
import type { Answer, AnyActorDefinition, Ask, EffectHandlers, Logger } from "../../runtime/index.ts";
import { lostRefusal } from "../../runtime/refusals.ts";
import type { Delivery } from "../../runtime/shard/outbox.ts";
import { type Routes, Thread } from "../../runtime/thread/thread.ts";
import type { World } from "../../runtime/world.ts";
import { type Storage, StorageError } from "../../storage/index.ts";
import {
  type Interference,
  type MemoryStorage,
  type MemoryStore,
  type Operation,
  openMemory,
  type Verdict,
} from "../../storage/memory/index.ts";
import { seededSecret } from "../support/seeded-secret.ts";
import type { Faults } from "./faults.ts";
import { isFlaky } from "./flaky.ts";
import { newOwner, type Owner, type Scheduler } from "./scheduler.ts";

export interface ProcessOptions {
  readonly name: string;
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly store: MemoryStore;
  readonly definitions: (process: Process) => readonly AnyActorDefinition[];
  readonly effects: (process: () => Process) => EffectHandlers | undefined;
  readonly faults: () => Faults;
  readonly routes: (from: Process) => Routes;
  /** Others may take its shards: reads are answered from memory only while a commit has proven the ownership. */
  readonly sharesStore: boolean;
  /** Callers' questions that met a moving shard are repeated. */
  readonly retries: boolean;
  /** Wraps the storage for checks and planted bugs. */
  readonly wrap: (storage: Storage, process: Process) => Storage;
  readonly stopped: (process: Process) => void;
  /** To be called when a broadcast arrives. */
  readonly heard: (process: Process, topic: string, payload: unknown) => void;
  /** To be called when one of the runtime's own assertions fails. */
  readonly failed: (process: Process, error: Error) => void;
}

/** Small bounds, so that a burst reaches them. */
export const simulatedLimits = {
  shardCount: 4,
  mailboxDepthMax: 12,
  tenantMailboxDepthMax: 60,
  threadMailboxDepthMax: 24,
  checkpointIntervalMs: 50,
  /** Short enough to end within a run. */
  entityIsolatedMs: 2_000,
  /** A subscriber that stays away for a while comes too late. */
  publishedKeptMs: 8_000,
  /** Numbers of messages are forgotten while senders are replaced and repeat theirs. */
  inboxListedMs: 500,
  settledToldMs: 500,
};

/** So small that entities often wait for each other, and that a store out of reach counts as silent. */
const tight = {
  storeAnswerMsMax: 2_500,
  batchEntriesMax: 3,
  gatedRepliesMax: 6,
  checkpointBytesMax: 3_000,
  timersHandedMax: 3,
  outboxMessagesMax: 2,
  outboxCursorsMax: 2,
};

/** If entities stay in memory, a replaced owner answers from memory. */
const crowded = { residentEntitiesMax: 4, entityIdleMs: 2_000 };

function limitsOf(faults: Faults) {
  return { ...simulatedLimits, ...(faults.crowded && crowded), ...(faults.tight && tight) };
}

/** Wall time at the start of every run. */
export const epochMs = 1_700_000_000_000;

/** One simulated process: a runtime thread whose time, scheduling and disk the simulator controls. */
export class Process {
  readonly owner: Owner;
  readonly world: World;
  readonly thread: Thread;
  readonly #options: ProcessOptions;
  readonly #engine: MemoryStorage;
  /** Since when broadcasts can reach it. */
  #bornMs: number;
  #diedMs = Number.POSITIVE_INFINITY;
  /** Since when it has run without a pause. */
  #awakeMs: number;
  #skewMs: number;
  /** True: its clock is not corrected by itself any more. */
  #keepClock = () => {};
  #cutUntilMs = 0;

  constructor(options: ProcessOptions) {
    this.#options = options;
    this.owner = newOwner(options.name);
    this.#bornMs = options.scheduler.nowMs;
    this.#awakeMs = this.#bornMs;
    this.#skewMs = options.faults().skewMs;
    this.#engine = openMemory(options.store, this.#interference());
    this.world = this.#world();
    this.thread = new Thread({
      storage: options.wrap(this.#engine, this),
      definitions: options.definitions(this),
      world: this.world,
      limits: limitsOf(options.faults()),
      routes: options.routes(this),
      effects: options.effects(() => this),
      retries: options.retries,
      ...(options.sharesStore && { provenMs: () => Number.NEGATIVE_INFINITY }),
      logger: this.#logger(),
    });
    this.thread.broadcastListeners.add((topic, payload) => options.heard(this, topic, payload));
  }

  /**
   * True if no other owner took a shard from it. A replaced owner that does not know it combines its old memory with
   * newer tables: that state does not matter, because it cannot commit.
   */
  get isOwner(): boolean {
    const { store } = this.#options;
    for (const { number, epoch } of this.thread.shards.values())
      if (epoch !== 0 && epoch !== store.shard(number).epoch) return false;
    return true;
  }

  get random(): Random {
    return this.#options.random;
  }

  /** A delay for this process alone: it never ends once the process is dead. */
  delay(delayMs: number, label: string): Promise<void> {
    return this.#options.scheduler.delay(this.owner, delayMs, label);
  }

  get alive(): boolean {
    return this.owner.state !== "dead";
  }

  open(shards: readonly number[], view: number): void {
    // It may have owned one of them before without learning that it lost it.
    for (const number of shards) this.thread.shards.get(number)?.drop(lostRefusal());
    // A shard that another owner took meanwhile is not an error of this process.
    this.thread.open(shards, view).catch(() => {});
  }

  wallMs(): number {
    return Math.floor(epochMs + this.#options.scheduler.nowMs + this.#skewMs);
  }

  /** Power loss or kill -9: nothing more runs, and the interference decides about written, unsynced batches. */
  kill(): void {
    if (!this.alive) return;
    this.#diedMs = this.owner.state === "paused" ? this.#awakeMs : this.#options.scheduler.nowMs;
    this.owner.state = "dead";
    const { random } = this.#options;
    this.#engine.crash(() => random.pick(["kept", "lost", "torn"] as const));
  }

  /** The wall clock is changed: slightly wrong for good, or very wrong until it is corrected. */
  setClock(): void {
    const { random, scheduler } = this.#options;
    if (random.chance(0.7)) {
      this.#skewMs = random.int(10_000) - 5_000;
      return;
    }
    const before = this.#skewMs;
    this.#skewMs += 70_000 + random.int(300_000);
    this.#keepClock = scheduler.schedule(this.owner, random.float() * 5_000, "clock back", () => {
      this.#skewMs = before;
    });
  }

  setClockRight(): void {
    this.#keepClock();
    this.#skewMs = 0;
  }

  /** Neither store nor other processes can be reached for a while; callers still can. */
  cutOff(forMs: number): void {
    this.#cutUntilMs = this.#options.scheduler.nowMs + forMs;
  }

  get isCutOff(): boolean {
    return this.#options.scheduler.nowMs < this.#cutUntilMs;
  }

  /** The remaining time of the cut. */
  get cutMs(): number {
    return Math.max(0, this.#cutUntilMs - this.#options.scheduler.nowMs);
  }

  pause(): void {
    if (this.owner.state === "running") this.owner.state = "paused";
  }

  /** Runs what came up during the pause. */
  resume(): void {
    if (this.owner.state !== "paused") return;
    this.owner.state = "running";
    const { scheduler } = this.#options;
    this.#awakeMs = scheduler.nowMs;
    for (const step of this.owner.missed.splice(0)) scheduler.schedule(this.owner, 0, "missed", step);
  }

  /** It has been linked to another process: before that no broadcast could reach it. */
  linked(): void {
    this.#bornMs = this.#options.scheduler.nowMs;
  }

  /** Since when it has run without a pause. */
  get awakeMs(): number {
    return this.#awakeMs;
  }

  /** It existed at the first moment, and ran for as long as the time between the two moments. */
  wasThere(fromMs: number, toMs: number): boolean {
    return this.#bornMs < fromMs && Math.max(this.#awakeMs, fromMs) + toMs - fromMs <= this.#diedMs;
  }

  /** A message from outside, if the process receives it at all. */
  receive(label: string, delayMs: number, act: () => void): void {
    this.#options.scheduler.schedule(this.owner, delayMs, label, act);
  }

  ask(ask: Ask, reply: (answer: Answer) => void): void {
    if (this.#options.retries) this.thread.ask(ask as Ask, reply);
    else this.thread.post(ask, reply);
  }

  deliver(delivery: Delivery, reply: (refusal: Refusal | undefined) => void): void {
    this.thread.deliver(delivery, reply);
  }

  #logger(): Logger {
    const look = ({ err }: { err?: unknown }) => {
      // Storage errors and failing modules are faults of the seed; any other fault is a bug, even if the runtime
      // recovered.
      if (err instanceof Error && !(err instanceof StorageError) && !isFlaky(err))
        this.#options.failed(this, err);
    };
    return { error: look, warn: look, info: () => {} };
  }

  #world(): World {
    const { scheduler, random } = this.#options;
    return {
      clock: { now: () => this.wallMs(), monotonic: () => scheduler.nowMs },
      random: random.split("world"),
      secret: seededSecret(random.split("secrets")),
      later: (step) => void scheduler.schedule(this.owner, 0, "later", step),
      setTimer: (delayMs, step) => scheduler.schedule(this.owner, delayMs, "timer", step),
    };
  }

  #interference(): Interference {
    const { scheduler, random } = this.#options;
    const wait = (label: string) => {
      const { latencyMs } = this.#options.faults();
      return scheduler.delay(this.owner, this.cutMs + random.float() * latencyMs, label);
    };
    return {
      before: async (operation) => {
        await wait(operation.type);
        return this.#verdict(operation);
      },
      sync: async () => {
        await wait("sync");
        return random.chance(this.#options.faults().fsyncFailed) ? "failed" : "synced";
      },
      after: async (operation) => {
        if (random.chance(0.3)) await wait(`after ${operation.type}`);
      },
      leftover: () => random.pick(["kept", "lost", "torn"] as const),
      stopped: () => this.#options.stopped(this),
    };
  }

  #verdict(operation: Operation): Verdict {
    const { random } = this.#options;
    const faults = this.#options.faults();
    switch (operation.type) {
      case "open":
      case "append":
        if (random.chance(faults.appendUnknown))
          return { type: "unknown", applied: this.#applied(operation.type === "append") };
        if (random.chance(faults.appendUnavailable)) return { type: "fail", kind: "unavailable" };
        if (operation.type === "append" && random.chance(faults.appendFull))
          return { type: "fail", kind: "full" };
        return "proceed";
      case "write":
        if (!random.chance(faults.writeBroken)) return "proceed";
        return random.chance(0.5)
          ? { type: "part", stored: () => random.chance(0.5) }
          : { type: "fail", kind: "unavailable" };
      case "replay":
      case "get":
      case "scan":
      case "watermark":
        return random.chance(faults.readUnavailable) ? { type: "fail", kind: "unavailable" } : "proceed";
      default:
        return "proceed";
    }
  }

  /**
   * At once, never, or later, when another owner may have the shard. If there can be no other owner, it is never that
   * late.
   */
  #applied(isAppend: boolean): boolean | Promise<void> {
    const { random, scheduler, sharesStore } = this.#options;
    const which = random.int(isAppend || sharesStore ? 3 : 2);
    if (which < 2) return which === 0;
    return scheduler.delay(newOwner("late"), random.float() * 2_000, "late append");
  }
}
