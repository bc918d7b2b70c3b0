import { type FaultName, noFaults } from "./faults.ts";
import { type SimulationOptions, type SimulationResult, simulate } from "./simulate.ts";

/** Removes one fault after the other as long as the run still fails; says how to run what is left. */
export async function shrink(
  failed: SimulationResult,
  options: Omit<SimulationOptions, "seed" | "scenario"> = {},
): Promise<string> {
  const { seed, scenario } = failed;
  let smallest = failed;
  const without: FaultName[] = [];
  for (const name of Object.keys(noFaults) as FaultName[]) {
    const result = await simulate({ ...options, seed, scenario, without: [...without, name] });
    if (result.violations.length === 0) continue;
    without.push(name);
    smallest = result;
  }
  const { durationMs, bug } = options;
  const how = `${durationMs === undefined ? "" : ` --duration ${durationMs}`}${bug === undefined ? "" : ` --bug "${bug}"`}`;
  const left = (Object.keys(noFaults) as FaultName[]).filter((name) => !without.includes(name));
  return [
    `seed ${seed} breaks ${scenario}: npm run sim -- --scenario ${scenario} --seed ${seed}${how}`,
    `still with only: ${left.join(", ") || "no faults"}`,
    ...smallest.violations.slice(0, 10).map((violation) => `  ${violation}`),
  ].join("\n");
}
