import { execFile } from "node:child_process";
import { promisify } from "node:util";
import test from "ava";
import { sourceArguments } from "../support/typescript/arguments.ts";
import type { ManyPools } from "./many-pools-process.ts";

const root = new URL("../..", import.meta.url).pathname;

/** Runs in its own process: creates pools, reads each of them, and deletes them if told to. */
async function manyPools(settings: object, ...flags: string[]): Promise<ManyPools> {
  const program = "test/process/many-pools-process.ts";
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--expose-gc", ...flags, ...sourceArguments, program, JSON.stringify(settings)],
    { cwd: root },
  );
  return JSON.parse(stdout) as ManyPools;
}

test.serial("a heap of 80 MB takes more pools than fit into it, and answers for all of them", async (t) => {
  const { resident, passivations } = await manyPools(
    { pools: 2_200, deletes: false },
    "--max-old-space-size=80",
  );
  t.true(resident < 2_000, `${resident} are in memory`);
  t.true(passivations > 500, `${passivations} were evicted`);
});

test.serial("an idle pool takes at most 4 KB of heap, one in use 18 KB, a deleted one nothing", async (t) => {
  const { madeBytes, idleBytes, deletedBytes } = await manyPools({
    pools: 1_000,
    deletes: true,
    entityIdleMs: 5_000,
  });
  t.true(madeBytes < 18_000, `${madeBytes} bytes each when all were made`);
  t.true(idleBytes < 4_000, `${idleBytes} bytes each once idle`);
  t.true(deletedBytes < 4_000, `${deletedBytes} bytes each once deleted`);
});
