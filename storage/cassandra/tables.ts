import { limits } from "#base";
import { StorageError } from "../error.ts";
import type { ChosenPartitions, Row, RowKey, RowRange, ShardFlush, Tables } from "../tables.ts";
import type { Piece } from "./arrangement.ts";
import { forEachBounded } from "./bounded.ts";
import type { Buckets } from "./buckets.ts";
import { orUnavailable } from "./errors.ts";
import { Layout, type Layouts, readArrangement } from "./layouts.ts";
import { type BucketWrites, bucketName, rowWrites } from "./row-writes.ts";
import type { Session, Statement } from "./session.ts";
import { blobOf, endBlob, tableStatements, textOf } from "./statements.ts";
import { sweep } from "./sweep.ts";

/** Rows whose write time is the sequence of their event: a late flush of an earlier owner changes nothing. */
export class CassandraTables implements Tables {
  readonly #session: Session;
  readonly #layouts: Layouts;
  readonly #buckets: Buckets;
  #closed = false;

  constructor(session: Session, layouts: Layouts, buckets: Buckets) {
    this.#session = session;
    this.#layouts = layouts;
    this.#buckets = buckets;
  }

  async get({ shard, partition, key }: RowKey): Promise<Uint8Array | undefined> {
    return await this.#ask("a row could not be read", async () => {
      const { bucket } = (await this.#layouts.of(shard)).pieceAt(partition, key);
      const place = [shard, blobOf(partition), bucket, blobOf(key)];
      const result = await this.#session.read(tableStatements.get, place);
      return result.first()?.value ?? undefined;
    });
  }

  async getMany(keys: readonly RowKey[]): Promise<readonly (Uint8Array | undefined)[]> {
    const values = new Array<Uint8Array | undefined>(keys.length);
    await this.#ask("rows could not be read", async () => {
      const groups = await this.#groupKeys(keys);
      await forEachBounded(groups, limits.cassandraRequestsMax, async ({ bucket, indexes }) => {
        const { shard, partition } = keys[indexes[0]!]!;
        const wanted = [...new Set(indexes.map((at) => keys[at]!.key))].map(blobOf);
        const params = [shard, blobOf(partition), bucket, wanted];
        const found = new Map<string, Uint8Array>();
        for await (const row of this.#session.readAll(tableStatements.getMany, params))
          found.set(textOf(row.key), row.value);
        for (const at of indexes) values[at] = found.get(keys[at]!.key);
      });
    });
    return values;
  }

  async scan(range: RowRange): Promise<readonly Row[]> {
    if (range.limit <= 0) return [];
    if (range.to !== undefined && (range.from ?? "") >= range.to) return [];
    return await this.#ask("rows could not be scanned", async () => {
      const layout = await this.#layouts.of(range.shard);
      const pieces = layout.pieces(range.partition, range.from ?? "", range.to);
      const rows: Row[] = [];
      for (const piece of range.reverse ? pieces.toReversed() : pieces) {
        const before = rows.length;
        await this.#scanPiece(range, piece, rows);
        if (rows.length >= range.limit) break;
        const whole = layout.pieceAt(range.partition, piece.from);
        if (rows.length === before && pieces.length > 1 && whole.from === piece.from && whole.to === piece.to)
          this.#buckets.foundEmpty(layout, range.partition, piece);
      }
      return rows;
    });
  }

  async watermark(shard: number): Promise<number> {
    return await this.#ask("a watermark could not be read", async () =>
      Number((await this.#session.read(tableStatements.watermark, [shard])).first()?.watermark ?? 0),
    );
  }

  async write(flush: readonly ShardFlush[]): Promise<void> {
    const parts = await this.#ask("rows could not be stored", async () => {
      const layouts = await Promise.all(flush.map(({ shard }) => this.#layouts.of(shard)));
      const place = () => flush.map((part, i) => this.#place(part, layouts[i]!));
      let parts = place();
      if (parts.some(({ full }) => full.length > 0)) {
        for (const { layout, full } of parts)
          for (const bucket of full) await this.#buckets.divideFirst(layout, bucket);
        parts = place();
      }
      // No await from here to `flushing`: a move that began in between would not know of this flush.
      const batches = parts.flatMap((part) => part.batches);
      const rows = forEachBounded(batches, limits.cassandraRequestsMax, (batch) =>
        this.#session.write(batch),
      );
      for (const layout of layouts) layout.flushing(rows);
      await rows;
      // After the rows: a watermark says that a quorum has every row up to it.
      await forEachBounded(flush, limits.cassandraRequestsMax, ({ shard, watermark }) => {
        const params = [shard, watermark, watermark];
        return this.#session.write([{ query: tableStatements.putWatermark, params }]);
      });
      return parts;
    });
    for (const { part, layout, buckets } of parts) this.#buckets.wrote(layout, buckets, part.watermark);
    // A sweep that failed is made up for by later deletions.
    await sweep(this.#session, parts).catch(() => undefined);
  }

  /** Copies that were moved away from a bucket, or are on their way to one, are not counted. */
  async measure({ next, count }: ChosenPartitions): Promise<void> {
    await this.#ask("rows could not be measured", async () => {
      const layouts = new Map<number, Layout>();
      for await (const { shard, part, bucket } of this.#session.readAll(tableStatements.parts, [])) {
        const partition = textOf(part);
        if (next(partition) !== partition) continue;
        // Read from the store, not from memory: another node may own the shard by now.
        const layout = layouts.get(shard) ?? new Layout(await readArrangement(this.#session, shard));
        layouts.set(shard, layout);
        const params = [shard, part, bucket];
        for await (const row of this.#session.readAll(tableStatements.all, params))
          if (layout.pieceAt(partition, textOf(row.key)).bucket === bucket)
            count(partition, row.key.length + row.value.length);
      }
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#buckets.close();
  }

  async #scanPiece(range: RowRange, { bucket, from, to }: Piece, rows: Row[]): Promise<void> {
    const place = [range.shard, blobOf(range.partition), bucket, blobOf(from), endBlob(to)];
    const statement = range.reverse ? tableStatements.scanBack : tableStatements.scan;
    for await (const row of this.#session.readAll(statement, [...place, range.limit - rows.length]))
      rows.push({ key: textOf(row.key), value: row.value });
  }

  #place(part: ShardFlush, layout: Layout): PlacedFlush {
    const writes = rowWrites(part, layout);
    return { part, layout, ...writes, full: this.#buckets.fullBuckets(layout, writes.buckets) };
  }

  /** Indexes of keys by bucket, in lists short enough for one IN clause. */
  async #groupKeys(keys: readonly RowKey[]): Promise<KeyGroup[]> {
    const layouts = new Map<number, Layout>();
    for (const { shard } of keys) if (!layouts.has(shard)) layouts.set(shard, await this.#layouts.of(shard));
    const open = new Map<string, KeyGroup>();
    const groups: KeyGroup[] = [];
    keys.forEach(({ shard, partition, key }, at) => {
      const { bucket } = layouts.get(shard)!.pieceAt(partition, key);
      const name = bucketName(shard, partition, bucket);
      let group = open.get(name);
      if (group === undefined || group.indexes.length === limits.cassandraKeysMax) {
        group = { bucket, indexes: [] };
        open.set(name, group);
        groups.push(group);
      }
      group.indexes.push(at);
    });
    return groups;
  }

  async #ask<T>(failure: string, act: () => Promise<T>): Promise<T> {
    if (this.#closed) throw new StorageError("closed", "the tables are closed");
    return await orUnavailable(failure, act());
  }
}

interface PlacedFlush {
  readonly part: ShardFlush;
  readonly layout: Layout;
  readonly batches: Statement[][];
  readonly buckets: readonly BucketWrites[];
  /** The buckets that the flush would fill too far. */
  readonly full: readonly BucketWrites[];
}

interface KeyGroup {
  readonly bucket: number;
  readonly indexes: number[];
}
