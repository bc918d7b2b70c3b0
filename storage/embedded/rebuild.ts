import { existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { limits } from "#base";
import { StorageError } from "../error.ts";
import type { Log } from "../storage.ts";
import { syncFolder } from "./durable.ts";
import type { Generation } from "./generation.ts";
import { folders } from "./layout.ts";
import { recoverJournal } from "./recovery.ts";
import { corruptRow } from "./row-value.ts";
import { checkTables, TablesCheck, whyUnusable } from "./tables-check.ts";

/**
 * Reads the tables before anything uses them. Corrupt ones are put aside if the journal still has every entry: the shards
 * then replay it from its beginning. Otherwise the start is refused; corrupt rows alone are left to the reads that meet them.
 */
export async function soundTables(dir: string, generation: Generation, log: Log): Promise<TablesCheck> {
  const { tables } = folders(dir);
  let found: TablesCheck | undefined;
  let corruption: unknown;
  try {
    found = await checkTables(tables, generation.number > 0);
    corruption = whyUnusable(tables, found);
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    corruption = error;
  }
  const [first] = found?.badRows.entries() ?? [];
  const badRow = first && corruptRow(first[0], first[1].first);
  const worst = (corruption ?? badRow) as StorageError | undefined;
  if (worst === undefined) return found!;
  if (reachesAll(generation)) {
    // Throws where entries are missing.
    const { heads } = await recoverJournal(
      folders(dir).journal,
      generation,
      new Float64Array(limits.shardCount),
    );
    if (found?.watermarks.some((watermark, shard) => watermark > heads[shard]!)) throw worst;
    await putAside(dir);
    log(
      `${worst.message}; the tables are rebuilt from the journal, and the corrupt ones are in ${corruptTables(dir)}`,
    );
    return new TablesCheck();
  }
  if (corruption !== undefined) throw corruption;
  log(`${worst.message}; reads of corrupt rows are refused, the other rows can be read`);
  return found!;
}

/** Whether no entry has left the journal. */
function reachesAll(generation: Generation): boolean {
  return generation.dropped.every((sequence) => sequence === 0);
}

async function putAside(dir: string): Promise<void> {
  const { tables } = folders(dir);
  if (!existsSync(tables)) return;
  await rm(corruptTables(dir), { recursive: true, force: true });
  await rename(tables, corruptTables(dir));
  await syncFolder(dir);
}

function corruptTables(dir: string): string {
  return `${folders(dir).tables}.corrupt`;
}
