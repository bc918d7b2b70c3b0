import { type ChildProcess, fork } from "node:child_process";
import { type ScenarioName, type SimulationOptions, type SimulationResult, simulate } from "./simulate.ts";

export interface SeedRun {
  readonly first: number;
  readonly count: number;
  /** 1: this process. More: that many child processes. */
  readonly processes: number;
  readonly scenarioOf: (seed: number) => ScenarioName;
  readonly durationMs?: number;
  /** The name of a bug to plant. */
  readonly bug?: string;
  readonly passed?: (result: SimulationResult, so: Summary) => void;
}

export interface Summary {
  passed: number;
  acknowledged: number;
  steps: number;
  /** The smallest seed that failed; later seeds were not started. */
  failed: SimulationResult | undefined;
}

/** Every seed once, in order, each by the next free process, until one fails. */
export async function runSeeds(run: SeedRun): Promise<Summary> {
  const summary: Summary = { passed: 0, acknowledged: 0, steps: 0, failed: undefined };
  const { durationMs, bug } = run;
  let next = run.first;
  const lane = async (simulator: Simulator) => {
    while (summary.failed === undefined && next < run.first + run.count) {
      const seed = next++;
      const result = await simulator.simulate({
        seed,
        scenario: run.scenarioOf(seed),
        ...(durationMs !== undefined && { durationMs }),
        ...(bug !== undefined && { bug }),
      });
      add(summary, result);
      if (result.violations.length === 0) run.passed?.(result, summary);
    }
  };
  const simulators = run.processes > 1 ? Array.from({ length: run.processes }, started) : [{ simulate }];
  try {
    await Promise.all(simulators.map(lane));
  } finally {
    for (const { child } of simulators as Simulator[]) child?.kill();
  }
  return summary;
}

function add(summary: Summary, result: SimulationResult): void {
  summary.acknowledged += result.acknowledged;
  summary.steps += result.steps;
  if (result.violations.length === 0) summary.passed++;
  else if (summary.failed === undefined || result.seed < summary.failed.seed) summary.failed = result;
}

interface Simulator {
  readonly simulate: (options: SimulationOptions) => Promise<SimulationResult>;
  readonly child?: ChildProcess;
}

/** A process that simulates the seeds it is sent, one after the other. */
function started(): Simulator {
  const child = fork(new URL("./simulator.ts", import.meta.url));
  let heard: (result: SimulationResult) => void = () => {};
  let ended: (how: string) => void = () => {};
  child.on("message", (result) => heard(result as SimulationResult));
  child.on("exit", (code, signal) => ended(`${signal ?? code}`));
  return {
    child,
    simulate: (options) =>
      new Promise((resolve, reject) => {
        heard = resolve;
        ended = (how) => reject(new Error(`seed ${options.seed}: its simulator ended by itself: ${how}`));
        child.send(options);
      }),
  };
}
