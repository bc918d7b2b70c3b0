import { setTimeout as sleep } from "node:timers/promises";
import { threadCpuUs } from "./cpu.ts";
import { median } from "./result.ts";

/** Work whose cost is compared with that of other work. */
export interface Side {
  /** A small piece of work: one or a few hundredths of a second. */
  readonly turn: () => Promise<void>;
  /** Restores the state before; not counted. */
  readonly putBack?: () => Promise<void>;
}

export interface Comparison {
  /** Processor time of one turn of each side, in microseconds. */
  readonly us: readonly [number, number];
  /** The second side divided by the first. */
  readonly ratio: number;
}

interface Plan {
  /** Turns of each side in a row. */
  readonly turns: number;
  /** Pause before each row: writes of restored state would otherwise be counted. */
  readonly restMs: number;
  readonly rounds: number;
}

/** Long enough for all earlier work to reach the tables. */
const quietMs = 500;
/** Turns are summed over this many rows before the comparison: then each sum includes a garbage collection. */
const rowsPerRound = 4;

/**
 * Compares the cost of two kinds of work on one service, in processor time of all its threads. The machine's speed
 * changes by half within hundredths of a second, so both sides take many short turns. The tables' writer does the work
 * of both sides together and later, so its cost is measured separately, with one side at a time.
 */
export async function compareCosts(
  pid: number,
  sides: readonly [Side, Side],
  { turns, restMs, rounds }: Plan,
): Promise<Comparison> {
  const answeringUs: [number[], number[]] = [[], []];
  const writingUs: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    const sumsUs: [number, number] = [0, 0];
    for (let row = 0; row < rowsPerRound; row++) {
      await sleep(restMs);
      for (let turn = 0; turn < turns; turn++)
        for (const index of turn % 2 === row % 2 ? ([0, 1] as const) : ([1, 0] as const))
          sumsUs[index] += await cpuUs(pid, (thread) => thread !== writer, sides[index].turn);
      for (const { putBack } of sides) await putBack?.();
    }
    for (const index of [0, 1] as const) {
      answeringUs[index].push(sumsUs[index] / (rowsPerRound * turns));
      writingUs[index].push(await writingOf(pid, sides[index], turns));
    }
  }
  const costUs = ([0, 1] as const).map((index) => {
    const written = median(writingUs[index]);
    return answeringUs[index].map((us) => us + written);
  }) as [number[], number[]];
  return {
    us: [median(costUs[0]), median(costUs[1])],
    ratio: median(costUs[1].map((us, round) => us / costUs[0][round]!)),
  };
}

/** What the tables' writer spends on one turn of one side. */
async function writingOf(pid: number, { turn, putBack }: Side, turns: number): Promise<number> {
  await sleep(quietMs);
  const us = await cpuUs(
    pid,
    (thread) => thread === writer,
    async () => {
      for (let i = 0; i < turns * 2; i++) await turn();
      await sleep(quietMs);
    },
  );
  await putBack?.();
  return us / (turns * 2);
}

/** The thread name that storage/embedded/tables-writer.ts sets. */
const writer = "tables-writer";

async function cpuUs(
  pid: number,
  isCounted: (thread: string) => boolean,
  run: () => Promise<void>,
): Promise<number> {
  const before = threadCpuUs(pid, isCounted);
  await run();
  return threadCpuUs(pid, isCounted) - before;
}
