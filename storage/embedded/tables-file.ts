/**
 * Checks the tables' file before the driver opens it. If the driver fails to open an environment in a thread, the whole
 * process ends when that thread ends. And reading a page beyond the end of the file, through its memory map, ends the
 * process without a message (SIGBUS).
 */
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { StorageError } from "../error.ts";

export const pageBytes = 4_096;

/** `made`: the file must exist. Otherwise a missing or empty file is about to be made. */
export async function inspectTables(path: string, made: boolean): Promise<void> {
  const file = join(path, "data.mdb");
  const handle = await open(file, "r").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
  if (!handle) {
    if (made) throw damaged(path, `${file} is missing`);
    return;
  }
  try {
    const { size } = await handle.stat();
    if (size === 0 && !made) return;
    const meta = await newestMeta(handle, path, file, size);
    if (size >= (meta.lastPage + 1) * pageBytes) return;
    // Pages at the end that were freed in the transaction that allocated them are never written.
    const page = await pageBehind(handle, meta, Math.floor(size / pageBytes));
    if (page !== undefined)
      throw damaged(
        path,
        `${file} is cut short: it has ${size} bytes, and offset ${page * pageBytes} is used`,
      );
  } finally {
    await handle.close();
  }
}

interface Meta {
  readonly transaction: bigint;
  readonly lastPage: number;
  /** Root pages of the list of free pages and of the rows. */
  readonly roots: readonly bigint[];
}

/**
 * Their magic numbers are written once, when the environment is made. Of the two, the one with the later transaction is
 * valid.
 */
async function newestMeta(handle: FileHandle, path: string, file: string, size: number): Promise<Meta> {
  const metas: Meta[] = [];
  for (const number of [0, 1]) {
    const page = Buffer.alloc(pageBytes);
    await handle.read(page, 0, pageBytes, number * pageBytes);
    if (size < (number + 1) * pageBytes || page.readUInt32LE(24) !== 0xbeefc0de)
      throw damaged(path, `${file} is damaged at offset ${number * pageBytes}`);
    metas.push({
      transaction: page.readBigUInt64LE(152),
      lastPage: Number(page.readBigUInt64LE(144)),
      roots: [page.readBigUInt64LE(88), page.readBigUInt64LE(136)],
    });
  }
  return metas.reduce((a, b) => (a.transaction > b.transaction ? a : b));
}

/** The first page found that is in use and lies beyond the file's `count` pages. */
async function pageBehind(handle: FileHandle, meta: Meta, count: number): Promise<number | undefined> {
  const next = meta.roots.filter((root) => root !== noPage).map(Number);
  const page = Buffer.alloc(pageBytes);
  // The loop is bounded, because damaged pages may refer to each other in a circle.
  for (let read = 0; next.length > 0 && read <= meta.lastPage; read++) {
    const number = next.pop()!;
    if (number >= count) return number;
    await handle.read(page, 0, pageBytes, number * pageBytes);
    for (const { first, pages } of references(page)) {
      if (first + pages > count) return first + pages - 1;
      // The pages of a long value refer to no others.
      if (page.readUInt16LE(flagsAt) & branchPage) next.push(first);
    }
  }
  return;
}

/**
 * The nodes of a branch page refer to the pages below it. Marked nodes of a leaf page refer to the pages of a long
 * value.
 */
function* references(page: Buffer): Iterable<{ first: number; pages: number }> {
  const branch = (page.readUInt16LE(flagsAt) & branchPage) !== 0;
  const nodes = Math.min(page.readUInt16LE(20), pageBytes - pageHeaderBytes) >> 1;
  for (let node = 0; node < nodes; node++) {
    const at = pageHeaderBytes + page.readUInt16LE(pageHeaderBytes + node * 2);
    if (at + nodeHeaderBytes > pageBytes) continue;
    if (branch) yield { first: page.readUIntLE(at, 6), pages: 1 };
    else if (page.readUInt16LE(at + 4) & longValue) {
      const value = at + nodeHeaderBytes + page.readUInt16LE(at + 6);
      if (value + 24 > pageBytes) continue;
      yield { first: page.readUIntLE(value, 6), pages: page.readUIntLE(value + 16, 6) };
    }
  }
}

function damaged(path: string, what: string): StorageError {
  return new StorageError("corrupt", `the tables in ${path} cannot be opened: ${what}`);
}

const noPage = 0xffff_ffff_ffff_ffffn;
const pageHeaderBytes = 24;
const nodeHeaderBytes = 8;
const flagsAt = 18;
const branchPage = 1;
const longValue = 1;
