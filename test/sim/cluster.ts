import { decodeTuple, devTenantId, isRefusal, Random } from "#base";
import type { Address, AnyActorDefinition, Ask } from "../../runtime/index.ts";
import { shardOf } from "../../runtime/placement.ts";
import { copyPlain } from "../../runtime/shard/plain.ts";
import type { Routes } from "../../runtime/thread/thread.ts";
import { MemoryStore } from "../../storage/memory/index.ts";
import { drawFaults, type FaultName, type Faults, noFaults } from "./faults.ts";
import { flaky } from "./flaky.ts";
import { GivenAnswers } from "./given-answers.ts";
import { heldBy } from "./held.ts";
import type { PlantedBug } from "./planted.ts";
import { Process, simulatedLimits } from "./process.ts";
import type { Scenario, Stage, StoredPartition } from "./scenario.ts";
import { newOwner, Scheduler } from "./scheduler.ts";
import type { EventPlaces, Ground, Topology } from "./topology.ts";
import { type DurableEntry, JournalWatch } from "./watch.ts";

export interface ClusterOptions {
  readonly seed: number;
  readonly without: readonly FaultName[];
  readonly bug?: PlantedBug;
  readonly topologyOf: (ground: Ground) => Topology;
}

/** Longer than any deadline, pause, cut and back-off of a run. */
const atRestAfterMs = 40_000;

const shards = Array.from({ length: simulatedLimits.shardCount }, (_, number) => number);

/** Processes over one store, and the faults that the seed injects while a scenario runs. */
export class Cluster implements Stage {
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly faults: Faults;
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
  readonly #topology: Topology;
  /** The faults of this run. */
  #faults: Faults;
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
    this.#topology = options.topologyOf({
      scheduler: this.scheduler,
      chance: this.#chance,
      shards,
      faults: () => this.#faults,
      start: (slot, routes) => this.#start(slot, routes),
    });
  }

  get processes(): readonly Process[] {
    return this.#topology.processes;
  }

  async run(durationMs: number): Promise<void> {
    this.#topology.start();
    this.#scenario.start();
    this.#act(durationMs);
    await this.pass(durationMs);
    this.#scenario.stop();
    // Bounds are no faults: entities are evicted while the state is compared, too.
    this.#faults = { ...noFaults, crowded: this.faults.crowded };
    if (!this.violated) await this.#comeToRest();
    if (!this.violated) await this.#topology.heal();
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
    return this.#topology.ownerOf(this.#shardOf(to), stale);
  }

  eventPlaces(): EventPlaces {
    return this.#topology.eventPlaces();
  }

  /** The first violation ends the run. */
  async pass(ms: number, done: () => boolean = () => false): Promise<void> {
    await this.scheduler.runUntil(this.scheduler.nowMs + ms, () => {
      this.#checkBounds();
      return this.violated || done();
    });
  }

  durable(): Iterable<DurableEntry> {
    return this.#watch.durable();
  }

  *stored(): Generator<StoredPartition> {
    for (const [name, { keys }] of this.#store.partitions) {
      const colon = name.indexOf(":");
      const partition = decodeTuple(name.slice(colon + 1));
      const decoded = keys.map((key) => decodeTuple(key));
      yield { shard: Number(name.slice(0, colon)), partition, keys: decoded };
    }
  }

  async demand(ask: Pick<Ask, "to" | "method" | "request" | "idempotency">): Promise<unknown> {
    let response: unknown;
    let heard = false;
    const caller = {
      tenant: devTenantId,
      subject: "auditor",
      owner: "auditor",
      principalKind: "user" as const,
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

  #start(slot: number, routes: (from: Process) => Routes): Process {
    const { breakActor, breakStorage } = this.#bug ?? {};
    const stumbles = this.#chance.split("stumbles");
    const started = new Process({
      name: `p${slot}.${this.#names++}`,
      scheduler: this.scheduler,
      random: this.#chance.split(`process ${this.#names}`),
      store: this.#store,
      definitions: (process) => {
        const actors = this.#scenario.actors((claim) => this.#claim(process, claim));
        const given = new GivenAnswers((method) =>
          this.#claim(process, `an answer of ${method} was edited after it was given`),
        );
        return actors.map((actor) => {
          const watched = given.watch(breakActor?.(actor) ?? actor);
          return flaky(watched, stumbles, () => this.#faults.flaky);
        });
      },
      effects: (process) => this.#scenario.effects?.(process),
      faults: () => this.#faults,
      routes,
      sharesStore: this.#topology.sharesStore,
      retries: this.#topology.retries ?? false,
      wrap: (storage) => this.#watch.wrap(breakStorage?.(storage, this.#store) ?? storage),
      stopped: (process) => this.#topology.ended(process),
      failed: (process, error) => this.#claim(process, error.message),
      heard: (process, topic, payload) => this.#scenario.heard?.(process, topic, payload),
    });
    this.everyProcess.push(started);
    return started;
  }

  /** At the end no caller is waiting: every question was answered, and nothing is held or still counted. */
  async #comeToRest(): Promise<void> {
    const left = () => [
      ...this.processes.filter(({ owner }) => owner.state === "running").flatMap(heldBy),
      ...this.#scenario.unanswered(),
    ];
    await this.pass(atRestAfterMs, () => left().length === 0);
    if (!this.violated) for (const claim of left()) this.violate(claim);
  }

  #act(untilMs: number): void {
    const delayMs = this.#chance.float() * this.#faults.actEveryMs * 2;
    this.scheduler.schedule(this.#control, delayMs, "act", () => {
      if (this.scheduler.nowMs >= untilMs) return;
      this.#topology.act();
      this.#act(untilMs);
    });
  }

  /** After every step: what waits is within its bounds, and the counters are right. */
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
