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
  readonly count: number;
  /** With fewer acknowledged changes per seed the run shows nothing. */
  readonly acknowledged: number;
}

/** A seed that breaks the claim is shrunk, and reported with the command that runs it again. */
export function everySeedHolds(seeds: Seeds): void {
  const { scenario, durationMs, claim, count, acknowledged } = seeds;
  test.serial(`${scenario}, seeds 1 to ${count}: ${claim}`, async (t) => {
    const run = { first: 1, count, processes: 1, durationMs, scenarioOf: () => scenario };
    const played = await runSeeds(run);
    if (played.failed !== undefined) return t.fail(await shrink(played.failed, { durationMs }));
    t.log(`${played.acknowledged} acknowledged changes`);
    t.is(played.passed, count);
    t.true(played.acknowledged > count * acknowledged);
  });
}

interface Bugs extends Scenario {
  readonly bugs: readonly PlantedBug[];
  /** Seeds that find bugs that few seeds find. */
  readonly found?: Readonly<Record<string, number>>;
}

/** A bug that was not found in this many seeds counts as missed. */
const seedsMax = 120;

/** Begins with the seed that is known to find a bug. Where that no longer does, the log names the one to write down. */
export function plantedBugsAreCaught({ scenario, durationMs, bugs, found = {} }: Bugs): void {
  for (const { name } of bugs)
    test.serial(`${scenario}, caught when planted: ${name}`, async (t) => {
      for (const seed of new Set([
        found[name] ?? 1,
        ...Array.from({ length: seedsMax }, (_, at) => at + 1),
      ])) {
        const { violations } = await simulate({ seed, scenario, durationMs, bug: name });
        if (violations.length === 0) continue;
        t.log(`seed ${seed}: ${violations[0]}`);
        return t.pass();
      }
      t.fail(`not seen in ${seedsMax} seeds`);
    });
}

/** Enough seeds for every kind of fault to meet every kind of operation; `npm run sim` runs more. */
export function everyKind(
  played: readonly (Pick<Seeds, "scenario" | "claim" | "count"> & Pick<Bugs, "bugs" | "found">)[],
): void {
  for (const { scenario, claim, count, bugs, found } of played) {
    sameSeedSameTrace({ scenario, durationMs: 5_000, steps: 1_000 });
    everySeedHolds({ scenario, durationMs: 5_000, claim, count, acknowledged: 50 });
    plantedBugsAreCaught({ scenario, durationMs: 12_000, bugs, ...(found && { found }) });
  }
}
