import { cp, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ExecutionContext } from "ava";
import { attachStorage, type Journal, type Storage, type StorageHost, startStorage } from "#storage";
import { append, take } from "../../storage/journal.cases.ts";

/** A case with its own folder. */
export const inFolder =
  (run: (t: ExecutionContext, dir: string) => Promise<void>) =>
  async (t: ExecutionContext): Promise<void> => {
    const dir = await mkdtemp(join(tmpdir(), "switchyard.host-"));
    try {
      await run(t, dir);
    } finally {
      await rm(dir, { recursive: true });
    }
  };

/** One start over the folder, and its end. */
export async function session<T>(
  dir: string,
  use: (storage: Storage, host: StorageHost, log: readonly string[]) => Promise<T>,
): Promise<T> {
  const log: string[] = [];
  const host = await startStorage({ engine: "embedded", dir }, (sentence) => log.push(sentence));
  const storage = await attachStorage(host.bootstrap(0).data);
  try {
    return await use(storage, host, log);
  } finally {
    await storage.close();
    await host.close();
  }
}

/** Appends entries up to this sequence, which flushes of the same sequence belong to. */
export async function journalUpTo(journal: Journal, shard: number, seq: number): Promise<void> {
  const owner = await take(journal, shard);
  const entries = Array.from({ length: seq - owner.head }, () => "entry");
  await append(journal, owner, owner.head + 1, entries);
}

/** A start drops the entries that are in the tables: then the journal cannot replace corrupt tables. */
export const dropEntries = (dir: string) => session(dir, async () => undefined);

export const segmentsOf = async (dir: string) =>
  (await readdir(join(dir, "journal"))).filter((name) => name.endsWith(".seg")).sort();

/** Three frames of shard 1 in one segment; returns its path and where each frame ends. */
export async function threeFrames(dir: string): Promise<{ path: string; ends: number[] }> {
  await session(dir, async ({ journal }) => {
    const owner = await take(journal, 1);
    for (const seq of [1, 2, 3]) await append(journal, owner, seq, [`value ${seq}`]);
  });
  const path = join(dir, "journal", (await segmentsOf(dir))[0]!);
  // Header block, then frames of 16 + 24 + 4 + 7 bytes, rounded up to 56.
  return { path, ends: [4_152, 4_208, 4_264] };
}

/** The same three frames as kill -9 leaves them: the segment is not sealed. */
export async function threeFramesKilled(dir: string): Promise<{ dir: string; path: string; ends: number[] }> {
  const data = join(dir, "killed");
  await session(join(dir, "running"), async ({ journal }) => {
    const owner = await take(journal, 1);
    for (const seq of [1, 2, 3]) await append(journal, owner, seq, [`value ${seq}`]);
    await copyData(join(dir, "running"), data);
  });
  const path = join(data, "journal", (await segmentsOf(data))[0]!);
  return { dir: data, path, ends: [4_152, 4_208, 4_264] };
}

/** Copies the journal last: it must contain everything that the tables refer to. */
export async function copyData(from: string, to: string): Promise<void> {
  await mkdir(to, { mode: 0o700 });
  for (const part of ["generation", "tables", "objects", "journal"])
    await cp(join(from, part), join(to, part), { recursive: true });
}
