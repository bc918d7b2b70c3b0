import { modules } from "../../support/module-parts.ts";
import { Callers } from "../caller.ts";
import type { Scenario, Stage } from "../scenario.ts";
import { Door } from "./doors.ts";
import { Operator } from "./operator.ts";
import { reckonExperiment } from "./reckoning.ts";
import { KnownExperiment } from "./told.ts";
import { Units } from "./units.ts";

const gateways = 2;
/** Longer than outbox and back-off take. */
const restMs = 40_000;

const actors = modules.flatMap((module) => module.actors);

/**
 * An experiment that is paused, restarted and changed while its units are assigned, scored and deleted, under all
 * faults of their owners.
 */
export class ExperimentsScenario implements Scenario {
  readonly #stage: Stage;
  readonly #callers: Callers;
  readonly #known: KnownExperiment;

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#callers = new Callers(stage);
    this.#known = new KnownExperiment(stage.scheduler, (claim) => stage.violate(claim));
  }

  actors() {
    return actors;
  }

  get acknowledged(): number {
    return this.#known.acknowledged;
  }

  start(): void {
    new Operator(this.#stage, this.#callers, this.#known).start();
    for (let gateway = 0; gateway < gateways; gateway++) {
      const door = new Door(this.#stage, this.#callers);
      new Units(this.#stage, this.#callers, this.#known, door).start(`d${gateway}`);
    }
  }

  stop(): void {
    this.#callers.stopped = true;
  }

  unanswered(): readonly string[] {
    return this.#callers.unanswered();
  }

  async reckon(): Promise<void> {
    await this.#stage.pass(restMs);
    if (this.#known.running && !this.#stage.violated) await reckonExperiment(this.#stage, this.#known);
  }
}
