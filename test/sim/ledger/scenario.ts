import { missedTopic } from "../../../runtime/index.ts";
import type { Process } from "../process.ts";
import type { Scenario, Stage } from "../scenario.ts";
import { address, Clients, ledgers } from "./clients.ts";
import { History } from "./history.ts";
import { type Audit, ledger } from "./ledger.ts";

/** Longer than any timer, retry and back-off of a run. */
const restMs = 40_000;

/** Sums that are added to, sent and read: what the runtime alone promises. */
export class LedgerScenario implements Scenario {
  readonly #stage: Stage;
  readonly #history: History;
  readonly #clients: Clients;

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#history = new History(
      (claim) => stage.violate(claim),
      () => stage.everyProcess,
    );
    this.#clients = new Clients(stage, this.#history);
  }

  actors() {
    return [ledger];
  }

  effects(process: () => Process) {
    return this.#history.outside.handlers(process);
  }

  get acknowledged(): number {
    let acknowledged = 0;
    for (const operation of this.#history.operations.values()) acknowledged += operation.acknowledged;
    return acknowledged;
  }

  heard(process: Process, topic: string, payload: unknown): void {
    if (topic === missedTopic) this.#history.missed(process, this.#stage.scheduler.nowMs);
    else this.#history.announced(payload as string, process, this.#stage.scheduler.nowMs);
  }

  start(): void {
    this.#clients.start(6);
  }

  stop(): void {
    this.#clients.stop();
  }

  unanswered(): readonly string[] {
    return this.#clients.unanswered();
  }

  async reckon(): Promise<void> {
    const stage = this.#stage;
    await stage.pass(restMs);
    const audits = new Map<string, Audit>();
    for (const name of ledgers) {
      const audit = await stage.demand({ to: address(name), method: "audit", request: {} });
      if (audit !== undefined) audits.set(name, audit as Audit);
    }
    if (audits.size === ledgers.length) this.#history.check(audits);
    stage.scheduler.note(JSON.stringify([...audits]));
  }
}
