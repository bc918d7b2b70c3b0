// How long does a step of the CEL meter take at worst, in each function and each part of the language?
import { limits } from "#base";
import { bind, compile } from "../actors/cel/cel.ts";
import { defineBench, type Stats } from "./support/bench.ts";
import { type Case, cases } from "./support/cel-cases.ts";

/** At this bound an expression, and an item, that use all their steps take what they may: 5 ms and 20 ms. */
const usPerStepMax = 0.4;
const warmUs = 50_000;
const measuredUs = 20_000;
const measurements = 3;

export default defineBench({
  question:
    "How long does a step of the CEL meter take at worst, in each function and each part of the language?",
  contenders: Object.fromEntries(
    Object.entries(cases).map(([group, functions]) => [group, async () => worstOf(functions)]),
  ),
  bars: Object.entries(cases).flatMap(([contender, functions]) =>
    Object.keys(functions).map((name) => ({ contender, figure: figureOf(name), atMost: usPerStepMax })),
  ),
});

/** The worst case of each function. */
function worstOf(functions: Readonly<Record<string, readonly Case[]>>): Stats {
  const stats: Record<string, number> = {};
  for (const [name, all] of Object.entries(functions))
    stats[figureOf(name)] = Math.max(...all.map((one) => usPerStep(name, one)));
  return stats;
}

function figureOf(name: string): string {
  return `${name}_us_per_step`;
}

/**
 * Processor time of one thread per charged step; the best of several measurements, because other processes use the
 * machine too.
 */
function usPerStep(name: string, { source, item }: Case): number {
  const compiled = compile(source);
  if (!("program" in compiled)) throw new Error(`${name}: ${JSON.stringify(compiled.problems)}: ${source}`);
  const { values } = bind(item, "t", 0);
  let steps = 0;
  const run = () => {
    const bindings = { ...bind(null, "t", 0), values };
    compiled.program.run(bindings);
    steps = limits.celItemStepsMax - bindings.budget.steps;
  };
  timeOf(run, warmUs);
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < measurements; i++) best = Math.min(best, timeOf(run, measuredUs) / steps);
  if (process.env.BENCH_CASES !== undefined)
    console.log(
      `    ${name}: ${best.toFixed(3)} us a step, ${steps.toFixed(0)} steps: ${source.slice(0, 100)}`,
    );
  return best;
}

/** Microseconds of one run; many runs between two readings of the clock, which takes a microsecond itself. */
function timeOf(run: () => void, forUs: number): number {
  const start = process.cpuUsage();
  let runs = 0;
  for (let batch = 1; ; batch *= 2) {
    for (let i = 0; i < batch; i++) run();
    runs += batch;
    const { user, system } = process.cpuUsage(start);
    if (user + system >= forUs) return (user + system) / runs;
  }
}
