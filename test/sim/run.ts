/**
 * Runs the simulator over many seeds: `npm run sim -- --seeds 20000 [--from 1] [--scenario NAME] [--processes 2]`, or
 * one: `npm run sim -- --scenario routing --seed 42`. The names are in simulate.ts. Without a scenario the seeds are
 * spread over all of them. The first failing seed ends the run; it is printed with the fewest faults that still make it
 * fail. `--bug "a timer fires early"` plants one of the bugs, to see that. `--duration` is the virtual time under
 * faults, in milliseconds.
 */
import { parseArgs } from "node:util";
import { runSeeds } from "./run-seeds.ts";
import { shrink } from "./shrink.ts";
import { type ScenarioName, scenarioNames } from "./simulate.ts";

const { values } = parseArgs({
  options: {
    scenario: { type: "string" },
    seed: { type: "string" },
    seeds: { type: "string", default: "1000" },
    from: { type: "string", default: "1" },
    processes: { type: "string", default: "1" },
    duration: { type: "string", default: "15000" },
    bug: { type: "string" },
  },
});

const first = Number(values.seed ?? values.from);
const count = values.seed === undefined ? Number(values.seeds) : 1;
const how = {
  durationMs: Number(values.duration),
  ...(values.bug !== undefined && { bug: values.bug }),
};
const summary = await runSeeds({
  ...how,
  first,
  count,
  processes: Number(values.processes),
  scenarioOf: (seed) => (values.scenario ?? scenarioNames[seed % scenarioNames.length]) as ScenarioName,
  passed: (result, { passed, acknowledged, steps }) => {
    if (values.seed !== undefined) console.log(JSON.stringify(result.faults), `trace ${result.trace}`);
    if (passed % 100 === 0)
      console.log(
        `${passed} of ${count} seeds passed, ${acknowledged} acknowledged changes, ${steps} steps, at seed ${result.seed}`,
      );
  },
});
if (summary.failed !== undefined) {
  console.error(await shrink(summary.failed, how));
  process.exitCode = 1;
}
const { passed, acknowledged, steps } = summary;
console.log(
  `seeds ${first} to ${first + count - 1}: ${passed} passed, ${acknowledged} acknowledged changes, ${steps} steps`,
);
