import { setImmediate as nextLoop } from "node:timers/promises";
import type { RootDatabase } from "lmdb";
import { corrupt, type StorageError } from "../error.ts";
import type { PortClient } from "../port.ts";
import type { Row, Tables } from "../tables.ts";
import { openEnvironment } from "./environment.ts";
import { encodeFlush } from "./flush-codec.ts";
import { measureSome } from "./measure.ts";
import { keyOf, rangeKeys, rowKey, rowName, watermarkKey } from "./row-key.ts";
import { corruptRow, openRow } from "./row-value.ts";
import type { Status } from "./status.ts";
import type { TablesWriter } from "./writer-thread.ts";

/** Reads the environment directly; writes go to the one writer thread. */
export function embeddedTables(
  path: string,
  writer: PortClient<TablesWriter>,
  status: Status,
): Tables & { close(): Promise<void> } {
  const database = openEnvironment(path, { readOnly: true });
  let seenVersion = -1;

  /**
   * The reader's snapshot lasts for one iteration of the event loop; a transaction that was finished meanwhile must be
   * visible.
   */
  function current(): RootDatabase<Buffer, string> {
    const version = status.tablesVersion;
    if (version !== seenVersion) {
      seenVersion = version;
      database.resetReadTxn();
    }
    return database;
  }

  function read(shard: number, key: string): Buffer | undefined {
    try {
      const stored = current().get(key);
      return stored && sound(shard, key, stored);
    } catch (error) {
      throw readError(shard, error);
    }
  }

  return {
    get: async ({ shard, partition, key }) => read(shard, rowKey(shard, partition, key)),
    getMany: async (keys) =>
      keys.map(({ shard, partition, key }) => read(shard, rowKey(shard, partition, key))),
    async scan({ shard, partition, from, to, limit, reverse }) {
      const { start, end } = rangeKeys(shard, partition, from, to);
      if (limit <= 0 || start >= end) return [];
      // A reverse range starts at its greatest key; inclusive and exclusive ends are swapped.
      const range = reverse
        ? { start: end, end: start, reverse, exclusiveStart: true, inclusiveEnd: true, limit }
        : { start, end, limit };
      const rows: Row[] = [];
      try {
        let last: string | undefined;
        for (const { key, value: stored } of current().getRange(range)) {
          // The driver follows corrupt branch pages wherever they lead.
          if (last !== undefined && (reverse ? key >= last : key <= last)) throw outOfOrder(shard, key);
          last = key;
          rows.push({ key: keyOf(key, partition), value: sound(shard, key, stored) });
        }
      } catch (error) {
        throw readError(shard, error);
      }
      return rows;
    },
    /** In short turns, each with its own snapshot, so that no page is kept from being reused for long. */
    async measure(chosen) {
      for (let from: string | undefined = ""; from !== undefined; await nextLoop())
        from = measureSome(current(), chosen, from);
    },
    watermark: async (shard) => read(shard, watermarkKey(shard))?.readDoubleBE(0) ?? 0,
    async write(flush) {
      const encoded = encodeFlush(flush);
      await writer.call("write", [encoded], [encoded]);
    },
    close: () => database.close(),
  };
}

function sound(shard: number, key: string, stored: Buffer): Buffer {
  const value = openRow(key, stored);
  if (!value) throw corruptRow(shard, key);
  return value;
}

function outOfOrder(shard: number, key: string): StorageError {
  const message = `the rows of shard ${shard} cannot be read: ${rowName(key)} is out of order`;
  return corrupt(message, { shard });
}

/** The driver's errors for pages that contradict each other (MDB_PAGE_NOTFOUND, MDB_CORRUPTED). */
const corruptCodes: readonly unknown[] = [-30_797, -30_796];

function readError(shard: number, error: unknown): unknown {
  const { code, message } = error as { code?: unknown; message: string };
  if (!corruptCodes.includes(code)) return error;
  return corrupt(`the rows of shard ${shard} cannot be read: ${message}`, {
    shard,
    cause: error,
  });
}
