import { limits } from "#base";
import type { MemberStore, StoredView } from "#storage";
import type { Logger } from "../logger.ts";
import type { World } from "../world.ts";
import { Suspects } from "./suspects.ts";
import { type Member, type NodeFacts, storedMember, type View, viewOf } from "./view.ts";

interface MembershipOptions {
  readonly store: MemberStore;
  readonly world: World;
  readonly node: string;
  readonly newIncarnation: () => string;
  readonly logger?: Logger | undefined;
  /** Asked before this node joins, and joins again: whether it can still take shards. Absent: it can. */
  readonly mayJoin?: () => Promise<boolean>;
  readonly onView: (view: View) => void;
  /** A round has ended: `provenMs` or `state` may have changed. */
  readonly onRound?: () => void;
}

/**
 * "out": not in the list (yet, or since others suspected this node). "replaced": a later start has this node's name, for
 * ever.
 */
export type MembershipState = "out" | "in" | "leaving" | "left" | "replaced";

/**
 * This node's part in the list of nodes: it joins, beats every 500 ms, follows the list, and removes nodes whose
 * heartbeats have stopped. Who should own a shard follows from the list; who may write is decided by the journal alone.
 */
export class Membership {
  readonly #options: MembershipOptions;
  readonly #suspects = new Suspects();
  #self: Member | undefined;
  #facts: NodeFacts | undefined;
  #view: View | undefined;
  #beat = 0;
  #state: MembershipState = "out";
  #provenMs = Number.NEGATIVE_INFINITY;
  #running: Promise<void> | undefined;
  #again = false;
  #cancelTimer: () => void = () => undefined;
  #stopped = false;
  /** Nodes that this one removed from the list because they had stopped beating. */
  removed = 0;

  constructor(options: MembershipOptions) {
    this.#options = options;
  }

  get state(): MembershipState {
    return this.#state;
  }

  get view(): View | undefined {
    return this.#view;
  }

  get incarnation(): string | undefined {
    return this.#self?.incarnation;
  }

  /** When the last heartbeat began that the store took while this node was in the list (monotonic). */
  get provenMs(): number {
    return this.#provenMs;
  }

  /** The store answered within the time after which others would suspect this node. */
  get reachesStore(): boolean {
    return this.#options.world.clock.monotonic() - this.#reachedMs < limits.memberSuspectMs;
  }
  #reachedMs = Number.NEGATIVE_INFINITY;

  /** Joins; resolves when this node is in the list. */
  async join(facts: NodeFacts): Promise<void> {
    this.#facts = facts;
    await this.look();
    while (this.#state === "out" && !this.#stopped) {
      await this.#pause(limits.memberBeatMs / 5);
      await this.look();
    }
  }

  /** Leaves the list; shards go to others from now on. The heartbeats go on, for those who still look. */
  async leave(): Promise<void> {
    if (this.#state !== "in" && this.#state !== "out") return;
    this.#state = "leaving";
    for (let tries = 0; tries < leaveTriesMax && !this.#stopped; tries++) {
      await this.look();
      if ((this.#state as MembershipState) === "left") return;
      await this.#pause(limits.memberBeatMs / 5);
    }
  }

  /** Reads the list now instead of at the next heartbeat. */
  async look(): Promise<void> {
    this.#again = true;
    this.#running ??= this.#rounds().finally(() => {
      this.#running = undefined;
    });
    await this.#running;
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelTimer();
  }

  async #rounds(): Promise<void> {
    while (this.#again && !this.#stopped) {
      this.#again = false;
      await this.#round();
    }
    this.#cancelTimer();
    if (!this.#stopped)
      this.#cancelTimer = this.#options.world.setTimer(this.#nextRoundMs(), () => void this.look());
  }

  /** At the next heartbeat, or at the moment at which a node that has stopped beating may be removed. */
  #nextRoundMs(): number {
    const dueMs = this.#suspects.dueMs - this.#options.world.clock.monotonic();
    // One that is due now could not be removed in this round.
    return dueMs <= 0 ? limits.memberBeatMs : Math.min(limits.memberBeatMs, Math.ceil(dueMs));
  }

