import test from "ava";
import type { PlantedBug } from "./planted.ts";
import { runSeeds } from "./run-seeds.ts";
import { shrink } from "./shrink.ts";
import { type ScenarioName, simulate } from "./simulate.ts";

interface Scenario {
  readonly scenario: ScenarioName;
  readonly durationMs: number;
}

/** `steps`: a run with fewer steps shows nothing. */
export function sameSeedSameTrace({
  scenario,
  durationMs,
  steps,
}: Scenario & { readonly steps: number }): void {
  test.serial(`${scenario}: the same seed twice gives the same trace`, async (t) => {
    const traces = new Set<string>();
    for (const seed of [1, 2]) {
      const first = await simulate({ seed, scenario, durationMs });
      const second = await simulate({ seed, scenario, durationMs });
      t.is(first.trace, second.trace);
      t.true(first.steps > steps);
      traces.add(first.trace);
    }
    t.is(traces.size, 2);
  });
}

interface Seeds extends Scenario {
  readonly claim: string;
  readonly first?: number;
  readonly count: number;
  readonly processes?: number;
  /** With fewer acknowledged changes per seed the run shows nothing. */
  readonly acknowledged: number;
}

/** A seed that breaks the claim is shrunk, and reported with the command that runs it again. */
export function everySeedHolds(seeds: Seeds): void {
  const { scenario, durationMs, claim, first = 1, count, processes = 1, acknowledged } = seeds;
  test.serial(`${scenario}, seeds ${first} to ${first + count - 1}: ${claim}`, async (t) => {
    const run = { first, count, processes, durationMs, scenarioOf: () => scenario };
    const played = await runSeeds(run);
    if (played.failed !== undefined) return t.fail(await shrink(played.failed, { durationMs }));
    t.log(`${played.acknowledged} acknowledged changes`);
    t.is(played.passed, count);
    t.true(played.acknowledged > count * acknowledged);
  });
}

interface Bugs extends Scenario {
  readonly bugs: readonly PlantedBug[];
  /** A bug that was not found in this many seeds counts as missed. */
  readonly seedsMax: number;
}

export function plantedBugsAreCaught({ scenario, durationMs, bugs, seedsMax }: Bugs): void {
  for (const { name } of bugs)
    test.serial(`${scenario}, caught when planted: ${name}`, async (t) => {
      for (let seed = 1; seed <= seedsMax; seed++) {
        const { violations } = await simulate({ seed, scenario, durationMs, bug: name });
        if (violations.length === 0) continue;
        t.log(`seed ${seed}: ${violations[0]}`);
        return t.pass();
      }
      t.fail(`not seen in ${seedsMax} seeds`);
    });
}
