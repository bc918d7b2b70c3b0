import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { limits } from "#base";
import type { JournalEntry, OpenedShard } from "../journal.ts";
import { Fence } from "./fence.ts";
import { type Generation, newGeneration } from "./generation.ts";
import { type OpenJournalFile, openJournalFile } from "./journal-file.ts";
import { JournalWriter } from "./journal-writer.ts";
import { JournalReader } from "./reader.ts";
import { recoverJournal } from "./recovery.ts";
import { encodeSegmentHeader, newSalt } from "./segment.ts";
import { Status } from "./status.ts";

/** A journal without host and tables, for tests of what is on disk. */
export class JournalFolder {
  readonly dir: string;
  readonly generation = newGeneration();
  readonly fence = new Fence(0);
  readonly status = new Status();
  readonly stops: string[] = [];
  readonly sealed: string[] = [];
  reserveReleased: (() => Promise<void>) | undefined;
  segmentBytes = 64 * 1_024;
  #segments = 0;

  private constructor(dir: string) {
    this.dir = dir;
  }

  static async make(): Promise<JournalFolder> {
    return new JournalFolder(await mkdtemp(join(tmpdir(), "switchyard.journal-")));
  }

  writer(openFile: OpenJournalFile = openJournalFile): JournalWriter {
    return new JournalWriter({
      fence: this.fence,
      status: this.status,
      openFile,
      nextSegment: async () => {
        const salt = newSalt();
        const path = join(this.dir, `${String(++this.#segments).padStart(12, "0")}.seg`);
        const zeros = Buffer.alloc(this.segmentBytes);
        zeros.set(encodeSegmentHeader(salt, false));
        await writeFile(path, zeros);
        return { path, salt, bytesMax: this.segmentBytes };
      },
      sealed: (path) => this.sealed.push(path),
      stop: (reason) => this.stops.push(reason),
      reserveReleased: () => this.reserveReleased?.(),
    });
  }

  open(writer: JournalWriter, shard: number): OpenedShard {
    const epoch = ++this.generation.number;
    const { head } = this.fence.take(shard, epoch);
    this.generation.epochs[shard] = epoch;
    this.generation.heads[shard] = head;
    const opened = { shard, epoch, head };
    writer.opened(opened);
    return opened;
  }

  async remove(): Promise<void> {
    await rm(this.dir, { recursive: true });
  }
}

/** All entries of the shards, as texts, that a start on `dir` finds. */
export async function recovered(
  dir: string,
  generation: Generation,
  shards: readonly number[],
): Promise<string[]> {
  const found = await recoverJournal(dir, generation, new Float64Array(limits.shardCount));
  const fence = new Fence(generation.number);
  for (const [shard, head] of found.heads.entries()) fence.setHead(shard, head);
  const paths = found.records.map((record) => record.path);
  const reader = new JournalReader(
    async (shard) => ({
      paths,
      opened: { epoch: generation.epochs[shard]!, head: generation.heads[shard]! },
    }),
    fence,
  );
  const texts: string[] = [];
  for (const shard of shards)
    for await (const entry of reader.replay(shard, 0)) texts.push(`${shard}/${entryText(entry)}`);
  return texts;
}

function entryText({ seq, bytes }: JournalEntry): string {
  return `${seq}:${Buffer.from(bytes).toString("latin1")}`;
}
