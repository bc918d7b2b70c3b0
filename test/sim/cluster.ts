import { devTenantId, isRefusal, Random } from "#base";
import type { Address, Answer, AnyActorDefinition, Ask } from "../../runtime/index.ts";
import { shardOf } from "../../runtime/placement.ts";
import type { Delivery } from "../../runtime/shard/outbox.ts";
import { copyPlain } from "../../runtime/shard/plain.ts";
import type { Routes } from "../../runtime/thread/thread.ts";
import { MemoryStore } from "../../storage/memory/index.ts";
import { drawFaults, type FaultName, type Faults, noFaults } from "./faults.ts";
import type { PlantedBug } from "./planted.ts";
import { Process, simulatedLimits } from "./process.ts";
import type { Scenario, Stage } from "./scenario.ts";
import { newOwner, Scheduler } from "./scheduler.ts";
import { JournalWatch } from "./watch.ts";

export interface ClusterOptions {
  readonly seed: number;
  readonly without: readonly FaultName[];
  readonly bug?: PlantedBug;
}

const shards = Array.from({ length: simulatedLimits.shardCount }, (_, number) => number);

/** Two processes over one store, and whatever the seed does to them while a scenario is played. */
export class Cluster implements Stage {
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly faults: Faults;
  processes: Process[] = [];
  readonly everyProcess: Process[] = [];
  readonly #violations: string[] = [];
  readonly #chance: Random;
  readonly #store = new MemoryStore();
  readonly #watch: JournalWatch;
  readonly #bug: PlantedBug | undefined;
  readonly #scenario: Scenario;
  readonly #kinds: readonly AnyActorDefinition[];
  readonly #control = newOwner("control");
  readonly #network = newOwner("network");
  /** In force now. */
  #faults: Faults;
  /** Which process should own a shard; the epoch in the store decides which may. */
  #placement = new Map<number, number>();
  #view = 1;
  #names = 0;

