import type { types } from "cassandra-driver";
import { limits } from "#base";
import { StorageError } from "../error.ts";
import type { ChosenPartitions, Row, RowKey, RowRange, ShardFlush, Tables } from "../tables.ts";
import { blobOf, textOf } from "./blob.ts";
import { forEachBounded } from "./bounded.ts";
import { unavailable } from "./errors.ts";
import { rowWrites } from "./row-writes.ts";
import type { Session } from "./session.ts";
import { tableStatements } from "./statements.ts";
import { sweep } from "./sweep.ts";

/** Rows whose write time is their event's sequence: a late flush of an earlier owner changes nothing. */
export class CassandraTables implements Tables {
  readonly #session: Session;
  #closed = false;

  constructor(session: Session) {
    this.#session = session;
  }

  async get({ shard, partition, key }: RowKey): Promise<Uint8Array | undefined> {
    return await this.#ask("a row could not be read", async () => {
      const result = await this.#session.read(tableStatements.get, [shard, blobOf(partition), blobOf(key)]);
      return result.first()?.value ?? undefined;
    });
  }

  async getMany(keys: readonly RowKey[]): Promise<readonly (Uint8Array | undefined)[]> {
    const values = new Array<Uint8Array | undefined>(keys.length);
    await this.#ask("rows could not be read", async () => {
      await forEachBounded(groupKeys(keys), limits.cassandraRequestsMax, async (group) => {
        const { shard, partition } = keys[group[0]!]!;
        const wanted = [...new Set(group.map((at) => keys[at]!.key))].map(blobOf);
        const params = [shard, blobOf(partition), wanted];
        const found = new Map<string, Uint8Array>();
        for await (const row of this.#session.readAll(tableStatements.getMany, params))
          found.set(textOf(row.key), row.value);
        for (const at of group) values[at] = found.get(keys[at]!.key);
      });
    });
    return values;
  }

  async scan(range: RowRange): Promise<readonly Row[]> {
    if (range.limit <= 0) return [];
    if (range.to !== undefined && (range.from ?? "") >= range.to) return [];
    return await this.#ask("rows could not be scanned", async () => {
      const rows: Row[] = [];
      const params = [range.shard, blobOf(range.partition), blobOf(range.from ?? "")];
      if (range.to !== undefined) params.push(blobOf(range.to));
      for await (const row of this.#session.readAll(scanStatement(range), [...params, range.limit]))
        rows.push(rowOf(row));
      return rows;
    });
  }

  async watermark(shard: number): Promise<number> {
    return await this.#ask("a watermark could not be read", async () =>
      Number((await this.#session.read(tableStatements.watermark, [shard])).first()?.watermark ?? 0),
    );
  }

  async write(flush: readonly ShardFlush[]): Promise<void> {
    await this.#ask("rows could not be stored", async () => {
      const writes = flush.flatMap(rowWrites);
      await forEachBounded(writes, limits.cassandraRequestsMax, (statements) =>
        this.#session.write(statements),
      );
      // Only now: a watermark says that everything up to it is there for a quorum of readers.
      await forEachBounded(flush, limits.cassandraRequestsMax, ({ shard, watermark }) => {
        const params = [shard, watermark, watermark];
        return this.#session.write([{ query: tableStatements.putWatermark, params }]);
      });
    });
    // What it could not do now, it does with the next deletions.
    await sweep(this.#session, flush).catch(() => undefined);
  }

  async measure({ next, count }: ChosenPartitions): Promise<void> {
    await this.#ask("rows could not be measured", async () => {
      for await (const { shard, part, bucket } of this.#session.readAll(tableStatements.parts, [])) {
        const partition = textOf(part);
        if (next(partition) !== partition) continue;
        const params = [shard, part, bucket];
        for await (const row of this.#session.readAll(tableStatements.all, params))
          count(partition, row.key.length + row.value.length);
      }
    });
  }

  close(): void {
    this.#closed = true;
  }

  async #ask<T>(failure: string, act: () => Promise<T>): Promise<T> {
    if (this.#closed) throw new StorageError("closed", "the tables are closed");
    try {
      return await act();
    } catch (error) {
      throw unavailable(failure, error);
    }
  }
}

function rowOf(row: types.Row): Row {
  return { key: textOf(row.key), value: row.value };
}

function scanStatement({ to, reverse }: RowRange): string {
  if (reverse) return to === undefined ? tableStatements.scanBackFrom : tableStatements.scanBackBetween;
  return to === undefined ? tableStatements.scanFrom : tableStatements.scanBetween;
}

/** Indexes of keys of one partition, in lists short enough for one IN. */
function groupKeys(keys: readonly RowKey[]): number[][] {
  const open = new Map<string, number[]>();
  const groups: number[][] = [];
  keys.forEach(({ shard, partition }, at) => {
    const name = `${shard}/${partition}`;
    let group = open.get(name);
    if (group === undefined || group.length === limits.cassandraKeysMax) {
      group = [];
      open.set(name, group);
      groups.push(group);
    }
    group.push(at);
  });
  return groups;
}
