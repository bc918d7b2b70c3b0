import { crc32c } from "@node-rs/crc32";
import { limits } from "#base";
import type { ShardFlush } from "../tables.ts";
import { clip, type Piece } from "./arrangement.ts";
import { blobOf, textOf } from "./blob.ts";
import { forEachBounded } from "./bounded.ts";
import type { Layout } from "./layouts.ts";
import { clearStatement } from "./row-writes.ts";
import type { Session } from "./session.ts";
import { tableStatements } from "./statements.ts";

/**
 * A deleted row stays as a mark for days, every scan over it reads the mark, and a server refuses to read 100,000 of them.
 * So around some of the deleted keys the stretch in which nothing lives is deleted as a whole: one mark, which hides
 * those within it and every earlier one of its kind.
 *
 * To be called when the flush is stored. Everything up to its watermark can be seen then, so whatever was put into such a
 * stretch by then is dead for ever, and the deletion, at the time of the watermark, reaches nothing that came later:
 * it is right whichever node sends it and however late.
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
      // To the last key of all, or beyond this one.
      if (swept === undefined || key < swept) continue;
      const dead = await deadAround(session, sample, key);
      await session.write([clearStatement({ shard, partition, piece: dead, time: 2 * watermark })]);
      swept = dead.to;
    }
  });
}

/** The stretch around a key in which nothing lives, within the key's bucket. */
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

/** Some of the deleted keys, in order. They are told by their own bytes: a key deleted again leaves no further mark. */
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
