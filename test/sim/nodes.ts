import { isRefusal } from "#base";
import type { EventPage } from "../../runtime/event-page.ts";
import { lookForEvents } from "../../runtime/events.ts";
import type { Answer } from "../../runtime/index.ts";
import { goneRefusal } from "../../runtime/links/link.ts";
import type { Delivery } from "../../runtime/shard/outbox.ts";
import { copyPlain } from "../../runtime/shard/plain.ts";
import type { Routes } from "../../runtime/thread/thread.ts";
import type { Process } from "./process.ts";
import { newOwner } from "./scheduler.ts";
import { actOne, type EventPlace, type EventPlaces, type Ground, type Topology } from "./topology.ts";

/** After this time a question to another node counts as lost; longer than callers wait for an answer. */
const askLostMs = 6_000;

/** Two nodes that take shards from each other, over a network that loses messages. */
export class Nodes implements Topology {
  processes: Process[] = [];
  readonly sharesStore = true;
  readonly #ground: Ground;
  readonly #control = newOwner("control");
  /** Which process should own a shard; the epoch in the store decides which may write. */
  readonly #placement = new Map<number, number>();
  #view = 1;

  constructor(ground: Ground) {
    this.#ground = ground;
  }

  start(): void {
    const { shards } = this.#ground;
    this.processes = [0, 1].map((slot) => this.#start(slot));
    for (const shard of shards) this.#placement.set(shard, shard % 2);
    for (const slot of [0, 1]) this.#take(slot, this.#shardsOf(slot));
  }

  act(): void {
    const { chance, faults } = this.#ground;
    const slot = chance.int(2);
    // It is not told: the test is about what a replaced owner answers before it knows.
    if (this.processes[slot]!.isCutOff) return;
    const { kill, pause, move, cut, clock } = faults();
    actOne(chance, [
      kill && (() => this.ended(this.processes[slot]!)),
      pause && (() => this.#suspend(slot)),
      move && (() => this.#move(slot)),
      cut && (() => this.#cutOff(slot)),
      clock && (() => this.processes[slot]!.setClock()),
    ]);
  }

  /** Killed, if it was alive, and started again; meanwhile the other may take its shards. */
  ended(process: Process): void {
    const { scheduler, chance } = this.#ground;
    const slot = this.processes.indexOf(process);
    if (slot < 0 || !process.alive) return;
    process.kill();
    const owned = this.#shardsOf(slot);
    const other = this.processes[1 - slot]!;
    if (other.owner.state === "running" && chance.chance(0.4)) this.#take(1 - slot, owned);
    scheduler.schedule(this.#control, chance.float() * 1_500, "restart", () => {
      if (this.processes[slot] !== process) return;
      this.processes[slot] = this.#start(slot);
      const left = this.#shardsOf(slot);
      if (left.length > 0) this.#take(slot, left);
    });
  }

  ownerOf(shard: number, stale: number): Process | undefined {
    const slot = this.#placement.get(shard)!;
    const process = this.processes[this.#ground.chance.chance(stale) ? 1 - slot : slot]!;
    return process.alive ? process : undefined;
  }

  /** The processes to ask about a shard: its owner and, if shards may move, sometimes the owner before. */
  eventPlaces(): EventPlaces {
    return () => new Map(this.#ground.shards.map((shard) => [shard, this.#eventPlace(shard)]));
  }

  /** Every process is replaced by one that owns everything. */
  async heal(): Promise<void> {
    const { scheduler, shards } = this.#ground;
    const killAll = () => {
      for (const process of this.processes) process.kill();
    };
    killAll();
    await scheduler.runUntil(scheduler.nowMs + 3_000);
    // One may have been restarted meanwhile.
    killAll();
    this.processes = [this.#start(0), this.#start(1)];
    this.#take(0, shards);
  }

  #start(slot: number): Process {
    return this.#ground.start(slot, (from) => this.#routes(from));
  }

  #take(slot: number, taken: readonly number[]): void {
    for (const shard of taken) this.#placement.set(shard, slot);
    this.processes[slot]!.open(taken, ++this.#view);
  }

  #shardsOf(slot: number): number[] {
    return this.#ground.shards.filter((shard) => this.#placement.get(shard) === slot);
  }

  #eventPlace(shard: number): EventPlace {
    const { chance, faults } = this.#ground;
    const slot = this.#placement.get(shard)!;
    const process = this.processes[faults().move && chance.chance(0.2) ? 1 - slot : slot]!;
    return {
      process,
      look: (asked, done) =>
        lookForEvents(process.thread, asked, (found) =>
          done(isRefusal(found) ? found : partOf(found, shard)),
        ),
    };
  }

  /** The process is paused and does not notice; meanwhile its shards may be taken. */
  #suspend(slot: number): void {
    const { scheduler, chance } = this.#ground;
    const process = this.processes[slot]!;
    process.pause();
    const other = 1 - slot;
    scheduler.schedule(this.#control, chance.float() * 2_000, "suspect", () => {
      if (process.owner.state === "paused" && this.processes[other]!.owner.state === "running")
        this.#take(other, this.#shardsOf(slot));
    });
    scheduler.schedule(this.#control, chance.float() * 4_000, "resume", () => process.resume());
  }

  /** A planned hand-over of which the old owner learns only when its next append fails. */
  #move(slot: number): void {
    const { chance, shards } = this.#ground;
    if (this.processes[slot]!.owner.state === "running") this.#take(slot, [chance.pick(shards)]);
  }

  /** The process can reach only its callers; meanwhile its shards are taken. */
  #cutOff(slot: number): void {
    const { scheduler, chance } = this.#ground;
    const process = this.processes[slot]!;
    process.cutOff(3_000 + chance.float() * 5_000);
    scheduler.schedule(this.#control, chance.float() * 1_000, "suspect", () => {
      const other = this.processes[1 - slot]!;
      if (process.isCutOff && this.processes[slot] === process && other.owner.state === "running")
        this.#take(1 - slot, this.#shardsOf(slot));
    });
  }

  /** Messages between processes may be lost; only deliveries of an outbox are repeated. */
  #routes(from: Process): Routes {
    const { chance, faults } = this.#ground;
    const reach = (shard: number, repeatable: boolean, act: (target: Process) => void) => {
      const target = this.processes[this.#placement.get(shard)!]!;
      const copies = repeatable && chance.chance(faults().messageTwice) ? 2 : 1;
      for (let copy = 0; copy < copies; copy++) {
        if (chance.chance(faults().messageLost) || target === from) continue;
        if (from.isCutOff || target.isCutOff) continue;
        target.receive("message", chance.float() * 20, () => act(target));
      }
    };
    const back = (act: () => void) => {
      if (!chance.chance(faults().messageLost) && !from.isCutOff)
        from.receive("reply", chance.float() * 20, act);
    };
    return {
      ask: (shard, ask, reply) => {
        let waits = true;
        const answerOnce = (answer: Answer) => {
          if (waits) reply(answer);
          waits = false;
        };
        // As over a link: that the question or its answer was lost is an answer, too.
        from.receive("give up", askLostMs, () => answerOnce(goneRefusal()));
        reach(shard, false, (target) =>
          target.ask(ask, (answer) => back(() => answerOnce(copyPlain(answer) as Answer))),
        );
      },
      deliver: (shard, delivery, reply) => {
        const copy = copyPlain(delivery) as Delivery;
        reach(shard, true, (target) => target.deliver(copy, (refusal) => back(() => reply(refusal))));
      },
      // As between the threads of a process: every living one gets it, and nothing is lost.
      broadcast: (topic, payload) => {
        for (const target of this.processes)
          if (target !== from && target.alive)
            target.receive("broadcast", chance.float() * 20, () => target.thread.hear(topic, payload));
      },
    };
  }
}

function partOf({ events, positions }: EventPage, shard: number): EventPage {
  return {
    events: events.filter((event) => event.shard === shard),
    positions: positions.filter(([of]) => of === shard),
  };
}
