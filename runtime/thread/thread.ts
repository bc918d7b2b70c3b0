import { type Refusal, refuse } from "#base";
import type { Storage } from "#storage";
import type { AnyActorDefinition } from "../actor.ts";
import type { Answer, Ask } from "../ask.ts";
import type { EffectHandlers } from "../effects/effect.ts";
import { EffectRunner } from "../effects/runner.ts";
import type { Logger } from "../logger.ts";
import { hashOf, Kinds, shardOf } from "../placement.ts";
import { corruptRefusal, drainingRefusal, lostRefusal } from "../refusals.ts";
import type { Cell } from "../shard/cell.ts";
import { ShardMetrics } from "../shard/metrics.ts";
import type { Delivery } from "../shard/outbox.ts";
import { type Host, Shard } from "../shard/shard.ts";
import { Slabs } from "../shard/slabs.ts";
import { type World, withStop } from "../world.ts";
import { acceptAsk, acceptDelivery } from "./accept.ts";
import { Checkpoints } from "./checkpoints.ts";
import { WatchedClock } from "./clock.ts";
import { Corruption } from "./corruption.ts";
import { EventReaders } from "./event-readers.ts";
import { HealthWatch, type ThreadHealth } from "./health.ts";
import { type RuntimeLimits, runtimeLimits } from "./limits.ts";
import { Loop } from "./loop.ts";
import { Mailboxes } from "./mailboxes.ts";
import { maintain, type ShardSupervisor } from "./maintenance.ts";
import { failedAppend, openShards, reopenShard } from "./open.ts";
import { Parking } from "./parking.ts";
import { Residents } from "./residents.ts";
import { Retries } from "./retries.ts";
import { Settled, settledTopic } from "./settled.ts";
import { Tenants } from "./tenants.ts";
import { Trims } from "./trims.ts";

export interface ThreadOptions {
  readonly storage: Storage;
  readonly definitions: readonly AnyActorDefinition[];
  readonly world: World;
  readonly limits?: Partial<RuntimeLimits> | undefined;
  readonly logger?: Logger | undefined;
  /** For shards of others; absent: everything that is not here is refused. */
  readonly routes?: Routes | undefined;
  /** What runs the effects that entities ask for, by kind. */
  readonly effects?: EffectHandlers | undefined;
  /** Runs what a shard does outside commands, and answers for it when that throws; absent: it is run directly. */
  readonly supervisor?: ShardSupervisor | undefined;
  /** When membership last proved that this process owns a shard (monotonic); absent: no other process can own it. */
  readonly provenMs?: ((shard: number) => number) | undefined;
  /** Shards move between nodes: what meets one on the move is tried again. */
  readonly retries?: boolean | undefined;
  /** False while the store is out of reach: changes are refused at once. */
  readonly reachesStore?: (() => boolean) | undefined;
  /** Told what an operator should know, soon after the start and whenever it has changed. */
  readonly onHealth?: ((health: ThreadHealth) => void) | undefined;
}

/** How a thread reaches the shards of others. */
export interface Routes {
  ask(shard: number, ask: Ask, reply: (answer: Answer) => void): void;
  deliver(shard: number, delivery: Delivery, reply: (refusal: Refusal | undefined) => void): void;
  broadcast(topic: string, payload: unknown): void;
}

/** The shards of one thread and what they share: the run queue, the bounds, the checkpoints, the clock. */
export class Thread implements Host {
  readonly world: World;
  readonly storage: Storage;
  readonly limits: RuntimeLimits;
  readonly logger: Logger | undefined;
  readonly kinds: Kinds;
  readonly clock: WatchedClock;
  readonly mailboxes: Mailboxes;
  readonly parking: Parking;
  readonly residents: Residents;
  readonly checkpoints: Checkpoints;
  readonly trims: Trims;
  readonly effects: EffectRunner;
  readonly eventReaders = new EventReaders();
  readonly corruption = new Corruption(this);
  readonly health: HealthWatch;
  readonly tenants = new Tenants();
  readonly slabs = new Slabs();
  readonly settled = new Settled(this);
  readonly shards = new Map<number, Shard>();
  readonly metrics = new Map<number, ShardMetrics>();
  readonly failing = new Set<Cell>();
  readonly broadcastListeners = new Set<(topic: string, payload: unknown) => void>();
  /** Told when a shard has come or gone. */
  onHeld: () => void = () => undefined;
  /** Told when a shard is open: its requests wait no longer. */
  onOpened: (shard: number) => void = () => undefined;
  draining = false;
  /** It is about to stop: no command may wait for others. */
  hasNoWaits = false;
  stopped = false;
  /** Asks of this thread's own gateway that are not answered yet. */
  outstanding = 0;
  readonly #loop = new Loop(this);
  readonly #routes: Routes | undefined;
  readonly #provenMs: ((shard: number) => number) | undefined;
  readonly #reachesStore: (() => boolean) | undefined;
  readonly #retries: Retries | undefined;
  readonly #stopTimers: () => void;