  async #round(): Promise<void> {
    const { store, world, logger } = this.#options;
    const beganMs = world.clock.monotonic();
    try {
      if (this.#self !== undefined) await store.beat(this.#self.incarnation, ++this.#beat);
      const stored = await store.read();
      this.#reachedMs = beganMs;
      this.#saw(stored);
      if (this.#isIn(stored)) this.#provenMs = beganMs;
      // An answer from before a change of our own says nothing about it.
      if (stored.version >= this.#view!.version) await this.#participate(stored);
      await this.#removeSilent(beganMs);
    } catch (error) {
      // What is not seen while the store is silent says nothing of the others.
      this.#suspects.startAnew();
      logger?.warn({ err: error }, "the list of nodes could not be reached");
    }
    this.#options.onRound?.();
  }

  #saw(stored: StoredView): void {
    if (this.#view !== undefined && stored.version <= this.#view.version) return;
    this.#view = viewOf(stored, this.#options.node, this.incarnation);
    this.#options.onView(this.#view);
  }

  #isIn({ members }: StoredView): boolean {
    const { incarnation } = this;
    return incarnation !== undefined && members.some((member) => member.incarnation === incarnation);
  }

  /** Joins, leaves, or learns what others decided about this node. */
  async #participate(stored: StoredView): Promise<void> {
    const { node, logger } = this.#options;
    const isIn = this.#isIn(stored);
    const namesake = stored.members.find((member) => member.node === node);
    switch (this.#state) {
      case "in":
        if (isIn) return;
        this.#state = namesake === undefined ? "out" : "replaced";
        logger?.warn(
          { version: stored.version, state: this.#state },
          namesake === undefined
            ? "other nodes took this one for dead: it joins again"
            : "a later start has the id of this node: this one serves no shard any more",
        );
        this.#again ||= this.#state === "out";
        return;
      case "out":
        if (this.#facts !== undefined && ((await this.#options.mayJoin?.()) ?? true)) await this.#put(stored);
        return;
      case "leaving":
        if (!isIn) this.#state = "left";
        else if (await this.#change(stored.version, { type: "remove", member: namesake! }))
          this.#state = "left";
        return;
      case "left":
      case "replaced":
        return;
    }
  }

  async #put(stored: StoredView): Promise<void> {
    const { node, newIncarnation, store } = this.#options;
    const self: Member = { ...this.#facts!, node, incarnation: newIncarnation() };
    this.#self = self;
    this.#beat = 0;
    // A namesake in the list is an earlier start of this node: it is replaced.
    // Before it is in the list: readers of the list find it alive.
    await store.beat(self.incarnation, ++this.#beat);
    if (await this.#change(stored.version, { type: "put", member: storedMember(self) })) this.#state = "in";
  }

  async #removeSilent(nowMs: number): Promise<void> {
    if (this.#state !== "in" || this.#view === undefined) return;
    const { store, logger } = this.#options;
    const others = this.#view.members.filter(({ incarnation }) => incarnation !== this.incarnation);
    const silent = this.#suspects.silent(others, await store.beats(), nowMs);
    for (const member of silent) {
      logger?.warn({ suspect: member.node }, "a node has sent no heartbeat for two seconds and is removed");
      // One change per version: what could not be removed now is looked at again in the next round.
      if (await this.#change(this.#view.version, { type: "remove", member: storedMember(member) }))
        this.removed++;
    }
  }

  async #change(version: number, change: Parameters<MemberStore["change"]>[1]): Promise<boolean> {
    const { store } = this.#options;
    const changed = await store.change(version, change);
    this.#saw(await store.read());
    return changed;
  }

  #pause(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.#options.world.setTimer(delayMs, resolve));
  }
}

/** Others find out without it: then they suspect this node. */
const leaveTriesMax = 20;
