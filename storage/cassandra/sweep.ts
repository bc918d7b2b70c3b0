import { crc32c } from "@node-rs/crc32";
import { limits } from "#base";
import type { ShardFlush } from "../tables.ts";
import { blobOf, textOf } from "./blob.ts";
import { forEachBounded } from "./bounded.ts";
import { rangeStatement } from "./row-writes.ts";
import type { Session } from "./session.ts";
import { tableStatements } from "./statements.ts";

/**
 * A deleted row stays as a mark for days, every scan over it reads the mark, and a server refuses to read 100,000 of them.
 * So around some of the deleted keys the stretch in which nothing lives is deleted as a whole: one mark, which hides
 * those within it and every earlier one of its kind.
 *
 * To be called when the flush is stored. Everything up to its watermark can be seen then, so whatever was put into such a
 * stretch by then is dead for ever, and the deletion, at the time of the watermark, reaches nothing that came later:
 * it is right whoever sends it and however late.
 */
export async function sweep(session: Session, flush: readonly ShardFlush[]): Promise<void> {
  await forEachBounded(flush.flatMap(sampled), limits.cassandraRequestsMax, async (sample) => {
    const { shard, partition, watermark } = sample;
    let swept: string | undefined = "";
    for (const key of sample.keys) {
      // To the last key of all, or beyond this one.
      if (swept === undefined || key < swept) continue;
      const [last, next] = await neighbours(session, [shard, blobOf(partition), blobOf(key)]);
      const from = last === undefined ? {} : { from: `${last}\0` };
      const to = next === undefined ? {} : { to: next };
      await session.write([rangeStatement(shard, { partition, ...from, ...to, seq: watermark })]);
      swept = next;
    }
  });
}

/** The last living key before this one, and the first from it on. */
async function neighbours(
  session: Session,
  place: readonly [number, Buffer, Buffer],
): Promise<(string | undefined)[]> {
  const found = await Promise.all([
    session.read(tableStatements.liveBefore, place),
    session.read(tableStatements.liveFrom, place),
  ]);
  return found.map((rows) => {
    const row = rows.first();
    return row ? textOf(row.key) : undefined;
  });
}

interface Sample {
  readonly shard: number;
  readonly watermark: number;
  readonly partition: string;
  readonly keys: string[];
}

/** Some of the deleted keys, in order. They are told by their own bytes: a key deleted again leaves no further mark. */
function sampled({ shard, watermark, changes }: ShardFlush): Sample[] {
  const samples = new Map<string, Sample>();
  for (const { partition, key, value } of changes) {
    if (value !== undefined || crc32c(blobOf(key)) % limits.cassandraSweepOneOf !== 0) continue;
    let sample = samples.get(partition);
    if (sample === undefined) {
      sample = { shard, watermark, partition, keys: [] };
      samples.set(partition, sample);
    }
    sample.keys.push(key);
  }
  for (const { keys } of samples.values()) keys.sort();
  return [...samples.values()];
}
