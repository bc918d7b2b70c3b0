import { limits } from "#base";
import { corrupt, type StorageError } from "../error.ts";
import type { JournalEntry } from "../journal.ts";
import { decodeBatch } from "./batch.ts";
import { orUnavailable } from "./errors.ts";
import type { Session } from "./session.ts";
import { readStatics, type ShardStatics } from "./shard.ts";
import { journalStatements } from "./statements.ts";

/**
 * Yields the entries after `after` up to the head at the start of the replay, page by page; throws where one is
 * missing. `known` is what the owner knows of its shard: no other process can change it without taking the shard.
 */
export async function* replayShard(
  session: Session,
  shard: number,
  after: number,
  known?: Pick<ShardStatics, "head" | "trimmed">,
): AsyncIterable<JournalEntry> {
  const where = `shard ${shard}`;
  const ask = <T>(read: Promise<T>) => orUnavailable(`${where} could not be read`, read);
  const stored = known ?? (await ask(readStatics(session, shard)));
  if (stored === undefined) return;
  const { head } = stored;
  if (after < stored.trimmed)
    throw corrupt(`${where} is trimmed up to ${stored.trimmed}, asked from ${after}`);
  if (after >= head) return;
  let last = after;
  const holder = (await ask(session.serial(journalStatements.holder, [shard, last + 1]))).first();
  let from = holder === null ? last + 1 : Number(holder.first_seq);
  let pageRows = 8;
  while (last < head) {
    const rows = (await ask(session.serial(journalStatements.page, [shard, from, pageRows]))).rows;
    let pageBytes = 0;
    for (const row of rows) {
      const firstSeq = Number(row.first_seq);
      const entries = decodeBatch(row.body, `${where}, batch ${firstSeq}`);
      const lastSeq = firstSeq + entries.length - 1;
      pageBytes += row.body.length;
      if (firstSeq > last + 1 || lastSeq !== Number(row.last_seq)) throw gap(where, last + 1, firstSeq);
      for (; last < lastSeq; last++) yield { seq: last + 1, bytes: entries[last + 1 - firstSeq]! };
      from = lastSeq + 1;
    }
    if (rows.length === 0) throw gap(where, last + 1, head + 1);
    const rowBytes = Math.max(1, pageBytes / rows.length);
    pageRows = Math.min(
      Math.max(8, Math.floor(limits.cassandraReplayBytes / rowBytes)),
      limits.batchEntriesMax,
    );
  }
}

function gap(where: string, from: number, to: number): StorageError {
  return corrupt(`${where}: the journal lacks ${from}..${to - 1}`);
}
