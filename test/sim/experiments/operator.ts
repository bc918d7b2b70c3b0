import { devTenantId, isRefusal, type Random } from "#base";
import { experimentAddress } from "../../../actors/experiments/record.ts";
import { directoryOf } from "../../../actors/kit/directory.ts";
import type { Callers, Question } from "../caller.ts";
import type { Stage } from "../scenario.ts";
import { type KnownExperiment, type Message, variants } from "./told.ts";

const metrics = [{ key: "spent", kind: "sum", role: "primary", scale: 2, cap: 6 }];

/** Creates and starts the experiment, then pauses it, starts it again and opens phases. */
export class Operator {
  readonly #stage: Stage;
  readonly #callers: Callers;
  readonly #random: Random;
  readonly #known: KnownExperiment;
  #calls = 0;

  constructor(stage: Stage, callers: Callers, known: KnownExperiment) {
    this.#stage = stage;
    this.#callers = callers;
    this.#random = stage.random;
    this.#known = known;
  }

  start(): void {
    const request = { key: "k", name: "n", coverage: 0.9, metrics, variants: weighted(0.5) };
    const to = directoryOf(devTenantId, "experiment");
    this.#insist({ to, method: "ExperimentService.CreateExperiment", request }, ({ id }) => {
      this.#known.id = id as string;
      this.#change("experiment.Start", {}, () => {
        this.#known.running = true;
        this.#next();
      });
    });
  }

  #next(): void {
    this.#callers.think(900, () => {
      if (this.#random.chance(0.7)) this.#pause();
      else this.#openPhase();
    });
  }

  #pause(): void {
    const known = this.#known;
    this.#change("ExperimentService.PauseExperiment", {}, () => {
      known.pausedMs = this.#stage.scheduler.nowMs;
      this.#callers.think(2_500, () => {
        if (this.#random.chance(0.3)) return this.#openPhase(() => this.#resume());
        this.#resume();
      });
    });
  }

  #resume(): void {
    const known = this.#known;
    known.pausedMs = undefined;
    known.starts++;
    this.#change("experiment.Start", {}, () => this.#next());
  }

  #openPhase(then: () => void = () => this.#next()): void {
    const known = this.#known;
    const carry = this.#random.chance(0.3) ? "exclude" : "keep";
    // Never the same weights again: they would not open a phase.
    const changed = weighted(known.phase % 2 === 1 ? 0.2 : 0.5);
    this.#change("ExperimentService.UpdateExperiment", { variants: changed, carry }, ({ phases }) => {
      known.phase = (phases as readonly unknown[]).length;
      known.phaseMs = this.#stage.scheduler.nowMs;
      if (carry === "exclude") {
        known.firstPhase = known.phase;
        known.firstPhaseMs = known.phaseMs;
      }
      then();
    });
  }

  #change(method: string, more: Message, told: (response: Message) => void): void {
    const { id } = this.#known;
    const to = experimentAddress(devTenantId, id);
    this.#insist({ to, method, request: { experiment_id: id, ...more } }, (response) => {
      this.#known.changes++;
      told(response);
    });
  }

  /** Repeated with an idempotency key until it is answered. */
  #insist(question: Question, told: (response: Message) => void): void {
    const idempotency = { scope: `call ${this.#calls++}`, fingerprint: "f" };
    let isTold = false;
    this.#callers.persist(
      { ...question, idempotency },
      {
        attemptsLeft: Number.MAX_SAFE_INTEGER,
        attempted: () => {},
        heard: (answer) => {
          if (isTold) return;
          if (!isRefusal(answer)) {
            isTold = true;
            told(answer.response as Message);
          } else if (!["UNAVAILABLE", "RATE_LIMITED", "TIMEOUT", "INTERNAL"].includes(answer.code))
            this.#known.violate(`${question.method} was refused: ${answer.code} ${answer.detail}`);
        },
      },
    );
  }
}

function weighted(first: number): Message[] {
  return [
    { key: variants[0], weight: first },
    { key: variants[1], weight: 1 - first },
  ];
}
