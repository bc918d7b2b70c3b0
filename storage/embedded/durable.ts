import { constants } from "node:fs";
import { type FileHandle, mkdir, open, stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { asError } from "#base";
import { StorageError } from "../error.ts";

/** A new or renamed file survives a loss of power only when its folder is synced too. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Makes a folder and its missing parents. (Node's `recursive` loops for ever below a folder in which none can be made,
 * such as /proc.)
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const { code } = asError(error);
    if (code === "EEXIST" && (await stat(path)).isDirectory()) return;
    if (code !== "ENOENT" || (await stat(dirname(path)).catch(() => undefined))) throw error;
    await makeFolder(dirname(path));
    await makeFolder(path);
  }
}

/** Bytes that may still be written to the disk of this file or folder. */
export async function diskFree(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize;
}

/** Undefined where there is no such file or folder. */
export async function ifPresent<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    const { code } = asError(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

export async function syncFile(path: string): Promise<void> {
  await withFile(path, constants.O_RDWR, (handle) => handle.sync());
}

export async function withFile<T>(
  path: string,
  flags: number,
  use: (handle: FileHandle) => Promise<T>,
): Promise<T> {
  const handle = await open(path, flags, 0o600);
  try {
    return await use(handle);
  } finally {
    await handle.close();
  }
}

export async function writeAll(handle: FileHandle, bytes: Uint8Array, offset: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, offset + done);
    done += bytesWritten;
  }
}

export function isFull(error: unknown): boolean {
  const { code, message } = asError(error);
  return (
    code === "ENOSPC" ||
    code === "EDQUOT" ||
    code === "EFBIG" ||
    /no space left|quota exceeded/i.test(message)
  );
}

export function fullError(cause: unknown): StorageError {
  return new StorageError("full", "the disk is full: writes are refused, reads go on", { cause });
}

/**
 * After a failed sync it is not known what is on disk, and a second sync may report success for pages that the kernel
 * has dropped. So nothing is retried: the whole process ends, whichever thread calls this, and recovery reads what is
 * there.
 */
export function stopProcess(reason: string, because = "it is not known what is on disk"): never {
  process.stderr.write(`storage: ${reason}; stopping, because ${because}\n`);
  process.kill(process.pid, "SIGKILL");
  throw new StorageError("closed", reason);
}
