import type { Scheduler } from "../scheduler.ts";

export type Message = Record<string, unknown>;

/** An answer of a cut-off owner that writes nothing may be this old. */
export const staleMs = 2_000;

export const variants = ["old", "new"] as const;

/** An exposure that a caller got: the receipt has variant, phase and time. */
interface Exposure {
  readonly receipt: string;
  readonly phase: number;
  readonly ms: number;
}

/** The answers that callers got about one experiment. An answer that contradicts an earlier one is a violation. */
export class KnownExperiment {
  id = "";
  running = false;
  /** When the answer to `pause` arrived; `undefined`: not paused, or a start has been requested since. */
  pausedMs: number | undefined;
  /** Starts that were requested. */
  starts = 0;
  /** The last phase whose opening was answered, and when the answer arrived. */
  phase = 1;
  phaseMs = 0;
  /** Since this answer arrived, units of earlier phases are excluded. */
  firstPhase = 1;
  firstPhaseMs = 0;
  changes = 0;
  readonly exposed = new Map<string, Exposure>();
  readonly receipts: { readonly unit: string; readonly receipt: string }[] = [];
  /** The answer by unit and score id. */
  readonly scores = new Map<string, string>();
  /** Units whose deletion was answered. */
  readonly deleted = new Set<string>();
  readonly #scheduler: Scheduler;
  readonly violate: (claim: string) => void;

  constructor(scheduler: Scheduler, violate: (claim: string) => void) {
    this.#scheduler = scheduler;
    this.violate = violate;
  }

  get acknowledged(): number {
    return this.exposed.size + this.scores.size + this.changes + this.deleted.size;
  }

  /** A unit is exposed once, and keeps the variant it got then. */
  expose(unit: string, receipt: string, phase: number): void {
    const known = this.exposed.get(unit);
    if (known !== undefined) this.violate(`${unit} was exposed twice, in phase ${known.phase} and ${phase}`);
    else this.exposed.set(unit, { receipt, phase, ms: this.#scheduler.nowMs });
  }

  score(key: string, answer: string): void {
    const known = this.scores.get(key);
    if (known !== undefined && known !== answer)
      this.violate(`score ${key} was answered as ${known} and as ${answer}`);
    this.scores.set(key, answer);
  }
}
