import { constants } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { limits } from "#base";
import { StorageError } from "../error.ts";
import { withFile } from "./durable.ts";
import type { Generation } from "./generation.ts";
import { type HistoryGroup, happened } from "./history.ts";
import { aheadOfJournal, behindJournal, missing, unlike } from "./listed.ts";
import { readSegment } from "./segment.ts";
import { type SegmentRecord, segmentName, segmentSuffix } from "./segments.ts";
import { numberOf } from "./spares.ts";

export interface Recovered {
  readonly records: readonly SegmentRecord[];
  readonly heads: Float64Array;
  /** The highest epoch found in the files. */
  readonly epochMax: number;
  readonly torn: readonly { readonly path: string; readonly offset: number }[];
}

/**
 * Reads what earlier starts left. Torn last frames are cut off, and every file is synced: after a kill its last frame
 * may be in the page cache only, and must not be lost once later entries build on it.
 */
export async function recoverJournal(
  dir: string,
  generation: Generation,
  watermarks: Float64Array,
): Promise<Recovered> {
  const ranges = Array.from({ length: limits.shardCount }, (): MutableGroup[] => []);
  const records: SegmentRecord[] = [];
  const torn: { path: string; offset: number }[] = [];
  requireListed(dir, generation, await readdir(dir));
  for (const name of (await readdir(dir)).filter((file) => file.endsWith(segmentSuffix)).sort()) {
    const path = join(dir, name);
    const bytes = await readFile(path);
    const content = readSegment(path, bytes);
    const listed = generation.segments.get(numberOf(name));
    const wrong = listed && unlike(path, listed, { ...content, bytes: bytes.length });
    if (wrong !== undefined) throw new StorageError("corrupt", wrong);
    if (content.torn) torn.push({ path, offset: content.end });
    await settle(path, content.torn ? content.end : undefined);
    const lastSeqs = new Map<number, number>();
    for (const group of content.groups) {
      if (group.shard >= limits.shardCount)
        throw new StorageError("corrupt", `${path} has entries of shard ${group.shard}`);
      const last = group.firstSeq + group.count - 1;
      lastSeqs.set(group.shard, Math.max(last, lastSeqs.get(group.shard) ?? 0));
      addTo(ranges[group.shard]!, group);
    }
    const { salt, end } = content;
    records.push({ path, lastSeqs, owner: undefined, listed: { salt, bytes: bytes.length, end } });
  }
  const heads = ranges.map((found, shard) => headOf(shard, found, generation, watermarks[shard]!));
  for (const { lastSeqs } of records)
    for (const [shard, seq] of lastSeqs) lastSeqs.set(shard, Math.min(seq, heads[shard]!));
  const epochMax = ranges.flat().reduce((max, range) => Math.max(max, range.epoch), 0);
  return { records, heads: Float64Array.from(heads), epochMax, torn };
}

function requireListed(dir: string, { segments }: Generation, names: readonly string[]): void {
  for (const number of segments.keys()) {
    const name = segmentName(number);
    if (!names.includes(name)) throw new StorageError("corrupt", missing(join(dir, name)));
  }
}

function headOf(
  shard: number,
  found: readonly HistoryGroup[],
  generation: Generation,
  watermark: number,
): number {
  const dropped = generation.dropped[shard]!;
  if (watermark < dropped) throw new StorageError("corrupt", behindJournal(shard, watermark, dropped));
  const ahead = aheadOfJournal(shard, watermark, generation, found);
  if (ahead !== undefined) throw new StorageError("corrupt", ahead);
  const opened = { epoch: generation.epochs[shard]!, head: generation.heads[shard]! };
  const { head, missing } = happened(found, opened, watermark);
  if (missing !== undefined)
    throw new StorageError(
      "corrupt",
      `the journal of shard ${shard} lacks sequence ${missing}: the tables reach ${watermark}, and later entries exist`,
    );
  return head;
}

type MutableGroup = { -readonly [Field in keyof HistoryGroup]: HistoryGroup[Field] };

/** Consecutive groups are merged, so that thousands of frames become a few ranges. */
function addTo(ranges: MutableGroup[], { epoch, firstSeq, count }: HistoryGroup): void {
  const last = ranges.at(-1);
  if (last && last.epoch === epoch && last.firstSeq + last.count === firstSeq) last.count += count;
  else ranges.push({ epoch, firstSeq, count });
}

async function settle(path: string, cutAt: number | undefined): Promise<void> {
  await withFile(path, constants.O_RDWR, async (handle) => {
    if (cutAt !== undefined) await handle.truncate(cutAt);
    await handle.sync();
  });
}
