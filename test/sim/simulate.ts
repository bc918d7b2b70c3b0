import { isRefusal, Random } from "#base";
import { shardOf } from "../../runtime/placement.ts";
import type { Routes } from "../../runtime/thread/thread.ts";
import type { Storage } from "../../storage/index.ts";
import { MemoryStore } from "../../storage/memory/index.ts";
import { address, Clients, ledgers } from "./clients.ts";
import { drawFaults, type FaultName, type Faults, noFaults } from "./faults.ts";
import { History } from "./history.ts";
import type { Audit } from "./ledger.ts";
import { Process, simulatedLimits } from "./process.ts";
import { newOwner, Scheduler } from "./scheduler.ts";
import { JournalWatch } from "./watch.ts";

export interface SimulationOptions {
  readonly seed: number;
  /** Virtual time under faults. */
  readonly durationMs?: number;
  /** Faults to leave out, for shrinking. */
  readonly without?: readonly FaultName[];
  /** A planted bug of the store. */
  readonly breakStorage?: (storage: Storage, store: MemoryStore) => Storage;
}

export interface SimulationResult {
  readonly seed: number;
  readonly faults: Faults;
  readonly violations: readonly string[];
  readonly trace: string;
  readonly steps: number;
  readonly acknowledged: number;
}

const shards = Array.from({ length: simulatedLimits.shardCount }, (_, number) => number);
/** Longer than any timer, retry and back-off of a run. */
const restMs = 40_000;

/** One run: two processes over one store, clients, and whatever the seed does to them; then the reckoning. */
export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  const cluster = new Cluster(options);
  await cluster.run(options.durationMs ?? 15_000);
  return cluster.result();
}

class Cluster {
  readonly #seed: number;
  readonly #random: Random;
  readonly #scheduler: Scheduler;
  readonly #store = new MemoryStore();
  readonly #history = new History();
  readonly #watch: JournalWatch;
  readonly #breakStorage: SimulationOptions["breakStorage"];
  readonly #control = newOwner("control");
  readonly #network = newOwner("network");
  readonly #drawn: Faults;
  #faults: Faults;
  #processes: Process[] = [];
  /** Which process should own a shard; the epoch in the store decides which may. */
  #placement = new Map<number, number>();
  #view = 1;
  #names = 0;

  constructor(options: SimulationOptions) {
    this.#seed = options.seed;
    this.#random = new Random(options.seed);
    this.#scheduler = new Scheduler(this.#random.split("order"));
    this.#watch = new JournalWatch(this.#store, this.#history);
    this.#breakStorage = options.breakStorage;
    const drawn: Record<string, unknown> = { ...drawFaults(this.#random.split("faults")) };
    for (const name of options.without ?? []) drawn[name] = noFaults[name];
    this.#drawn = drawn as unknown as Faults;
    this.#faults = this.#drawn;
  }

  async run(durationMs: number): Promise<void> {
    for (const slot of [0, 1]) this.#processes.push(this.#start(slot));
    for (const shard of shards) this.#placement.set(shard, shard % 2);
    for (const slot of [0, 1])
      this.#take(
        slot,
        shards.filter((shard) => shard % 2 === slot),
      );
    const clients = new Clients({
      scheduler: this.#scheduler,
      random: this.#random.split("clients"),
      history: this.#history,
      ownerOf: (ledger, stale) => this.#ownerOf(ledger, stale),
      quiet: this.#faults.quiet,
    });
    clients.start(6);
    this.#act(durationMs);
    await this.#scheduler.runUntil(durationMs, () => this.#checkBounds());
    clients.stopped = true;
    if (this.#history.violations.length === 0) await this.#heal();
    if (this.#history.violations.length === 0) await this.#reckon();
    for (const process of this.#processes) process.kill();
  }

  result(): SimulationResult {
    let acknowledged = 0;
    for (const operation of this.#history.operations.values()) acknowledged += operation.acknowledged;
    return {
      seed: this.#seed,
      faults: this.#drawn,
      violations: this.#history.violations,
      trace: this.#scheduler.trace,
      steps: this.#scheduler.steps,
      acknowledged,
    };
  }

  #start(slot: number): Process {
    return new Process({
      name: `p${slot}.${this.#names++}`,
      scheduler: this.#scheduler,
      random: this.#random.split(`process ${this.#names}`),
      store: this.#store,
      faults: () => this.#faults,
      routes: (from) => this.#routes(from),
      wrap: (storage) => this.#watch.wrap(this.#breakStorage?.(storage, this.#store) ?? storage),
      stopped: (process) => this.#restart(process),
      failed: (error) => this.#history.violate(error.message),
    });
  }

  #take(slot: number, taken: readonly number[]): void {
    for (const shard of taken) this.#placement.set(shard, slot);
    this.#processes[slot]!.open(taken, ++this.#view);
  }

  #shardsOf(slot: number): number[] {
    return shards.filter((shard) => this.#placement.get(shard) === slot);
  }

  /** Callers are now and then behind the times. */
  #ownerOf(ledger: string, stale: number): Process | undefined {
    const slot = this.#placement.get(shardOf(address(ledger), "key", simulatedLimits.shardCount))!;
    const process = this.#processes[this.#random.chance(stale) ? 1 - slot : slot]!;
    return process.alive ? process : undefined;
  }

  #act(untilMs: number): void {
    const delayMs = this.#random.float() * this.#faults.actEveryMs * 2;
    this.#scheduler.schedule(this.#control, delayMs, "act", () => {
      if (this.#scheduler.nowMs >= untilMs) return;
      const slot = this.#random.int(2);
      const acts = [
        this.#faults.kill && (() => this.#restart(this.#processes[slot]!)),
        this.#faults.pause && (() => this.#suspend(slot)),
        this.#faults.move && (() => this.#move(slot)),
      ].filter((act) => act !== false);
      if (acts.length > 0) this.#random.pick(acts)();
      this.#act(untilMs);
    });
  }

