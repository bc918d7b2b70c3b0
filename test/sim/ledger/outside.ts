import type { EffectHandlers, EffectRun } from "../../../runtime/index.ts";
import { FlakyError } from "../flaky.ts";
import type { Process } from "../process.ts";
import type { Audit } from "./ledger.ts";

/** An attempt that reached the outside. */
interface Performed {
  readonly attempt: number;
}

/**
 * The outside world for effects in the simulation: it records every call, and when an attempt was known to have begun.
 */
export class Outside {
  readonly #performed = new Map<string, Performed[]>();
  /** By body: an effect that is requested again under its id starts over. */
  readonly #begun = new Map<unknown, number>();
  readonly #claims: string[] = [];

  /** The effects of one process: slow or failing now and then, some longer than their lease. */
  handlers(process: () => Process): EffectHandlers {
    return { call: { leaseMs: 2_000, run: (run) => this.#run(run, process()) } };
  }

  async #run(run: EffectRun, process: Process): Promise<unknown> {
    const { id, attempt, begun, body } = run;
    const { random } = process;
    const since = this.#begun.get(body);
    // An owner that was replaced does not know what another owner began.
    if (since !== undefined && since < attempt && !begun && process.isOwner)
      this.#claims.push(`attempt ${attempt} of ${id} does not know that attempt ${since} began`);
    const begins = random.chance(0.5);
    if (begins) {
      await run.begin();
      this.#begun.set(body, attempt);
    }
    await process.delay(random.float() * (random.chance(0.1) ? 4_000 : 300), "outside");
    this.#performed.set(id, [...(this.#performed.get(id) ?? []), { attempt }]);
    if (random.chance(0.1)) throw new FlakyError("the outside failed");
    return attempt;
  }

  /**
   * Every committed effect was performed at least once, none that was not committed, and each result was delivered
   * once.
   */
  check(audits: ReadonlyMap<string, Audit>, violate: (claim: string) => void): void {
    for (const claim of this.#claims) violate(claim);
    const count = (kind: string) => {
      const counts = new Map<string, number>();
      for (const { applied } of audits.values())
        for (const row of applied) if (row.kind === kind) counts.set(row.id, (counts.get(row.id) ?? 0) + 1);
      return counts;
    };
    const asked = count("call");
    const told = count("told");
    for (const id of this.#performed.keys())
      if (!asked.has(id)) violate(`effect ${id} was performed, and what asked for it was never committed`);
    for (const [id, times] of asked) {
      if (!this.#performed.has(id)) violate(`effect ${id} was never performed`);
      const ends = told.get(id) ?? 0;
      // An effect that is requested again under its id replaces the one before.
      if (ends < 1 || ends > times)
        violate(`effect ${id} was asked for ${times} times and told of ${ends} times`);
    }
  }
}
