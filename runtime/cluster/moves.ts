import type { Thread } from "../thread/thread.ts";
import type { Claim, Holder, Holders } from "./holders.ts";
import { ownersOf } from "./rendezvous.ts";
import { MoveClock, type MoveStats } from "./stats.ts";
import type { View } from "./view.ts";

export interface MovesOptions {
  readonly self: string;
  readonly movesAtOnce: number;
  readonly holders: Holders;
  readonly thread: Thread;
  /** What this node holds is known. */
  readonly isLinked: (node: string) => boolean;
  /** Asks the holder to give a shard away; false: it cannot now. */
  readonly release: (holder: Holder, shard: number, view: number, done: (released: boolean) => void) => void;
  readonly take: (shards: readonly number[], view: number) => void;
  readonly changed: () => void;
}

/** How often a holder is asked; after that the fence takes the shard from it. */
const releaseTriesMax = 5;
const releaseAgainMs = 100;
/** A shard that was taken from this node on the same view is left alone for so long. */
const barredMs = 5_000;

/**
 * Brings the shards that the view gives to this node here. One that a living node holds is asked for, a few at a time, so
 * that it is away only for the time of one opening; one that no node holds is taken at once.
 */
export class Moves {
  readonly #options: MovesOptions;
  readonly #moving = new Set<number>();
  readonly #clock = new MoveClock();
  readonly #giving = new Set<number>();
  /** Lost to a node with another view: until when, and on which view of ours. */
  readonly #barred = new Map<number, { readonly version: number; readonly untilMs: number }>();
  #view: View | undefined;
  #owners: readonly (string | undefined)[] = [];
  #viewSinceMs = 0;
  #cancelTimer: (() => void) | undefined;
  #stopped = false;

  constructor(options: MovesOptions) {
    this.#options = options;
  }

