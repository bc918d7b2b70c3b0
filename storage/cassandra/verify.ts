import { createHash } from "node:crypto";
import { limits } from "#base";
import { StorageError } from "../error.ts";
import type { DataReport } from "../report.ts";
import type { CassandraSettings } from "../settings.ts";
import { unavailable } from "./errors.ts";
import { type StoredObject, storedOf } from "./object-index.ts";
import { placeOf } from "./objects.ts";
import { replayShard } from "./replay.ts";
import { Session } from "./session.ts";
import { readStatics } from "./shard.ts";
import { objectStatements, tableStatements } from "./statements.ts";

/** The findings of one part: problems, where data is missing or wrong, and notes, which are harmless. */
interface Findings {
  readonly problems: readonly string[];
  readonly notes: readonly string[];
}

/**
 * Reads a whole keyspace and checks that every journal has no gap from its watermark to its head, and that every object
 * has the chunks that were put.
 */
export async function verifyCassandra(settings: CassandraSettings): Promise<DataReport> {
  const { keyspace } = settings;
  const session = await Session.connect(settings);
  try {
    const journal = await verifyJournal(session);
    const objects = await verifyObjects(session);
    const problems = [...journal.problems, ...objects.problems];
    const counts = `${journal.shards} shards, ${journal.entries} entries behind the watermarks, ${objects.count} objects`;
    return {
      found: true,
      sound: problems.length === 0,
      findings: [
        ...problems.map((problem) => `DAMAGED: ${problem}`),
        `Keyspace ${keyspace}: ${counts}.`,
        ...journal.notes,
        ...objects.notes,
      ],
    };
  } catch (error) {
    throw unavailable(`keyspace ${keyspace} could not be read`, error);
  } finally {
    await session.close();
  }
}

async function verifyJournal(session: Session): Promise<Findings & { shards: number; entries: number }> {
  const problems: string[] = [];
  const notes: string[] = [];
  let shards = 0;
  let entries = 0;
  for (let shard = 0; shard < limits.shardCount; shard++) {
    const found = await verifyShard(session, shard);
    if (found === undefined) continue;
    shards++;
    entries += found.entries;
    problems.push(...found.problems);
    notes.push(...found.notes);
  }
  return { shards, entries, problems, notes };
}

/**
 * The owner may be working at the same time. If entries are missing because they were trimmed meanwhile, the journal is
 * read again from the new start.
 */
async function verifyShard(
  session: Session,
  shard: number,
): Promise<(Findings & { entries: number }) | undefined> {
  for (let looks = 1; ; looks++) {
    // The watermark is read before and after the head: a head is never below an earlier watermark, a trim never above a
    // later one.
    const before = await readWatermark(session, shard);
    const stored = await readStatics(session, shard);
    if (stored === undefined) return undefined;
    const after = await readWatermark(session, shard);
    const problems: string[] = [];
    const notes: string[] = [];
    if (before > stored.head)
      problems.push(`shard ${shard}: watermark ${before} is beyond head ${stored.head}`);
    if (after < stored.trimmed)
      problems.push(
        `shard ${shard}: trimmed up to ${stored.trimmed}, but rows are stored only up to ${after}`,
      );
    let entries = 0;
    try {
      for await (const _ of replayShard(session, shard, stored.trimmed)) entries++;
    } catch (error) {
      if (!(error instanceof StorageError && error.kind === "corrupt")) throw error;
      const now = await readStatics(session, shard);
      const wasTrimmed = now !== undefined && now.trimmed > stored.trimmed;
      if (wasTrimmed && looks < looksMax) continue;
      if (wasTrimmed)
        notes.push(`shard ${shard}: its owner trims faster than it can be read, verify it again`);
      else problems.push(error.message);
    }
    return { entries, problems, notes };
  }
}

/** Each attempt starts at the owner's last trim. Reading one journal takes a fraction of the time between two trims. */
const looksMax = 20;

async function readWatermark(session: Session, shard: number): Promise<number> {
  return Number((await session.read(tableStatements.watermark, [shard])).first()?.watermark ?? 0);
}

async function verifyObjects(session: Session): Promise<Findings & { count: number }> {
  const problems: string[] = [];
  const known = new Set<string>();
  let count = 0;
  for await (const row of session.readAll(objectStatements.objects, [])) {
    const stored = storedOf(row);
    if (stored === undefined) continue;
    count++;
    known.add(stored.id);
    if ((await digestOf(session, stored)).equals(stored.digest)) continue;
    const now = (await session.serial(objectStatements.object, [row.key])).first();
    if (String(now?.id) === stored.id) problems.push(`object ${row.key}: its chunks are not what was put`);
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
    const row = (await session.read(objectStatements.chunk, placeOf(stored.id, chunk))).first();
    digest.update(row?.body ?? "");
  }
  return digest.digest();
}