  #restart(process: Process): void {
    const slot = this.#processes.indexOf(process);
    if (slot < 0 || !process.alive) return;
    process.kill();
    const owned = this.#shardsOf(slot);
    const other = this.#processes[1 - slot]!;
    if (other.owner.state === "running" && this.#random.chance(0.4)) this.#take(1 - slot, owned);
    this.#scheduler.schedule(this.#control, this.#random.float() * 1_500, "restart", () => {
      if (this.#processes[slot] !== process) return;
      this.#processes[slot] = this.#start(slot);
      const left = this.#shardsOf(slot);
      if (left.length > 0) this.#take(slot, left);
    });
  }

  /** The process stands still and does not know it; meanwhile its shards may be given away. */
  #suspend(slot: number): void {
    const process = this.#processes[slot]!;
    process.pause();
    const other = 1 - slot;
    this.#scheduler.schedule(this.#control, this.#random.float() * 2_000, "suspect", () => {
      if (process.owner.state === "paused" && this.#processes[other]!.owner.state === "running")
        this.#take(other, this.#shardsOf(slot));
    });
    this.#scheduler.schedule(this.#control, this.#random.float() * 4_000, "resume", () => process.resume());
  }

  /** A planned hand-over that the old owner hears of only when its next append fails. */
  #move(slot: number): void {
    if (this.#processes[slot]!.owner.state === "running") this.#take(slot, [this.#random.pick(shards)]);
  }

  /** Between processes messages get lost; only deliveries of an outbox are ever sent twice. */
  #routes(from: Process): Routes {
    const reach = (shard: number, repeatable: boolean, act: (target: Process) => void) => {
      const target = this.#processes[this.#placement.get(shard)!]!;
      const copies = repeatable && this.#random.chance(this.#faults.messageTwice) ? 2 : 1;
      for (let copy = 0; copy < copies; copy++) {
        if (this.#random.chance(this.#faults.messageLost) || target === from) continue;
        target.receive("message", this.#random.float() * 20, () => act(target));
      }
    };
    const back = (act: () => void) => {
      if (!this.#random.chance(this.#faults.messageLost))
        from.receive("reply", this.#random.float() * 20, act);
    };
    return {
      ask: (shard, ask, reply) =>
        reach(shard, false, (target) =>
          target.ask(ask, (answer) => back(() => reply(structuredClone(answer)))),
        ),
      deliver: (shard, delivery, reply) => {
        const copy = structuredClone(delivery);
        reach(shard, true, (target) => target.deliver(copy, (refusal) => back(() => reply(refusal))));
      },
      broadcast: () => {},
    };
  }

  /** Faults end, every process is replaced by one that owns everything, and what is under way comes to rest. */
  async #heal(): Promise<void> {
    this.#faults = noFaults;
    for (const process of this.#processes) process.kill();
    await this.#scheduler.runUntil(this.#scheduler.nowMs + 3_000);
    this.#processes = [this.#start(0), this.#start(1)];
    this.#take(0, shards);
    await this.#scheduler.runUntil(this.#scheduler.nowMs + restMs, () => this.#checkBounds());
  }

  async #reckon(): Promise<void> {
    const audits = new Map<string, Audit>();
    for (const ledger of ledgers) await this.#audit(ledger, audits);
    if (audits.size === ledgers.length) this.#history.check(audits);
    this.#scheduler.note(JSON.stringify([...audits]));
  }

  async #audit(ledger: string, audits: Map<string, Audit>): Promise<void> {
    const process = this.#processes[0]!;
    let heard = false;
    const caller = {
      tenant: address(ledger).tenant,
      subject: "auditor",
      requestId: "audit",
      platform: false,
    };
    this.#scheduler.schedule(this.#network, 0, "audit", () => {
      const ask = {
        to: address(ledger),
        method: "audit",
        request: {},
        caller: { ...caller, environmentMode: "any" as const },
        deadlineMs: Number.MAX_SAFE_INTEGER,
      };
      process.ask(ask, (answer) => {
        heard = true;
        if (isRefusal(answer)) this.#history.violate(`the audit of ${ledger} was refused: ${answer.detail}`);
        else audits.set(ledger, answer.response as Audit);
      });
    });
    await this.#scheduler.runUntil(this.#scheduler.nowMs + 10_000, () => heard);
    if (!heard) this.#history.violate(`the audit of ${ledger} was never answered`);
  }

  /** After every step: what waits is within its bounds. The first violation ends the run. */
  #checkBounds(): boolean {
    for (const { thread, owner } of this.#processes)
      if (thread.mailboxes.depth > simulatedLimits.threadMailboxDepthMax)
        this.#history.violate(`${owner.name} holds ${thread.mailboxes.depth} requests`);
    return this.#history.violations.length > 0;
  }
}
