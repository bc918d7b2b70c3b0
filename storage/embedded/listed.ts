import type { Generation, ListedSegment } from "./generation.ts";
import { type HistoryGroup, happened } from "./history.ts";
import type { SegmentContent } from "./segment.ts";

/**
 * Compares a segment with the list in the generation file; returns a sentence that says how they differ. A segment in
 * use has the length with which it was made; only our own cut, at the end of its last frame, makes it shorter. One case
 * is not detected: an older copy of the segment that was in use at a kill, because its last end is stored nowhere else.
 */
export function unlike(
  path: string,
  listed: ListedSegment,
  found: SegmentContent,
  bytes: number,
): string | undefined {
  if (!listed.salt.equals(found.salt))
    return `${path} is not the segment that the file "generation" lists: it is an older copy, or comes from another folder`;
  if (found.end < listed.end)
    return `${path} ends at offset ${found.end} and was closed at offset ${listed.end}: its last frames are missing`;
  if (listed.end === 0 && bytes < listed.bytes && bytes !== found.end)
    return `${path} has ${bytes} bytes and was made with ${listed.bytes}: its end is cut off`;
  return;
}

/** The head of a shard. `bad` receives a sentence where its entries, the generation and the tables contradict each other. */
export function headOf(
  shard: number,
  found: readonly HistoryGroup[],
  { epochs, heads, dropped }: Generation,
  watermark: number,
  bad: (sentence: string) => void,
): number {
  const opened = { epoch: epochs[shard]!, head: heads[shard]! };
  const { head, missing } = happened(found, opened, watermark);
  // By its entries, its last open and what has left it.
  let reached = Math.max(dropped[shard]!, opened.head);
  for (const { firstSeq, count } of found) reached = Math.max(reached, firstSeq + count - 1);
  if (watermark < dropped[shard]!)
    bad(
      `the tables of shard ${shard} reach sequence ${watermark}, and reached ${dropped[shard]} when the journal dropped its entries: the tables are an older copy`,
    );
  else if (watermark > reached)
    bad(
      `the tables of shard ${shard} reach sequence ${watermark}, but its journal ends at ${reached}: the tables are a newer copy than the journal`,
    );
  else if (missing !== undefined)
    bad(
      `the journal of shard ${shard} lacks sequence ${missing}: the tables reach ${watermark}, and later entries exist`,
    );
  return head;
}
