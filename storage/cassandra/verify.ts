import { createHash } from "node:crypto";
import { limits } from "#base";
import { StorageError } from "../error.ts";
import { Report } from "../report.ts";
import type { CassandraSettings } from "../settings.ts";
import type { DataReport } from "../storage.ts";
import { orUnavailable } from "./errors.ts";
import { type StoredObject, storedOf } from "./object-index.ts";
import { placeOf } from "./objects.ts";
import { replayShard } from "./replay.ts";
import { Session } from "./session.ts";
import { readStatics } from "./shard.ts";
import { objectStatements, tableStatements } from "./statements.ts";

/**
 * Reads a whole keyspace and checks that every journal has no gap from its watermark to its head, and that every object
 * has the chunks that were put.
 */
export async function verifyCassandra(settings: CassandraSettings): Promise<DataReport> {
  const { keyspace } = settings;
  const session = await Session.connect(settings);
  try {
    return await orUnavailable(`keyspace ${keyspace} could not be read`, verifyAll(session, keyspace));
  } finally {
    await session.close();
  }
}

async function verifyAll(session: Session, keyspace: string): Promise<DataReport> {
  const report = new Report();
  /** What is harmless. */
  const notes: string[] = [];
  let shards = 0;
  let entries = 0;
  for (let shard = 0; shard < limits.shardCount; shard++) {
    const found = await verifyShard(session, shard, report, notes);
    if (found === undefined) continue;
    shards++;
    entries += found;
  }
  const objects = await verifyObjects(session, report, notes);
  report.good(
    `Keyspace ${keyspace}: ${shards} shards, ${entries} entries behind the watermarks, ${objects} objects.`,
  );
  for (const note of notes) report.good(note);
  return report.result();
}

/**
 * Returns the number of entries; undefined for a shard that was never opened. The owner may be working at the same time. If entries are
 * missing because they were trimmed meanwhile, the journal is read again from the new start.
 */
async function verifyShard(
  session: Session,
  shard: number,
  report: Report,
  notes: string[],
): Promise<number | undefined> {
  for (let looks = 1; ; looks++) {
    // The watermark is read before and after the head: a head is never below an earlier watermark, a trim never above a
    // later one.
    const before = await readWatermark(session, shard);
    const stored = await readStatics(session, shard);
    if (stored === undefined) return undefined;
    const after = await readWatermark(session, shard);
    let entries = 0;
    let gap: string | undefined;
    try {
      for await (const _ of replayShard(session, shard, stored.trimmed)) entries++;
    } catch (error) {
      if (!(error instanceof StorageError && error.kind === "corrupt")) throw error;
      const now = await readStatics(session, shard);
      const wasTrimmed = now !== undefined && now.trimmed > stored.trimmed;
      if (wasTrimmed && looks < looksMax) continue;
      if (wasTrimmed)
        notes.push(`shard ${shard}: its owner trims faster than it can be read, verify it again`);
      else gap = error.message;
    }
    if (before > stored.head) report.bad(`shard ${shard}: watermark ${before} is beyond head ${stored.head}`);
    if (after < stored.trimmed)
      report.bad(`shard ${shard}: trimmed up to ${stored.trimmed}, but rows are stored only up to ${after}`);
    if (gap !== undefined) report.bad(gap);
    return entries;
  }
}

/** Each attempt starts at the owner's last trim. Reading one journal takes a fraction of the time between two trims. */
const looksMax = 20;

async function readWatermark(session: Session, shard: number): Promise<number> {
  return Number((await session.read(tableStatements.watermark, [shard])).first()?.watermark ?? 0);
}

/** Returns the number of objects. */
async function verifyObjects(session: Session, report: Report, notes: string[]): Promise<number> {
  const known = new Set<string>();
  for await (const row of session.readAll(objectStatements.objects, [])) {
    const stored = storedOf(row);
    if (stored === undefined) continue;
    known.add(stored.id);
    if ((await digestOf(session, stored)).equals(stored.digest)) continue;
    const now = (await session.serial(objectStatements.object, [row.key])).first();
    if (String(now?.id) === stored.id) report.bad(`object ${row.key}: its chunks are not what was put`);
  }
  const orphans = new Set<string>();
  for await (const row of session.readAll(objectStatements.segments, []))
    if (!known.has(String(row.id))) orphans.add(String(row.id));
  if (orphans.size > 0) notes.push(`${orphans.size} bodies have chunks but no key`);
  return known.size;
}

async function digestOf(session: Session, stored: StoredObject): Promise<Buffer> {
  const digest = createHash("sha256");
  for (let chunk = 0; chunk * limits.objectChunkBytes < stored.bytes; chunk++) {
    const row = (await session.read(objectStatements.chunk, placeOf(stored.id, chunk))).first();
    digest.update(row?.body ?? "");
  }
  return digest.digest();
}
