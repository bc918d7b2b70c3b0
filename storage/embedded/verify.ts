import { existsSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Report } from "../report.ts";
import type { DataReport } from "../storage.ts";
import { type Generation, readGeneration } from "./generation.ts";
import type { HistoryGroup } from "./history.ts";
import { folders } from "./layout.ts";
import { headOf } from "./listed.ts";
import { lockFolder } from "./lock.ts";
import { temporaryFolder } from "./objects.ts";
import { type FoundSegment, readJournal } from "./recovery.ts";
import { rowName } from "./row-key.ts";
import { checkTables, type TablesCheck } from "./tables-check.ts";

/** Reads everything in a data folder and changes nothing. The folder must not be in use. */
export async function verifyEmbedded(settings: { readonly dir: string }): Promise<DataReport> {
  const dir = resolve(settings.dir);
  const { generation: generationPath } = folders(dir);
  const report = new Report();
  if (!existsSync(generationPath)) {
    if (!hasParts(dir))
      return { found: false, sound: true, findings: [`There is no data in ${dir}: ${whyNone(dir)}.`] };
    report.bad(`${dir} has lost its file "generation": the other parts of a data folder are there.`);
    return report.result();
  }
  const lock = await lockFolder(dir);
  try {
    const generation = await report.attempt(() => checkGeneration(generationPath, report));
    const tables = await report.attempt(() => readTables(folders(dir).tables, report));
    const ranges = await readJournal(folders(dir).journal, generation, report.bad, (found) =>
      reportSegment(found, report),
    );
    if (generation && tables) checkShards(generation, tables, ranges, report);
    await checkObjects(folders(dir).objects, report);
    return report.result();
  } finally {
    await lock.release();
  }
}

function hasParts(dir: string): boolean {
  const { journal, tables, objects } = folders(dir);
  return [journal, tables, objects].some((part) => existsSync(part));
}

function whyNone(dir: string): string {
  return existsSync(dir) ? "it is not a data folder" : "there is no such folder";
}

async function checkGeneration(path: string, report: Report): Promise<Generation> {
  const { generation, spoiledSlots } = await readGeneration(path);
  report.good(
    `${path}: generation ${generation.number}, ${counted(generation.epochs.filter(Boolean).length, "shard")} opened so far.`,
  );
  if (spoiledSlots > 0)
    report.good(`${path}: one of two slots was being written when the process ended; the other one counts.`);
  return generation;
}

async function readTables(path: string, report: Report): Promise<TablesCheck> {
  const check = await checkTables(path, true);
  report.good(
    `${path}: ${counted(check.rows, "row")} with ${counted(check.bytes, "byte")}, every checksum right.`,
  );
  for (const [shard, { count, first }] of check.badRows)
    report.bad(
      `${path}: ${counted(count, "row")} of shard ${shard} with a wrong checksum, the first is ${rowName(first)}.`,
    );
  if (check.badWatermarks.size > 0)
    report.bad(`${path}: ${counted(check.badWatermarks.size, "watermark")} with a wrong checksum.`);
  for (const sentence of check.lost()) report.bad(`${path}: ${sentence}.`);
  if (check.badKeys > 0) report.bad(`${path}: ${counted(check.badKeys, "row")} with a key that is no row's.`);
  return check;
}

function reportSegment({ path, content }: FoundSegment, report: Report): void {
  const { groups, end, torn } = content;
  const entries = groups.reduce((sum, { count }) => sum + count, 0);
  report.good(`${path}: ${counted(entries, "entry")}, every checksum right up to offset ${end}.`);
  if (torn)
    report.good(
      `${path}: behind offset ${end} is a frame that was being written; the next start cuts it off.`,
    );
}

function checkShards(
  generation: Generation,
  { watermarks }: TablesCheck,
  ranges: readonly (readonly HistoryGroup[])[],
  report: Report,
): void {
  let waiting = 0;
  for (const [shard, found] of ranges.entries()) {
    const watermark = watermarks[shard]!;
    const epochMax = found.reduce((max, { epoch }) => Math.max(max, epoch), 0);
    if (epochMax > generation.number)
      report.bad(`shard ${shard} has entries of epoch ${epochMax}, above generation ${generation.number}.`);
    waiting += headOf(shard, found, generation, watermark, report.bad) - watermark;
  }
  report.good(
    `All shards: sequences without a gap; ${counted(waiting, "entry")} behind the watermarks wait for the tables.`,
  );
}

async function checkObjects(dir: string, report: Report): Promise<void> {
  let files = 0;
  let bytes = 0;
  let unfinished = 0;
  for (const folder of existsSync(dir) ? await readdir(dir) : [])
    for (const name of await readdir(join(dir, folder))) {
      if (folder === temporaryFolder) unfinished++;
      else {
        files++;
        bytes += (await stat(join(dir, folder, name))).size;
      }
    }
  report.good(`${dir}: ${counted(files, "object")} with ${counted(bytes, "byte")}.`);
  if (unfinished > 0)
    report.good(`${dir}: ${counted(unfinished, "unfinished upload")}; the next start removes them.`);
}

function counted(count: number, noun: string): string {
  const plural = noun.endsWith("y") ? `${noun.slice(0, -1)}ies` : `${noun}s`;
  return `${count.toLocaleString("en-US")} ${count === 1 ? noun : plural}`;
}
