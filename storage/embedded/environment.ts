import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { open, type RootDatabase } from "lmdb";
import { asError, limits } from "#base";
import { StorageError } from "../error.ts";
import { diskFree, ifPresent } from "./durable.ts";

/**
 * The LMDB environment of the tables. Every transaction is synced before it counts: without that, pages lost in a power
 * loss leave files that cannot be read. The path is always a folder, so `noSubdir` is set explicitly: the driver takes
 * a name with a dot for a file.
 */
export function openEnvironment(
  path: string,
  { readOnly } = { readOnly: false },
): RootDatabase<Buffer, string> {
  try {
    return open<Buffer, string>({
      path,
      noSubdir: false,
      // The driver's types do not include this option.
      ...{ permissionsMode: 0o600 },
      readOnly,
      keyEncoder: byteTexts,
      encoding: "binary",
      ...(readOnly && { encoder: pooled }),
      overlappingSync: false,
      noMemInit: false,
    });
  } catch (error) {
    // For example too many open files. The driver's message does not name the folder.
    const { message } = asError(error);
    throw new StorageError("unavailable", `the tables in ${path} cannot be opened: ${message}`, {
      cause: error,
    });
  }
}

/** The driver reuses its buffer, so the value is copied: into Node's pool, which saves an allocation per value. */
const pooled = {
  decode(room: Buffer): Buffer {
    const value = Buffer.allocUnsafe(room.length);
    // The driver sets the `length` of its buffer to that of the value.
    value.set(new Uint8Array(room.buffer, room.byteOffset, room.length));
    return value;
  },
};

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
  const files = await Promise.all(["data.mdb", "lock.mdb"].map((file) => ifPresent(stat(join(path, file)))));
  if (files.every((file) => file && file.size > 0)) return;
  const [free, needed] = [await diskFree(dirname(path)), limits.tablesMadeRoomBytesMin];
  if (free < needed)
    throw new StorageError(
      "full",
      `the disk is full: creating the tables in ${path} takes ${needed / 1_024} KiB, and ${Math.floor(free / 1_024)} KiB are free`,
    );
}
