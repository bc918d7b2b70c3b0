/**
 * Runs the simulator over many seeds: `npm run sim -- --seeds 20000 [--from 1] [--scenario ledger|routing]`, or one:
 * `npm run sim -- --scenario routing --seed 42`. Without a scenario the seeds alternate between them. A failing seed
 * prints itself and the fewest faults that still break it.
 */
import { parseArgs } from "node:util";
import { shrink } from "./shrink.ts";
import { type ScenarioName, simulate } from "./simulate.ts";

const { values } = parseArgs({
  options: {
    scenario: { type: "string" },
    seed: { type: "string" },
    seeds: { type: "string", default: "1000" },
    from: { type: "string", default: "1" },
  },
});

const first = Number(values.seed ?? values.from);
const count = values.seed === undefined ? Number(values.seeds) : 1;
let acknowledged = 0;
let steps = 0;
let passed = 0;
for (let seed = first; seed < first + count; seed++) {
  const scenario = (values.scenario ?? (seed % 2 === 0 ? "routing" : "ledger")) as ScenarioName;
  const result = await simulate({ seed, scenario });
  acknowledged += result.acknowledged;
  steps += result.steps;
  if (values.seed !== undefined) console.log(JSON.stringify(result.faults), `trace ${result.trace}`);
  if (result.violations.length > 0) {
    console.error(await shrink(result));
    process.exitCode = 1;
    break;
  }
  passed++;
  if (passed % 100 === 0) console.log(`${passed} of ${count} seeds passed`);
}
console.log(
  `seeds ${first} to ${first + count - 1}: ${passed} passed, ${acknowledged} acknowledged changes, ${steps} steps`,
);
