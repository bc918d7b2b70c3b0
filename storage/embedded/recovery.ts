import { constants } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { limits } from "#base";
import { corrupt, StorageError } from "../error.ts";
import { ifPresent, withFile } from "./durable.ts";
import type { Generation } from "./generation.ts";
import type { HistoryGroup } from "./history.ts";
import { headOf, unlike } from "./listed.ts";
import { readSegment, type SegmentContent } from "./segment.ts";
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
  const records: SegmentRecord[] = [];
  const torn: { path: string; offset: number }[] = [];
  const ranges = await readJournal(dir, generation, refuse, async ({ path, bytes, content }) => {
    const { salt, groups, end } = content;
    if (content.torn) torn.push({ path, offset: end });
    await settle(path, content.torn ? end : undefined);
    const lastSeqs = new Map<number, number>();
    for (const { shard, firstSeq, count } of groups)
      lastSeqs.set(shard, Math.max(firstSeq + count - 1, lastSeqs.get(shard) ?? 0));
    records.push({ path, lastSeqs, owner: undefined, listed: { salt, bytes, end } });
  });
  const heads = Float64Array.from(ranges, (found, shard) =>
    headOf(shard, found, generation, watermarks[shard]!, refuse),
  );
  for (const { lastSeqs } of records)
    for (const [shard, seq] of lastSeqs) lastSeqs.set(shard, Math.min(seq, heads[shard]!));
  const epochMax = ranges.flat().reduce((max, range) => Math.max(max, range.epoch), 0);
  return { records, heads, epochMax, torn };
}

function refuse(sentence: string): never {
  throw corrupt(sentence);
}

export interface FoundSegment {
  readonly path: string;
  readonly bytes: number;
  readonly content: SegmentContent;
}

/** Reads all segments, and returns the groups of each shard. `bad` receives a sentence about everything that is wrong. */
export async function readJournal(
  dir: string,
  generation: Generation | undefined,
  bad: (sentence: string) => void,
  each: (found: FoundSegment) => Promise<void> | void,
): Promise<readonly (readonly HistoryGroup[])[]> {
  const ranges = Array.from({ length: limits.shardCount }, (): MutableGroup[] => []);
  const names = ((await ifPresent(readdir(dir))) ?? []).filter((name) => name.endsWith(segmentSuffix));
  for (const number of generation?.segments.keys() ?? [])
    if (!names.includes(segmentName(number)))
      bad(
        `${join(dir, segmentName(number))} is missing: the file "generation" lists it, and acknowledged entries may be in it`,
      );
  for (const name of names.sort()) {
    const path = join(dir, name);
    const bytes = await readFile(path);
    const content = contentOf(path, bytes, bad);
    if (!content) continue;
    const listed = generation?.segments.get(numberOf(name));
    const wrong = listed && unlike(path, listed, content, bytes.length);
    if (wrong !== undefined) bad(wrong);
    for (const group of content.groups)
      if (group.shard < limits.shardCount) addTo(ranges[group.shard]!, group);
      else bad(`${path} has entries of shard ${group.shard}, which does not exist`);
    await each({ path, bytes: bytes.length, content });
  }
  return ranges;
}

function contentOf(path: string, bytes: Buffer, bad: (sentence: string) => void): SegmentContent | undefined {
  try {
    return readSegment(path, bytes);
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    bad(error.message);
    return undefined;
  }
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
