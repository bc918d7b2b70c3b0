import { stat, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { open, type RootDatabase } from "lmdb";
import { limits } from "#base";
import { StorageError } from "../error.ts";

/** Makes a value of the driver's room, which is used again. */
export interface ValueDecoder {
  decode(room: Buffer): Buffer;
}

/**
 * The tables' LMDB environment. Every transaction is synced before it counts: without that, pages lost with the power
 * leave files that cannot be read. The path is a folder even if its name has a dot, so `noSubdir` is said explicitly.
 * With a `reader` it is read only, and values are what it decodes.
 */
export function openEnvironment(path: string, reader?: ValueDecoder): RootDatabase<Buffer, string> {
  try {
    return open<Buffer, string>({
      path,
      noSubdir: false,
      // The driver's types do not know it.
      ...{ permissionsMode: 0o600 },
      readOnly: reader !== undefined,
      keyEncoder: byteTexts,
      encoding: "binary",
      ...(reader && { encoder: reader }),
      overlappingSync: false,
      noMemInit: false,
    });
  } catch (error) {
    // Too many open files, for example: the driver's own words do not say where.
    const { message } = error as Error;
    throw new StorageError("unavailable", `the tables in ${path} cannot be opened: ${message}`, {
      cause: error,
    });
  }
}

/** Keys as texts of one character a byte; the driver's own bytes would each have a block of memory of their own. */
const byteTexts = {
  writeKey(key: string, into: Buffer, at: number): number {
    return at + into.write(key, at, "latin1");
  },
  readKey(from: Buffer, start: number, end: number): string {
    return from.toString("latin1", start, end);
  },
};

/**
 * Files that have yet to be made need room: the driver takes a disk too full for them as it comes, and the process ends
 * without a word. Files that are there need none, and a full disk can be opened for reading.
 */
export async function requireRoom(path: string): Promise<void> {
  const sizes = await Promise.all(["data.mdb", "lock.mdb"].map((file) => sizeOf(join(path, file))));
  if (sizes.every((bytes) => bytes > 0)) return;
  const { bavail, bsize } = await statfs(dirname(path));
  const [free, needed] = [bavail * bsize, limits.tablesMadeRoomBytesMin];
  if (free < needed)
    throw new StorageError(
      "full",
      `the disk is full: the tables in ${path} cannot be made, which takes ${needed / 1_024} KiB; ${Math.floor(free / 1_024)} KiB are free`,
    );
}

async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return 0;
    throw error;
  }
}