  constructor(options: ThreadOptions) {
    const stoppable = withStop(options.world);
    this.world = stoppable.world;
    this.#stopTimers = stoppable.stop;
    this.storage = options.storage;
    this.limits = runtimeLimits(options.limits);
    this.logger = options.logger;
    this.kinds = new Kinds(options.definitions);
    this.#routes = options.routes;
    this.#provenMs = options.provenMs;
    this.#reachesStore = options.reachesStore;
    this.#retries = options.retries ? new Retries(this) : undefined;
    this.clock = new WatchedClock(options.world.clock, this.limits, (byMs) => {
      if (byMs > 0)
        this.logger?.error(
          { ahead_ms: byMs },
          "the clock jumped ahead: commits are refused until it is believed",
        );
      else
        this.logger?.error({ behind_ms: -byMs }, "the clock went back: time goes on by the monotonic clock");
    });
    this.mailboxes = new Mailboxes(this.limits);
    this.parking = new Parking(this.limits, this.mailboxes);
    this.residents = new Residents(this.limits, this.world.heap);
    this.checkpoints = new Checkpoints(this);
    this.trims = new Trims(this);
    this.effects = new EffectRunner(this, options.effects ?? {});
    this.health = new HealthWatch(this, options.onHealth);
    maintain(this, options.supervisor);
  }

  /** Takes a question for an entity, wherever it lives; `reply` is called once, at once or later. */
  post(ask: Ask, reply: (answer: Answer) => void, routes = this.#routes): void {
    const kind = this.kinds.get(ask.to.kind);
    if (kind === undefined) {
      reply(refuse("UNIMPLEMENTED", `there is no kind ${ask.to.kind}`));
      return;
    }
    const hash = hashOf(ask.to);
    const { shardCount } = this.limits;
    const number =
      kind.definition.placement === "key" ? hash % shardCount : shardOf(ask.to, "tenant", shardCount);
    const shard = this.shards.get(number);
    if (shard !== undefined) acceptAsk({ shard, kind, hash }, ask, reply);
    else if (this.corruption.hasClosed(number)) reply(corruptRefusal());
    else if (routes !== undefined) routes.ask(number, ask, reply);
    else reply(lostRefusal());
  }

  deliver(delivery: Delivery, reply: (refusal: Refusal | undefined) => void, routes = this.#routes): void {
    const kind = this.kinds.get(delivery.to.kind);
    if (kind === undefined) {
      reply(refuse("UNIMPLEMENTED", `there is no kind ${delivery.to.kind}`));
      return;
    }
    const number = shardOf(delivery.to, kind.definition.placement, this.limits.shardCount);
    const shard = this.shards.get(number);
    if (shard !== undefined) acceptDelivery({ shard, kind, hash: hashOf(delivery.to) }, delivery, reply);
    else if (this.corruption.hasClosed(number)) reply(corruptRefusal());
    else if (routes !== undefined) routes.deliver(number, delivery, reply);
    else reply(lostRefusal());
  }

  /** A committed broadcast of one of our shards: to this thread, and to all others. */
  broadcast(topic: string, payload: unknown): void {
    this.hear(topic, payload);
    this.#routes?.broadcast(topic, payload);
  }

  hear(topic: string, payload: unknown): void {
    if (topic === settledTopic) {
      this.settled.heard(payload as Parameters<Settled["heard"]>[0]);
      return;
    }
    for (const listener of this.broadcastListeners)
      try {
        listener(topic, payload);
      } catch (error) {
        // The listener's own failure: neither the teller nor the other listeners have part in it.
        this.logger?.error({ err: error, topic }, "a listener failed when it was told of a broadcast");
      }
  }

