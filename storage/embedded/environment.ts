import { stat, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { open, type RootDatabase } from "lmdb";
import { limits } from "#base";
import { StorageError } from "../error.ts";

/** Copies a value out of the driver's buffer, which the driver reuses. */
export interface ValueDecoder {
  decode(room: Buffer): Buffer;
}

/**
 * The LMDB environment of the tables. Every transaction is synced before it counts: without that, pages lost in a power
 * loss leave files that cannot be read. The path is always a folder, so `noSubdir` is set explicitly: the driver takes
 * a name with a dot for a file. With a `reader` the environment is read-only, and values are what the reader decodes.
 */
export function openEnvironment(path: string, reader?: ValueDecoder): RootDatabase<Buffer, string> {
  try {
    return open<Buffer, string>({
      path,
      noSubdir: false,
      // The driver's types do not include this option.
      ...{ permissionsMode: 0o600 },
      readOnly: reader !== undefined,
      keyEncoder: byteTexts,
      encoding: "binary",
      ...(reader && { encoder: reader }),
      overlappingSync: false,
      noMemInit: false,
    });
  } catch (error) {
    // For example too many open files. The driver's message does not name the folder.
    const { message } = error as Error;
    throw new StorageError("unavailable", `the tables in ${path} cannot be opened: ${message}`, {
      cause: error,
    });
  }
}

/** Keys are strings of one character per byte. As Buffers, each would take its own memory allocation. */
const byteTexts = {
  writeKey(key: string, into: Buffer, at: number): number {
    return at + into.write(key, at, "latin1");
  },
  readKey(from: Buffer, start: number, end: number): string {
    return from.toString("latin1", start, end);
  },
};

/**
 * New files need room: if the disk is too full for them, the driver ends the process without a message. Existing files
 * need none, so a full disk can be opened for reading.
 */
export async function requireRoom(path: string): Promise<void> {
  const sizes = await Promise.all(["data.mdb", "lock.mdb"].map((file) => sizeOf(join(path, file))));
  if (sizes.every((bytes) => bytes > 0)) return;
  const { bavail, bsize } = await statfs(dirname(path));
  const [free, needed] = [bavail * bsize, limits.tablesMadeRoomBytesMin];
  if (free < needed)
    throw new StorageError(
      "full",
      `the disk is full: creating the tables in ${path} takes ${needed / 1_024} KiB, and ${Math.floor(free / 1_024)} KiB are free`,
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
