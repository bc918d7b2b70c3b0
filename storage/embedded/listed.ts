import type { Generation, ListedSegment } from "./generation.ts";
import type { HistoryGroup } from "./history.ts";
import type { SegmentContent } from "./segment.ts";

/**
 * Compares a segment with the list in the generation file; returns a sentence that says how they differ. A segment in
 * use has the length with which it was made; only our own cut, at the end of its last frame, makes it shorter. One case
 * is not detected: an older copy of the segment that was in use at a kill, because its last end is stored nowhere else.
 */
export function unlike(
  path: string,
  listed: ListedSegment,
  found: SegmentContent & { readonly bytes: number },
): string | undefined {
  if (!listed.salt.equals(found.salt))
    return `${path} is not the segment that the file "generation" lists: it is an older copy, or comes from another folder`;
  if (found.end < listed.end)
    return `${path} ends at offset ${found.end} and was closed at offset ${listed.end}: its last frames are missing`;
  if (listed.end === 0 && found.bytes < listed.bytes && found.bytes !== found.end)
    return `${path} has ${found.bytes} bytes and was made with ${listed.bytes}: its end is cut off`;
  return;
}

export function missing(path: string): string {
  return `${path} is missing: the file "generation" lists it, and acknowledged entries may be in it`;
}

/** What is wrong where the tables have more than the journal ever had, by its entries, its last open and what has left it. */
export function aheadOfJournal(
  shard: number,
  watermark: number,
  generation: Generation,
  found: readonly HistoryGroup[],
): string | undefined {
  const { dropped, heads } = generation;
  let reached = Math.max(dropped[shard]!, heads[shard]!);
  for (const { firstSeq, count } of found) reached = Math.max(reached, firstSeq + count - 1);
  if (watermark <= reached) return;
  return `the tables of shard ${shard} reach sequence ${watermark}, but its journal ends at ${reached}: the tables are a newer copy than the journal`;
}

export function behindJournal(shard: number, watermark: number, dropped: number): string {
  return `the tables of shard ${shard} reach sequence ${watermark}, and reached ${dropped} when the journal dropped its entries: the tables are an older copy`;
}
