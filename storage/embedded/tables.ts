import type { RootDatabase } from "lmdb";
import type { PortClient } from "../port.ts";
import type { Row, RowKey, RowRange, ShardFlush, Tables } from "../tables.ts";
import { openEnvironment } from "./environment.ts";
import { encodeFlush } from "./flush-codec.ts";
import { keyOf, rangeKeys, rowKey, watermarkKey } from "./row-key.ts";
import type { Status } from "./status.ts";

/** Reads the environment directly; writes go to the one thread that writes. */
export class EmbeddedTables implements Tables {
  readonly #database: RootDatabase<Buffer, string>;
  readonly #writer: PortClient<ArrayBuffer>;
  readonly #status: Status;
  #seenVersion = -1;

  constructor(path: string, writer: PortClient<ArrayBuffer>, status: Status) {
    this.#database = openEnvironment(path, true);
    this.#writer = writer;
    this.#status = status;
  }

  async get({ shard, partition, key }: RowKey): Promise<Uint8Array | undefined> {
    return this.#current().get(rowKey(shard, partition, key));
  }

  async getMany(keys: readonly RowKey[]): Promise<readonly (Uint8Array | undefined)[]> {
    const database = this.#current();
    return keys.map(({ shard, partition, key }) => database.get(rowKey(shard, partition, key)));
  }

  async scan({ shard, partition, from, to, limit, reverse }: RowRange): Promise<readonly Row[]> {
    const { start, end } = rangeKeys(shard, partition, from, to);
    if (limit <= 0 || start >= end) return [];
    // A reverse range starts at its greatest key; both ends swap their inclusiveness.
    const range = reverse
      ? { start: end, end: start, reverse, exclusiveStart: true, inclusiveEnd: true, limit }
      : { start, end, limit };
    const rows: Row[] = [];
    for (const { key, value } of this.#current().getRange(range))
      rows.push({ key: keyOf(key, partition), value });
    return rows;
  }

  async watermark(shard: number): Promise<number> {
    return this.#current().get(watermarkKey(shard))?.readDoubleBE(0) ?? 0;
  }

  async write(flush: readonly ShardFlush[]): Promise<void> {
    const encoded = encodeFlush(flush);
    await this.#writer.call(encoded, [encoded]);
  }

  async close(): Promise<void> {
    await this.#database.close();
  }

  /** The reader's snapshot lasts for a turn of the event loop; a transaction finished meanwhile must be seen. */
  #current(): RootDatabase<Buffer, string> {
    const version = this.#status.tablesVersion;
    if (version !== this.#seenVersion) {
      this.#seenVersion = version;
      this.#database.resetReadTxn();
    }
    return this.#database;
  }
}
