import { existsSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { limits } from "#base";
import { StorageError } from "../error.ts";
import type { DataReport } from "../report.ts";
import { type Generation, readGeneration } from "./generation.ts";
import { type HistoryGroup, happened } from "./history.ts";
import { folders } from "./layout.ts";
import { aheadOfJournal, behindJournal, missing, unlike } from "./listed.ts";
import { lockFolder } from "./lock.ts";
import { temporaryFolder } from "./objects.ts";
import { rowName } from "./row-key.ts";
import { readSegment } from "./segment.ts";
import { segmentName, segmentSuffix } from "./segments.ts";
import { numberOf } from "./spares.ts";
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
    const groups = await checkSegments(folders(dir).journal, generation, report);
    if (generation && tables) checkShards(generation, tables, groups, report);
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

class Report {
  readonly #findings: string[] = [];
  #sound = true;

  good(sentence: string): void {
    this.#findings.push(sentence);
  }

  bad(sentence: string): void {
    this.#sound = false;
    this.#findings.push(`DAMAGED: ${sentence}`);
  }

  /** A corrupt part does not keep the others from being checked. */
  async attempt<T>(check: () => Promise<T>): Promise<T | undefined> {
    try {
      return await check();
    } catch (error) {
      // Not corrupt: this build cannot read it, or not now.
      if (error instanceof StorageError && error.kind === "unavailable") throw error;
      this.bad(error instanceof Error ? error.message : String(error));
      return;
    }
  }

  result(): DataReport {
    return { found: true, sound: this.#sound, findings: this.#findings };
  }
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

async function checkSegments(
  dir: string,
  generation: Generation | undefined,
  report: Report,
): Promise<Map<number, HistoryGroup[]>> {
  const groups = new Map<number, HistoryGroup[]>();
  const names = existsSync(dir) ? (await readdir(dir)).sort() : [];
  for (const number of generation?.segments.keys() ?? [])
    if (!names.includes(segmentName(number))) report.bad(missing(join(dir, segmentName(number))));
  for (const name of names.filter((file) => file.endsWith(segmentSuffix))) {
    const path = join(dir, name);
    const bytes = await readFile(path);
    const content = await report.attempt(async () => readSegment(path, bytes));
    if (!content) continue;
    const listed = generation?.segments.get(numberOf(name));
    const wrong = listed && unlike(path, listed, { ...content, bytes: bytes.length });
    if (wrong !== undefined) report.bad(wrong);
    let entries = 0;
    for (const group of content.groups) {
      entries += group.count;
      if (!groups.has(group.shard)) groups.set(group.shard, []);
      groups.get(group.shard)!.push(group);
    }
    report.good(`${path}: ${counted(entries, "entry")}, every checksum right up to offset ${content.end}.`);
    if (content.torn)
      report.good(
        `${path}: behind offset ${content.end} is a frame that was being written; the next start cuts it off.`,
      );
  }
  return groups;
}

function checkShards(
  generation: Generation,
  { watermarks }: TablesCheck,
  groups: ReadonlyMap<number, readonly HistoryGroup[]>,
  report: Report,
): void {
  let waiting = 0;
  for (const shard of groups.keys())
    if (shard >= limits.shardCount)
      report.bad(`the journal has entries of shard ${shard}, which does not exist.`);
  for (let shard = 0; shard < limits.shardCount; shard++) {
    const found = groups.get(shard) ?? [];
    const watermark = watermarks[shard]!;
    const opened = { epoch: generation.epochs[shard]!, head: generation.heads[shard]! };
    const epochMax = found.reduce((max, { epoch }) => Math.max(max, epoch), 0);
    if (epochMax > generation.number)
      report.bad(`shard ${shard} has entries of epoch ${epochMax}, above generation ${generation.number}.`);
    const ahead = aheadOfJournal(shard, watermark, generation, found);
    const { head, missing: lacking } = happened(found, opened, watermark);
    if (watermark < generation.dropped[shard]!)
      report.bad(behindJournal(shard, watermark, generation.dropped[shard]!));
    else if (ahead !== undefined) report.bad(ahead);
    else if (lacking !== undefined)
      report.bad(`the journal of shard ${shard} lacks sequence ${lacking}; the tables reach ${watermark}.`);
    waiting += head - watermark;
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