  constructor(options: ClusterOptions, scenarioOf: (stage: Stage) => Scenario) {
    this.#chance = new Random(options.seed);
    this.scheduler = new Scheduler(this.#chance.split("order"));
    this.#watch = new JournalWatch(this.#store, (claim) => this.violate(claim));
    this.#bug = options.bug;
    const drawn: Record<string, unknown> = {
      ...drawFaults(this.#chance.split("faults")),
      ...options.bug?.faults,
    };
    for (const name of options.without) drawn[name] = noFaults[name];
    this.faults = drawn as unknown as Faults;
    this.#faults = this.faults;
    this.random = this.#chance.split("clients");
    this.#scenario = scenarioOf(this);
    this.#kinds = this.#scenario.actors(() => {});
  }

  async run(durationMs: number): Promise<void> {
    for (const slot of [0, 1]) this.processes.push(this.#start(slot));
    for (const shard of shards) this.#placement.set(shard, shard % 2);
    for (const slot of [0, 1])
      this.#take(
        slot,
        shards.filter((shard) => shard % 2 === slot),
      );
    this.#scenario.start();
    this.#act(durationMs);
    await this.pass(durationMs);
    this.#scenario.stop();
    if (!this.violated) await this.#heal();
    if (!this.violated) await this.#scenario.reckon();
    for (const process of this.processes) process.kill();
  }

  result() {
    return {
      faults: this.faults,
      violations: this.#violations,
      trace: this.scheduler.trace,
      steps: this.scheduler.steps,
      acknowledged: this.#scenario.acknowledged,
    };
  }

  violate(claim: string): void {
    this.#violations.push(claim);
  }

  get violated(): boolean {
    return this.#violations.length > 0;
  }

  ownerOf(to: Address, stale: number): Process | undefined {
    const slot = this.#placement.get(this.#shardOf(to))!;
    const process = this.processes[this.#chance.chance(stale) ? 1 - slot : slot]!;
    return process.alive ? process : undefined;
  }

  /** The first violation ends the run. */
  async pass(ms: number, done: () => boolean = () => false): Promise<void> {
    await this.scheduler.runUntil(this.scheduler.nowMs + ms, () => {
      this.#checkBounds();
      return this.violated || done();
    });
  }

  async demand(ask: Pick<Ask, "to" | "method" | "request">): Promise<unknown> {
    let response: unknown;
    let heard = false;
    const caller = {
      tenant: devTenantId,
      subject: "auditor",
      requestId: "audit",
      environmentMode: "any" as const,
      platform: false,
    };
    this.scheduler.schedule(this.#network, 0, "demand", () =>
      this.processes[0]!.ask({ ...ask, caller, deadlineMs: Number.MAX_SAFE_INTEGER }, (answer) => {
        heard = true;
        if (isRefusal(answer))
          this.violate(`${ask.method} of ${ask.to.key} was refused: ${answer.code} ${answer.detail}`);
        else response = copyPlain(answer.response);
      }),
    );
    await this.pass(10_000, () => heard);
    if (!heard && !this.violated) this.violate(`${ask.method} of ${ask.to.key} was never answered`);
    return response;
  }

  #claim(process: Process, claim: string): void {
    if (process.isOwner) this.violate(`${process.owner.name}: ${claim}`);
  }

  #shardOf(to: Address): number {
    const actor = this.#kinds.find(({ kind }) => kind === to.kind)!;
    return shardOf(to, actor.placement, simulatedLimits.shardCount);
  }

  #start(slot: number): Process {
    const { breakActor, breakStorage } = this.#bug ?? {};
    const started = new Process({
      name: `p${slot}.${this.#names++}`,
      scheduler: this.scheduler,
      random: this.#chance.split(`process ${this.#names}`),
      store: this.#store,
      definitions: (process) => {
        const actors = this.#scenario.actors((claim) => this.#claim(process, claim));
        return breakActor ? actors.map(breakActor) : actors;
      },
      faults: () => this.#faults,
      routes: (from) => this.#routes(from),
      wrap: (storage) => this.#watch.wrap(breakStorage?.(storage, this.#store) ?? storage),
      stopped: (process) => this.#restart(process),
      failed: (process, error) => this.#claim(process, error.message),
      heard: (process, topic, payload) => this.#scenario.heard?.(process, topic, payload),
    });
    this.everyProcess.push(started);
    return started;
  }

  #take(slot: number, taken: readonly number[]): void {
    for (const shard of taken) this.#placement.set(shard, slot);
    this.processes[slot]!.open(taken, ++this.#view);
  }

  #shardsOf(slot: number): number[] {
    return shards.filter((shard) => this.#placement.get(shard) === slot);
  }

