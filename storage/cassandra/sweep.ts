import { crc32c } from "@node-rs/crc32";
import { limits } from "#base";
import type { ShardFlush } from "../tables.ts";
import { clip, type Piece } from "./arrangement.ts";
import { forEachBounded } from "./bounded.ts";
import type { Layout } from "./layouts.ts";
import { clearStatement } from "./row-writes.ts";
import type { Session } from "./session.ts";
import { blobOf, tableStatements, textOf } from "./statements.ts";

/**
 * A deleted row leaves a deletion mark (tombstone) for days. Every scan reads the marks it passes, and a server refuses
 * a scan over 100,000 of them. So around a sample of the deleted keys, the range without any row is deleted as a whole:
 * one range mark, which hides the marks inside it and earlier range marks.
 * Call it when the flush is stored. Then everything up to its watermark is visible, so any row that was put into such a
 * range by then is deleted for good. The range delete has the time of the watermark and does not reach later rows: it
 * is correct whichever node sends it and however late it arrives.
 */
export async function sweep(
  session: Session,
  flush: readonly { readonly part: ShardFlush; readonly layout: Layout }[],
): Promise<void> {
  const samples = flush.flatMap(({ part, layout }) => sampled(part, layout));
  await forEachBounded(samples, limits.cassandraRequestsMax, async (sample) => {
    const { shard, partition, watermark } = sample;
    let swept: string | undefined = "";
    for (const key of sample.keys) {
      // The last sweep covered this key, or everything up to the end.
      if (swept === undefined || key < swept) continue;
      const dead = await deadAround(session, sample, key);
      await session.write([clearStatement({ shard, partition, piece: dead, time: 2 * watermark })]);
      swept = dead.to;
    }
  });
}

/** The range around a key that has no rows, within the key's bucket. */
async function deadAround(session: Session, sample: Sample, key: string): Promise<Piece> {
  const piece = sample.layout.pieceAt(sample.partition, key);
  const place = [sample.shard, blobOf(sample.partition), piece.bucket, blobOf(key)];
  const [last, next] = await Promise.all([
    session.read(tableStatements.liveBefore, place),
    session.read(tableStatements.liveFrom, place),
  ]);
  const lastRow = last.first();
  const nextRow = next.first();
  return clip(
    {
      bucket: piece.bucket,
      from: lastRow ? `${textOf(lastRow.key)}\0` : "",
      to: nextRow ? textOf(nextRow.key) : undefined,
    },
    piece.from,
    piece.to,
  )!;
}

interface Sample {
  readonly shard: number;
  readonly layout: Layout;
  readonly watermark: number;
  readonly partition: string;
  readonly keys: string[];
}

/**
 * A sample of the deleted keys, in order. A hash of the key selects it, so that deleting the same keys again and again
 * adds no other marks.
 */
function sampled({ shard, watermark, changes }: ShardFlush, layout: Layout): Sample[] {
  const samples = new Map<string, Sample>();
  for (const { partition, key, value } of changes) {
    if (value !== undefined || crc32c(blobOf(key)) % limits.cassandraSweepOneOf !== 0) continue;
    let sample = samples.get(partition);
    if (sample === undefined) {
      sample = { shard, layout, watermark, partition, keys: [] };
      samples.set(partition, sample);
    }
    sample.keys.push(key);
  }
  for (const { keys } of samples.values()) keys.sort();
  return [...samples.values()];
}
