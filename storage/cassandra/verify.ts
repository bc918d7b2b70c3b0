import { createHash } from "node:crypto";
import { limits } from "#base";
import type { CassandraSettings } from "../index.ts";
import { reasonOf, unavailable } from "./errors.ts";
import { type StoredObject, storedOf } from "./object-index.ts";
import { replayShard } from "./replay.ts";
import { Session } from "./session.ts";
import { readStatics } from "./shard.ts";
import { objectStatements, tableStatements } from "./statements.ts";

export interface CassandraFindings {
  readonly shards: number;
  readonly entries: number;
  readonly objects: number;
  /** Contradictions: data is missing or wrong. */
  readonly problems: readonly string[];
  /** Harmless leftovers, such as chunks of an upload that was never finished (or is under way). */
  readonly notes: readonly string[];
}

/** Reads a whole keyspace: every journal is gapless from its watermark to its head, every object is what it was. */
export async function verifyCassandra(settings: CassandraSettings): Promise<CassandraFindings> {
  const session = await Session.connect(settings).catch((error: unknown) => {
    throw unavailable("Cassandra cannot be reached", error);
  });
  try {
    const journal = await verifyJournal(session);
    const objects = await verifyObjects(session);
    return {
      ...journal.counts,
      objects: objects.count,
      problems: [...journal.problems, ...objects.problems],
      notes: objects.notes,
    };
  } finally {
    await session.close();
  }
}

async function verifyJournal(session: Session) {
  const problems: string[] = [];
  let shards = 0;
  let entries = 0;
  for (let shard = 0; shard < limits.shardCount; shard++) {
    const stored = await readStatics(session, shard);
    if (stored === undefined) continue;
    shards++;
    const row = (await session.read(tableStatements.watermark, [shard])).first();
    const watermark = Number(row?.watermark ?? 0);
    if (watermark > stored.head)
      problems.push(`shard ${shard}: watermark ${watermark} is beyond head ${stored.head}`);
    if (watermark < stored.trimmed)
      problems.push(
        `shard ${shard}: trimmed up to ${stored.trimmed}, but rows are stored only up to ${watermark}`,
      );
    try {
      for await (const _ of replayShard(session, shard, stored.trimmed)) entries++;
    } catch (error) {
      problems.push(reasonOf(error));
    }
  }
  return { counts: { shards, entries }, problems };
}

async function verifyObjects(session: Session) {
  const problems: string[] = [];
  const known = new Set<string>();
  let count = 0;
  for await (const row of session.readAll(objectStatements.objects, [])) {
    const stored = storedOf(row);
    if (stored === undefined) continue;
    count++;
    known.add(stored.id);
    if (!(await digestOf(session, stored)).equals(stored.digest))
      problems.push(`object ${row.key}: its chunks are not what was put`);
  }
  const orphans = new Set<string>();
  for await (const row of session.readAll(objectStatements.segments, []))
    if (!known.has(String(row.id))) orphans.add(String(row.id));
  const notes = orphans.size === 0 ? [] : [`${orphans.size} bodies have chunks but no key`];
  return { count, problems, notes };
}

async function digestOf(session: Session, stored: StoredObject): Promise<Buffer> {
  const digest = createHash("sha256");
  for (let chunk = 0; chunk * limits.objectChunkBytes < stored.bytes; chunk++) {
    const params = [stored.id, Math.floor(chunk / limits.objectSegmentChunks), chunk];
    const row = (await session.read(objectStatements.chunk, params)).first();
    digest.update(row?.body ?? "");
  }
  return digest.digest();
}