  #act(untilMs: number): void {
    const delayMs = this.#chance.float() * this.#faults.actEveryMs * 2;
    this.scheduler.schedule(this.#control, delayMs, "act", () => {
      if (this.scheduler.nowMs >= untilMs) return;
      const slot = this.#chance.int(2);
      // It is left alone: what a replaced owner says while it does not know is what is looked for.
      if (this.processes[slot]!.isCutOff) return this.#act(untilMs);
      const acts = [
        this.#faults.kill && (() => this.#restart(this.processes[slot]!)),
        this.#faults.pause && (() => this.#suspend(slot)),
        this.#faults.move && (() => this.#move(slot)),
        this.#faults.cut && (() => this.#cutOff(slot)),
        this.#faults.clock && (() => this.processes[slot]!.setClock()),
      ].filter((act) => act !== false);
      if (acts.length > 0) this.#chance.pick(acts)();
      this.#act(untilMs);
    });
  }

  #restart(process: Process): void {
    const slot = this.processes.indexOf(process);
    if (slot < 0 || !process.alive) return;
    process.kill();
    const owned = this.#shardsOf(slot);
    const other = this.processes[1 - slot]!;
    if (other.owner.state === "running" && this.#chance.chance(0.4)) this.#take(1 - slot, owned);
    this.scheduler.schedule(this.#control, this.#chance.float() * 1_500, "restart", () => {
      if (this.processes[slot] !== process) return;
      this.processes[slot] = this.#start(slot);
      const left = this.#shardsOf(slot);
      if (left.length > 0) this.#take(slot, left);
    });
  }

  /** The process stands still and does not know it; meanwhile its shards may be given away. */
  #suspend(slot: number): void {
    const process = this.processes[slot]!;
    process.pause();
    const other = 1 - slot;
    this.scheduler.schedule(this.#control, this.#chance.float() * 2_000, "suspect", () => {
      if (process.owner.state === "paused" && this.processes[other]!.owner.state === "running")
        this.#take(other, this.#shardsOf(slot));
    });
    this.scheduler.schedule(this.#control, this.#chance.float() * 4_000, "resume", () => process.resume());
  }

  /** A planned hand-over that the old owner hears of only when its next append fails. */
  #move(slot: number): void {
    if (this.processes[slot]!.owner.state === "running") this.#take(slot, [this.#chance.pick(shards)]);
  }

  /** The process reaches nobody but its callers; meanwhile its shards are given away. */
  #cutOff(slot: number): void {
    const process = this.processes[slot]!;
    process.cutOff(3_000 + this.#chance.float() * 5_000);
    this.scheduler.schedule(this.#control, this.#chance.float() * 1_000, "suspect", () => {
      const other = this.processes[1 - slot]!;
      if (process.isCutOff && this.processes[slot] === process && other.owner.state === "running")
        this.#take(1 - slot, this.#shardsOf(slot));
    });
  }

  /** Between processes messages get lost; only deliveries of an outbox are ever sent twice. */
  #routes(from: Process): Routes {
    const reach = (shard: number, repeatable: boolean, act: (target: Process) => void) => {
      const target = this.processes[this.#placement.get(shard)!]!;
      const copies = repeatable && this.#chance.chance(this.#faults.messageTwice) ? 2 : 1;
      for (let copy = 0; copy < copies; copy++) {
        if (this.#chance.chance(this.#faults.messageLost) || target === from) continue;
        if (from.isCutOff || target.isCutOff) continue;
        target.receive("message", this.#chance.float() * 20, () => act(target));
      }
    };
    const back = (act: () => void) => {
      if (!this.#chance.chance(this.#faults.messageLost) && !from.isCutOff)
        from.receive("reply", this.#chance.float() * 20, act);
    };
    return {
      ask: (shard, ask, reply) =>
        reach(shard, false, (target) =>
          target.ask(ask, (answer) => back(() => reply(copyPlain(answer) as Answer))),
        ),
      deliver: (shard, delivery, reply) => {
        const copy = copyPlain(delivery) as Delivery;
        reach(shard, true, (target) => target.deliver(copy, (refusal) => back(() => reply(refusal))));
      },
      // As between the threads of a process: whoever is there is told, nothing is lost on the way.
      broadcast: (topic, payload) => {
        for (const target of this.processes)
          if (target !== from && target.alive)
            target.receive("broadcast", this.#chance.float() * 20, () => target.thread.hear(topic, payload));
      },
    };
  }

  /** Faults end, and every process is replaced by one that owns everything. */
  async #heal(): Promise<void> {
    this.#faults = noFaults;
    for (const process of this.processes) process.kill();
    await this.scheduler.runUntil(this.scheduler.nowMs + 3_000);
    this.processes = [this.#start(0), this.#start(1)];
    this.#take(0, shards);
  }

  /** After every step: what waits is within its bounds, and counted as what it is. */
  #checkBounds(): void {
    for (const { thread, owner } of this.processes) {
      const { depth } = thread.mailboxes;
      if (depth > simulatedLimits.threadMailboxDepthMax)
        this.violate(`${owner.name} holds ${depth} requests`);
      let waiting = 0;
      for (const shard of thread.shards.values())
        for (const cell of shard.cells.values()) {
          waiting += cell.asks.length;
          for (const entity of cell.entities)
            if (entity.depth > simulatedLimits.mailboxDepthMax)
              this.violate(`${entity.address.key} holds ${entity.depth} requests`);
        }
      if (waiting !== depth) this.violate(`${owner.name} holds ${waiting} requests and counts ${depth}`);
    }
  }
}
