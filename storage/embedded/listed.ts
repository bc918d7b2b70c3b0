import type { ListedSegment } from "./generation.ts";
import type { SegmentContent } from "./segment.ts";

/**
 * What contradicts the list of segments in the generation file, as a sentence. A segment in use is as long as it was
 * made; only a cut of our own, at the end of its last frame, makes it shorter. What an older copy of the segment that
 * was in use at a kill lacks is not seen: how far it was written stands nowhere else.
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

export function behindJournal(shard: number, watermark: number, dropped: number): string {
  return `the tables of shard ${shard} reach sequence ${watermark}, and reached ${dropped} when the journal dropped its entries: the tables are an older copy`;
}
