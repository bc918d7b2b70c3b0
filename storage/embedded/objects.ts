import { createHash, randomUUID } from "node:crypto";
import { constants, existsSync } from "node:fs";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { limits } from "#base";
import type { Objects } from "../storage.ts";
import { fullError, isFull, syncFolder, withFile, writeAll } from "./durable.ts";

/** One file per object, named by the hash of its key in one of 256 folders. */
export function embeddedObjects(dir: string): Objects {
  const pathOf = (key: string) => {
    const name = createHash("sha256").update(key).digest("hex");
    return join(dir, name.slice(0, 2), name);
  };
  return {
    /** Written under another name, synced, then renamed: a reader sees the old body or the new one. */
    async put(key, body) {
      const path = pathOf(key);
      const folder = dirname(path);
      const temporary = join(dir, temporaryFolder, randomUUID());
      try {
        const bytes = await writeBody(temporary, body);
        if ((await mkdir(folder, { recursive: true, mode: 0o700 })) !== undefined) await syncFolder(dir);
        await rename(temporary, path);
        await syncFolder(folder);
        return { bytes };
      } catch (error) {
        await rm(temporary, { force: true });
        throw isFull(error) ? fullError(error) : error;
      }
    },
    /** The file is opened when the body is first read, so that a body that is never read leaves no file open. */
    async get(key, range) {
      const path = pathOf(key);
      return existsSync(path) ? readBody(path, range?.start ?? 0, range?.end) : undefined;
    },
    async delete(key) {
      const path = pathOf(key);
      if (!existsSync(path)) return;
      await rm(path, { force: true });
      await syncFolder(dirname(path));
    },
  };
}

export const temporaryFolder = "incoming";

/** Removes bodies whose put did not finish before the process ended. */
export async function clearTemporary(dir: string): Promise<void> {
  await rm(join(dir, temporaryFolder), { recursive: true, force: true });
  await mkdir(join(dir, temporaryFolder), { recursive: true, mode: 0o700 });
}

function writeBody(path: string, body: AsyncIterable<Uint8Array>): Promise<number> {
  return withFile(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, async (handle) => {
    let bytes = 0;
    for await (const chunk of body) {
      await writeAll(handle, chunk, bytes);
      bytes += chunk.length;
    }
    await handle.sync();
    return bytes;
  });
}

async function* readBody(
  path: string,
  start: number,
  end = Number.MAX_SAFE_INTEGER,
): AsyncIterable<Uint8Array> {
  const handle = await open(path, "r");
  try {
    for (let at = start; at < end; ) {
      const chunk = Buffer.allocUnsafe(Math.min(limits.objectChunkBytes, end - at));
      const { bytesRead } = await handle.read(chunk, 0, chunk.length, at);
      if (bytesRead === 0) return;
      yield chunk.subarray(0, bytesRead);
      at += bytesRead;
    }
  } finally {
    await handle.close();
  }
}
