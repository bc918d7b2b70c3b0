import { closeSync, openSync, readSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { corrupt } from "../error.ts";
import type { JournalEntry } from "../journal.ts";
import type { JournalFiles } from "./control.ts";
import { ifPresent } from "./durable.ts";
import type { Fence } from "./fence.ts";
import type { Group } from "./frame.ts";
import { type History, happened } from "./history.ts";
import { readSegment } from "./segment.ts";

/** Replays shards from all segment files, of every worker and every start. */
export class JournalReader {
  readonly #files: (shard: number) => Promise<JournalFiles>;
  readonly #fence: Fence;
  /**
   * Groups by shard, read in one pass for all shards of an open. A weak reference: memory is freed when no replay uses
   * it any more.
   */
  #index: WeakRef<Index> | undefined;
  #reading: Promise<Index> | undefined;

  constructor(files: (shard: number) => Promise<JournalFiles>, fence: Fence) {
    this.#files = files;
    this.#fence = fence;
  }

  /** To be called when other workers may have written since the index was made. */
  refresh(): void {
    this.#index = undefined;
    this.#reading = undefined;
  }

  async *replay(shard: number, after: number): AsyncIterable<JournalEntry> {
    const head = this.#fence.head(shard);
    if (head > after) yield* entriesOf(await this.#history(shard, after, head), after, head);
  }

  async #history(shard: number, after: number, head: number): Promise<History<PlacedGroup>> {
    const { paths, opened } = await this.#files(shard);
    const read = async () => happened((await this.#read(paths)).get(shard) ?? [], opened, after);
    let history = await read();
    if (firstMissing(history) <= head) {
      // An entry was appended after the index was made.
      this.refresh();
      history = await read();
    }
    const missing = firstMissing(history);
    if (missing <= head) throw corrupt(`the journal of shard ${shard} lacks sequence ${missing} of ${head}`);
    return history;
  }

  async #read(paths: readonly string[]): Promise<Index> {
    const known = this.#index?.deref();
    if (known) return known;
    const reading = this.#reading ?? readIndex(paths);
    this.#reading = reading;
    const index = await reading;
    if (this.#reading === reading) {
      this.#index = new WeakRef(index);
      this.#reading = undefined;
    }
    return index;
  }
}

function firstMissing({ missing, head }: History<PlacedGroup>): number {
  return missing ?? head + 1;
}

type Index = ReadonlyMap<number, readonly PlacedGroup[]>;

interface PlacedGroup extends Group {
  readonly path: string;
}

async function readIndex(paths: readonly string[]): Promise<Index> {
  const index = new Map<number, PlacedGroup[]>();
  for (const path of paths) {
    const bytes = await ifPresent(readFile(path));
    // A segment that was removed meanwhile held only entries that are in the tables.
    if (!bytes) continue;
    for (const group of readSegment(path, bytes, true).groups) {
      let groups = index.get(group.shard);
      if (!groups) {
        groups = [];
        index.set(group.shard, groups);
      }
      groups.push({ ...group, path });
    }
  }
  return index;
}

function* entriesOf(history: History<PlacedGroup>, after: number, head: number): Generator<JournalEntry> {
  let open: { path: string; fd: number } | undefined;
  try {
    for (const { group, upTo } of history.groups) {
      if (open?.path !== group.path) {
        // The next file is opened before the last one is closed: if opening fails, the `finally` below closes the last
        // one, once.
        const fd = openSync(group.path, "r");
        if (open) closeSync(open.fd);
        open = { path: group.path, fd };
      }
      const bytes = Buffer.allocUnsafe(group.end - group.start);
      readSync(open.fd, bytes, 0, bytes.length, group.start);
      let at = 0;
      for (let seq = group.firstSeq; seq <= Math.min(upTo, head); seq++) {
        const start = at + 4;
        at = start + bytes.readUInt32LE(at);
        if (seq > after) yield { seq, bytes: bytes.subarray(start, at) };
      }
    }
  } finally {
    if (open) closeSync(open.fd);
  }
}
