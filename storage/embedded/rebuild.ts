import { existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { limits } from "#base";
import { StorageError } from "../error.ts";
import type { Log } from "../storage.ts";
import { syncFolder } from "./durable.ts";
import type { Generation } from "./generation.ts";
import { folders } from "./layout.ts";
import { recoverJournal } from "./recovery.ts";
import { damagedRow } from "./row-value.ts";
import { checkTables, TablesCheck, whyUnusable } from "./tables-check.ts";

/**
 * Reads the tables before anything uses them. Damaged ones are put aside if the journal still has every entry: the shards
 * then replay it from its beginning. Otherwise the start is refused; damaged rows alone are left to the reads that meet them.
 */
export async function soundTables(dir: string, generation: Generation, log: Log): Promise<TablesCheck> {
  const { tables } = folders(dir);
  let found: TablesCheck | undefined;
  let damage: unknown;
  try {
    found = await checkTables(tables, generation.number > 0);
    damage = whyUnusable(tables, found);
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    damage = error;
  }
  const [first] = found?.badRows.entries() ?? [];
  const badRow = first && damagedRow(first[0], first[1].first);
  const worst = (damage ?? badRow) as StorageError | undefined;
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
      `${worst.message}; the tables are rebuilt from the journal, and the damaged ones are in ${damagedTables(dir)}`,
    );
    return new TablesCheck();
  }
  if (damage !== undefined) throw damage;
  log(`${worst.message}; reads of damaged rows are refused, the other rows can be read`);
  return found!;
}

/** Whether no entry has left the journal. */
function reachesAll(generation: Generation): boolean {
  return generation.dropped.every((sequence) => sequence === 0);
}

async function putAside(dir: string): Promise<void> {
  const { tables } = folders(dir);
  if (!existsSync(tables)) return;
  await rm(damagedTables(dir), { recursive: true, force: true });
  await rename(tables, damagedTables(dir));
  await syncFolder(dir);
}

function damagedTables(dir: string): string {
  return `${folders(dir).tables}.damaged`;
}