  schedule(cell: Cell): void {
    if (cell.shard.status !== "dropped") this.#loop.schedule(cell);
  }

  markDirty(shard: Shard): void {
    this.#loop.markDirty(shard);
  }

  open(shards: readonly number[], view: number): Promise<void> {
    const terms = shards.map((number) => this.#term(number));
    for (const term of terms) {
      term.view = view;
      this.shards.set(term.number, term);
    }
    return openShards(this, terms, view);
  }

  /** Takes shards on this view of the cluster, each by itself: the owner before cannot commit to it any more. */
  take(numbers: readonly number[], view: number): void {
    for (const number of numbers) {
      if (this.shards.has(number) || this.stopped) continue;
      const term = this.#term(number);
      term.view = view;
      this.shards.set(number, term);
      reopenShard(this, term, undefined);
    }
    this.onHeld();
  }

  appendFailed(shard: Shard, failure: unknown): void {
    if (shard.status === "dropped") return;
    failedAppend(this, shard, failure);
  }

  /**
   * Something of the runtime itself threw: what this ownership term holds is not trusted any more. If it was being dropped, there
   * is nothing to fall back on but the end of this thread.
   */
  shardFailed(shard: Shard, error: unknown): void {
    if (this.stopped) return;
    if (shard.status === "dropped") throw error;
    this.logger?.error({ err: error, shard: shard.number }, "a shard failed and is taken anew");
    const failures = shard.metrics.failed(this.world.clock.monotonic());
    reopenShard(this, this.replace(shard, restartedRefusal()), undefined, failures - 1);
  }

  /** A new ownership term over the same shard; the old one's memory is gone. */
  replace(shard: Shard, refusal: Refusal): Shard {
    const fresh = this.#term(shard.number);
    fresh.keepTime(shard);
    fresh.view = shard.view;
    // First: a caller that is told may ask again before `drop` returns.
    this.shards.set(shard.number, fresh);
    shard.drop(refusal);
    return fresh;
  }

  /** The shard is no longer ours, or is of no use. */
  lose(number: number, refusal = lostRefusal()): void {
    const shard = this.shards.get(number);
    this.shards.delete(number);
    shard?.drop(refusal);
    this.onHeld();
  }

  /** A question from this thread's own gateway: those are refused, and waited for, at the end. */
  ask(ask: Ask, reply: (answer: Answer) => void): void {
    if (this.draining) {
      reply(drainingRefusal());
      return;
    }
    this.outstanding++;
    const answered = (answer: Answer) => {
      this.outstanding--;
      try {
        reply(answer);
      } catch (error) {
        // The caller's own failure is neither the entity's nor the shard's.
        this.logger?.error({ err: error, method: ask.method }, "a caller failed when it was answered");
      }
    };
    if (this.#retries === undefined) this.post(ask, answered);
    else this.#retries.post(ask, answered);
  }

  stop(): void {
    this.stopped = true;
    const shards = [...this.shards.values()];
    this.shards.clear();
    for (const shard of shards) shard.drop(drainingRefusal());
    this.#stopTimers();
  }

  /** Others may take our shards, and we hear of it later. */
  get sharesStore(): boolean {
    return this.#provenMs !== undefined;
  }

  get reachesStore(): boolean {
    return this.#reachesStore?.() ?? true;
  }

  ownershipProven({ number, commit }: Parameters<Host["ownershipProven"]>[0]): boolean {
    if (this.#provenMs === undefined) return true;
    const provenMs = Math.max(this.#provenMs(number), commit.confirmedMs);
    return this.world.clock.monotonic() - provenMs <= this.limits.ownershipProvenMs;
  }

  #term(number: number): Shard {
    let metrics = this.metrics.get(number);
    if (metrics === undefined) {
      metrics = new ShardMetrics();
      this.metrics.set(number, metrics);
    }
    metrics.terms++;
    return new Shard(number, this, metrics);
  }
}

function restartedRefusal(): Refusal {
  return refuse("UNAVAILABLE", "the shard is being restarted", { reason: "STARTING", retryAfterMs: 200 });
}
