import { setImmediate as nextLoop } from "node:timers/promises";
import type { RootDatabase } from "lmdb";
import { StorageError } from "../error.ts";
import type { PortClient } from "../port.ts";
import type { ChosenPartitions, Row, RowKey, RowRange, ShardFlush, Tables } from "../tables.ts";
import { openEnvironment } from "./environment.ts";
import { encodeFlush } from "./flush-codec.ts";
import { measureSome } from "./measure.ts";
import { keyOf, partitionPrefix, rangeKeys, rowKey, rowName, watermarkKey } from "./row-key.ts";
import { beginHash, corruptRow, RowDecoder } from "./row-value.ts";
import type { Status } from "./status.ts";

/** Reads the environment directly; writes go to the one writer thread. */
export class EmbeddedTables implements Tables {
  readonly #decoder = new RowDecoder();
  readonly #database: RootDatabase<Buffer, string>;
  readonly #writer: PortClient<ArrayBuffer>;
  readonly #status: Status;
  #seenVersion = -1;

  constructor(path: string, writer: PortClient<ArrayBuffer>, status: Status) {
    this.#database = openEnvironment(path, this.#decoder);
    this.#writer = writer;
    this.#status = status;
  }

  async get({ shard, partition, key }: RowKey): Promise<Uint8Array | undefined> {
    return this.#get(this.#current(), shard, rowKey(shard, partition, key));
  }

  async getMany(keys: readonly RowKey[]): Promise<readonly (Uint8Array | undefined)[]> {
    const database = this.#current();
    return keys.map(({ shard, partition, key }) => this.#get(database, shard, rowKey(shard, partition, key)));
  }

  async scan({ shard, partition, from, to, limit, reverse }: RowRange): Promise<readonly Row[]> {
    const { start, end } = rangeKeys(shard, partition, from, to);
    if (limit <= 0 || start >= end) return [];
    // A reverse range starts at its greatest key; inclusive and exclusive ends are swapped.
    const range = reverse
      ? { start: end, end: start, reverse, exclusiveStart: true, inclusiveEnd: true, limit }
      : { start, end, limit };
    const rows: Row[] = [];
    const begun = beginHash(partitionPrefix(shard, partition));
    try {
      let last: string | undefined;
      for (const { key, value } of this.#current().getRange(range)) {
        // The driver follows corrupt branch pages wherever they lead.
        if (last !== undefined && (reverse ? key >= last : key <= last)) throw outOfOrder(shard, key);
        last = key;
        if (!this.#decoder.isSound(key, value, begun)) throw corruptRow(shard, key);
        rows.push({ key: keyOf(key, partition), value });
      }
    } catch (error) {
      throw readError(shard, error);
    }
    return rows;
  }

  /** In short turns, each with its own snapshot, so that no page is kept from being reused for long. */
  async measure(chosen: ChosenPartitions): Promise<void> {
    for (let from: string | undefined = ""; from !== undefined; await nextLoop()) {
      this.#decoder.measures = true;
      try {
        from = measureSome(this.#current(), this.#decoder, chosen, from);
      } finally {
        this.#decoder.measures = false;
      }
    }
  }

  async watermark(shard: number): Promise<number> {
    return this.#get(this.#current(), shard, watermarkKey(shard))?.readDoubleBE(0) ?? 0;
  }

  #get(database: RootDatabase<Buffer, string>, shard: number, key: string): Buffer | undefined {
    try {
      const value = database.get(key);
      if (value === undefined || this.#decoder.isSound(key, value)) return value;
    } catch (error) {
      throw readError(shard, error);
    }
    throw corruptRow(shard, key);
  }

  async write(flush: readonly ShardFlush[]): Promise<void> {
    const encoded = encodeFlush(flush);
    await this.#writer.call(encoded, [encoded]);
  }

  async close(): Promise<void> {
    await this.#database.close();
  }

  /**
   * The reader's snapshot lasts for one iteration of the event loop; a transaction that was finished meanwhile must be
   * visible.
   */
  #current(): RootDatabase<Buffer, string> {
    const version = this.#status.tablesVersion;
    if (version !== this.#seenVersion) {
      this.#seenVersion = version;
      this.#database.resetReadTxn();
    }
    return this.#database;
  }
}

function outOfOrder(shard: number, key: string): StorageError {
  const message = `the rows of shard ${shard} cannot be read: ${rowName(key)} is out of order`;
  return new StorageError("corrupt", message, { shard });
}

/** The driver's errors for pages that contradict each other (MDB_PAGE_NOTFOUND, MDB_CORRUPTED). */
const corruptCodes: readonly unknown[] = [-30_797, -30_796];

function readError(shard: number, error: unknown): unknown {
  const { code, message } = error as { code?: unknown; message: string };
  if (!corruptCodes.includes(code)) return error;
  return new StorageError("corrupt", `the rows of shard ${shard} cannot be read: ${message}`, {
    shard,
    cause: error,
  });
}
