import { existsSync } from "node:fs";
import { mkdir, rename, rm, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as nextLoop } from "node:timers/promises";
import { limits } from "#base";
import { StorageError } from "../error.ts";
import type { Log } from "../storage.ts";
import { syncFile, syncFolder } from "./durable.ts";
import { openEnvironment } from "./environment.ts";
import { createGeneration, dataFormat, formatOf } from "./generation.ts";
import { readFirstGeneration } from "./generation-1.ts";
import { folders } from "./layout.ts";
import { keyHash, rowChecksumBytes, sealRow } from "./row-value.ts";
import { readPages } from "./tables-check.ts";

/**
 * Brings a folder of data format 1 to the present one: its rows get checksums, its generation file a list of segments.
 * New tables are made beside the old ones. Writing the new generation file is the switch. Before it the folder has
 * format 1, the build that wrote it can still open it, and an interrupted upgrade starts over. After it only the new
 * tables count, and a start continues to put them in place.
 */
export async function upgradeFolder(dir: string, log: Log): Promise<void> {
  const { generation: path, tables } = folders(dir);
  const [making, made] = [`${tables}.upgrading`, upgradedTables(dir)];
  if (!existsSync(path)) return;
  if ((await formatOf(path)) === 1) {
    const generation = await readFirstGeneration(path);
    for (const left of [making, made]) await rm(left, { recursive: true, force: true });
    log(`${dir} has data format 1 and is upgraded to format ${dataFormat}`);
    // Before the first open the tables are empty.
    if (generation.number > 0) {
      await readPages(tables, true, () => undefined);
      await requireRoom(tables);
      const rows = await sealRows(tables, making);
      await rename(making, made);
      await syncFolder(dir);
      log(`${rows} rows in ${tables} have checksums now`);
    }
    await createGeneration(path, generation);
    log(`${dir} has data format ${dataFormat} now; builds that read only format 1 refuse it`);
  }
  if (!existsSync(made)) return;
  await rm(tables, { recursive: true, force: true });
  await rename(made, tables);
  await syncFolder(dir);
}

/** New tables that are complete and have yet to be renamed. */
export function upgradedTables(dir: string): string {
  return `${folders(dir).tables}.upgraded`;
}

/** Checks the room for a second file of about the size of the first, with a checksum per row. */
async function requireRoom(tables: string): Promise<void> {
  const { size } = await stat(join(tables, "data.mdb"));
  const needed = Math.ceil(size * 1.25) + limits.tablesRoomBytesMin;
  const { bavail, bsize } = await statfs(tables);
  if (bavail * bsize >= needed) return;
  const mebibytes = (bytes: number) => Math.floor(bytes / 2 ** 20);
  throw new StorageError(
    "full",
    `the upgrade to data format ${dataFormat} needs ${mebibytes(needed)} MiB in ${tables}, and ${mebibytes(bavail * bsize)} MiB are free; nothing was changed`,
  );
}

/** Copies all rows and watermarks, with checksums. Returns how many. */
async function sealRows(from: string, to: string): Promise<number> {
  await mkdir(to, { mode: 0o700 });
  const source = openEnvironment(from, copying);
  const target = openEnvironment(to);
  let rows = 0;
  try {
    for (let start: string | undefined = ""; start !== undefined; await nextLoop()) {
      const slice = sliceFrom(source, start);
      target.transactionSync(() => {
        for (const { key, stored } of slice) target.putSync(key, stored);
      });
      rows += slice.length;
      start = slice.length === 0 ? undefined : `${slice.at(-1)!.key}\0`;
    }
  } finally {
    await target.close();
    await source.close();
  }
  await syncFile(join(to, "data.mdb"));
  await syncFolder(to);
  return rows;
}

function sliceFrom(source: ReturnType<typeof openEnvironment>, start: string) {
  const slice: { readonly key: string; readonly stored: Buffer }[] = [];
  let bytes = 0;
  for (const { key, value } of source.getRange({ start, limit: limits.tablesSliceRowsMax })) {
    const stored = Buffer.concat([value, Buffer.alloc(rowChecksumBytes)]);
    sealRow(stored, 0, value.length, keyHash(key));
    slice.push({ key, stored });
    bytes += key.length + stored.length;
    if (bytes >= limits.tablesSliceBytesMax) break;
  }
  return slice;
}

/** Rows of format 1 are the value alone; copied, because the driver reuses its buffer. */
const copying = {
  decode(room: Buffer): Buffer {
    return Buffer.from(new Uint8Array(room.buffer, room.byteOffset, room.length));
  },
};
