import { setTimeout as sleep } from "node:timers/promises";
import { threadCpuUs } from "./cpu.ts";
import { median } from "./result.ts";

/** Work whose cost is compared with that of other work. */
export interface Side {
  /** A little of it: a hundredth of a second or a few. */
  readonly turn: () => Promise<void>;
  /** Makes everything as it was before; not counted. */
  readonly putBack?: () => Promise<void>;
}

export interface Comparison {
  /** Processor time of a turn of each, in microseconds. */
  readonly us: readonly [number, number];
  /** Of the second to the first. */
  readonly ratio: number;
}

interface Plan {
  /** Of each side in a row. */
  readonly turns: number;
  /** Before each row: what was put back is on its way to the tables, and would be counted. */
  readonly restMs: number;
  readonly rounds: number;
}

/** Long enough for everything that was done to reach the tables. */
const quietMs = 500;
/** Turns are added up over so many rows before both are compared: each sum has a collection of garbage in it. */
const rowsPerRound = 4;

/**
 * What two sorts of work cost a service, in processor time of all its threads. The machine's speed changes by half from one
 * hundredth of a second to the next, so both take turns, over and over. Only the writer of the tables, who has the work of
 * both sides at once and later than they do, is counted where one side works alone.
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

/** What the writer of the tables spends on a turn of one side. */
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

/** As storage/embedded/tables-writer.ts calls itself. */
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