  get moving(): readonly number[] {
    return [...this.#moving];
  }

  get stats(): MoveStats {
    return this.#clock.stats;
  }

  setView(view: View): void {
    const { thread } = this.#options;
    this.#view = view;
    this.#owners = ownersOf(view.members, thread.limits.shardCount);
    this.#viewSinceMs = thread.world.clock.monotonic();
    this.step();
  }

  /** A worker of ours says what it holds. What it had and did not give away was taken from it. */
  heard(worker: number, claims: readonly Claim[]): void {
    const { holders } = this.#options;
    const now = new Set(claims.map(([shard]) => shard));
    for (const shard of holders.claimsOf(worker)?.keys() ?? []) {
      if (!now.has(shard) && !this.#giving.has(shard)) this.#bar(shard);
    }
  }

  #bar(shard: number): void {
    const untilMs = this.#options.thread.world.clock.monotonic() + barredMs;
    this.#barred.set(shard, { version: this.#view?.version ?? 0, untilMs });
  }

  /** A shard is open here: what waited for it goes on. */
  opened(shard: number): void {
    this.#clock.arrived(shard, this.#options.thread.world.clock.monotonic());
  }

  /** Another node says what it holds: what it took on a later view is not ours any more, whether we noticed or not. */
  taken(node: string): void {
    const { holders } = this.#options;
    const theirs = holders.claimsOf(node);
    for (const [shard, view] of holders.local)
      if ((theirs?.get(shard) ?? 0) > view) this.#giveNow(shard, () => undefined);
  }

  give(shard: number, view: number, done: (released: boolean) => void): void {
    const isOurs = this.#owners[shard] === this.#options.self;
    const version = this.#view?.version ?? 0;
    // A node that asks on an older view will learn of ours.
    if (isOurs && view < version) {
      done(false);
      return;
    }
    // By our older view it stays ours: it is not taken back before we know theirs.
    if (view > version) this.#bar(shard);
    this.#giveNow(shard, done);
  }

  step(): void {
    if (this.#view === undefined || this.#stopped) return;
    const { holders, self, thread } = this.#options;
    const nowMs = thread.world.clock.monotonic();
    const free: number[] = [];
    for (const [shard, owner] of this.#owners.entries()) {
      const holder = holders.of(shard);
      if (holder === undefined) this.#clock.unheld(shard, nowMs);
      else if (typeof holder === "string") this.#clock.heldElsewhere(shard);
      if (owner !== self || this.#moving.has(shard)) continue;
      if (typeof holder === "string") this.#ask(shard, holder);
      else if (holder === undefined && this.#isFree(shard)) free.push(shard);
    }
    if (free.length > 0) this.#options.take(free, this.#view.version);
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelTimer?.();
  }

  #giveNow(shard: number, done: (released: boolean) => void): void {
    const { holders, release } = this.#options;
    const holder = holders.of(shard);
    const worker = typeof holder === "number" ? holder : this.#localHolder(shard);
    if (worker === undefined) {
      done(true);
      return;
    }
    this.#giving.add(shard);
    release(worker, shard, this.#view?.version ?? 0, (released) => {
      this.#giving.delete(shard);
      if (released) this.#clock.given++;
      done(released);
    });
  }

  #localHolder(shard: number): number | undefined {
    const { holders, thread } = this.#options;
    // Workers are few, and this is rare.
    for (let worker = 0; worker < thread.limits.shardCount; worker++) {
      const claims = holders.claimsOf(worker);
      if (claims === undefined) return undefined;
      if (claims.has(shard)) return worker;
    }
    return undefined;
  }

  #isFree(shard: number): boolean {
    const { thread, self, isLinked } = this.#options;
    const nowMs = thread.world.clock.monotonic();
    const barred = this.#barred.get(shard);
    if (barred !== undefined && barred.version >= this.#view!.version && nowMs < barred.untilMs)
      return this.#stepAt(barred.untilMs);
    const untilMs = this.#viewSinceMs + thread.limits.moveLinksMs;
    const isKnown = this.#view!.members.every(({ node }) => node === self || isLinked(node));
    // A node that is not heard yet may hold it; one that stays away loses it by the fence.
    return isKnown || nowMs >= untilMs || this.#stepAt(untilMs);
  }

  #stepAt(atMs: number): false {
    if (this.#cancelTimer !== undefined) return false;
    const { world } = this.#options.thread;
    this.#cancelTimer = world.setTimer(Math.max(1, atMs - world.clock.monotonic()), () => {
      this.#cancelTimer = undefined;
      this.step();
    });
    return false;
  }

  #ask(shard: number, holder: string, tries = 1): void {
    const { movesAtOnce, release, thread, changed } = this.#options;
    if (tries === 1 && this.#moving.size >= movesAtOnce) return;
    this.#moving.add(shard);
    this.#clock.asked(shard, thread.world.clock.monotonic());
    const { version } = this.#view!;
    let ended = false;
    const end = (released: boolean) => {
      if (ended || this.#stopped) return;
      ended = true;
      cancel();
      if (!released && tries < releaseTriesMax)
        thread.world.setTimer(releaseAgainMs, () => this.#again(shard, holder, tries + 1));
      else this.#arrived(shard, version);
    };
    const cancel = thread.world.setTimer(thread.limits.moveSettleMs * 1.5, () => end(false));
    // A closed link answers at once: taking the shard now would step again, and so on, within this very step.
    let isAsking = true;
    release(holder, shard, version, (released) => {
      if (isAsking) thread.world.setTimer(releaseAgainMs, () => end(released));
      else end(released);
    });
    isAsking = false;
    changed();
  }

  #again(shard: number, holder: string, tries: number): void {
    if (this.#stopped) return;
    const isStill = this.#options.holders.of(shard) === holder;
    if (isStill && this.#owners[shard] === this.#options.self) this.#ask(shard, holder, tries);
    else this.#arrived(shard, 0);
  }

  /** It was given, or is taken by the fence; on an older view than today's it may be another node's by now. */
  #arrived(shard: number, version: number): void {
    const { self, take } = this.#options;
    this.#moving.delete(shard);
    if (version > 0 && this.#owners[shard] === self) {
      this.#barred.delete(shard);
      take([shard], this.#view!.version);
    } else this.#clock.notAsked(shard);
    this.step();
    this.#options.changed();
  }
}
