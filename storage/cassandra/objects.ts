import { createHash, randomUUID } from "node:crypto";
import { limits } from "#base";
import { corrupt, StorageError } from "../error.ts";
import type { Objects } from "../storage.ts";
import { forEachBounded } from "./bounded.ts";
import { orUnavailable } from "./errors.ts";
import { ObjectIndex, type StoredObject } from "./object-index.ts";
import type { Session } from "./session.ts";
import { objectStatements } from "./statements.ts";

/**
 * A body is stored in chunks under its own id, and becomes visible when the key is pointed at that id. Each chunk is
 * checked against its digest when it is read.
 */
export function cassandraObjects(session: Session): Objects {
  const index = new ObjectIndex(session);

  async function* read(key: string, stored: StoredObject, start: number, end: number) {
    const size = limits.objectChunkBytes;
    for (let chunk = Math.floor(start / size); chunk * size < end; chunk++) {
      const body = await readChunk(key, stored, chunk);
      yield body.subarray(Math.max(0, start - chunk * size), Math.min(body.length, end - chunk * size));
    }
  }

  async function readChunk(key: string, stored: StoredObject, chunk: number): Promise<Buffer> {
    const row = (await reach(session.read(objectStatements.chunk, placeOf(stored.id, chunk)))).first();
    if (row === null) {
      const now = await index.find(key);
      if (now?.id !== stored.id)
        throw new StorageError("unavailable", `object ${key} was replaced while it was read`);
      throw corrupt(`object ${key}: chunk ${chunk} is missing`);
    }
    if (!digestOf(row.body).equals(row.digest)) throw corrupt(`object ${key}: chunk ${chunk} has changed`);
    return row.body;
  }

  return {
    async put(key, body) {
      const id = randomUUID();
      const digest = createHash("sha256");
      let bytes = 0;
      let chunks = 0;
      try {
        for await (const chunk of inChunks(body)) {
          digest.update(chunk);
          bytes += chunk.length;
          const params = [...placeOf(id, chunks++), chunk, digestOf(chunk)];
          await reach(session.write([{ query: objectStatements.putChunk, params }]));
        }
        const unused = await index.point(key, { id, bytes, digest: digest.digest() });
        for (const stored of unused) await removeChunks(session, stored);
        return { bytes };
      } catch (error) {
        if (!(error instanceof StorageError && error.kind === "unknown"))
          await removeChunks(session, { id, bytes });
        throw error;
      }
    },
    async get(key, range) {
      const stored = await index.find(key);
      if (stored === undefined) return undefined;
      return read(key, stored, range?.start ?? 0, Math.min(range?.end ?? stored.bytes, stored.bytes));
    },
    async delete(key) {
      const removed = await index.remove(key);
      if (removed !== undefined) await removeChunks(session, removed);
    },
  };
}

/** Chunks that no key points to are not visible. If some stay, `service data verify` reports them. */
async function removeChunks(
  session: Session,
  { id, bytes }: Pick<StoredObject, "id" | "bytes">,
): Promise<void> {
  const chunks = Math.ceil(bytes / limits.objectChunkBytes);
  const segments = Array.from({ length: Math.ceil(chunks / limits.objectSegmentChunks) }, (_, at) => at);
  await forEachBounded(segments, limits.cassandraInFlightMax, (segment) =>
    session.write([{ query: objectStatements.removeSegment, params: [id, segment] }]),
  ).catch(() => undefined);
}

function reach<T>(work: Promise<T>): Promise<T> {
  return orUnavailable("an object could not be reached", work);
}

function digestOf(chunk: Buffer): Buffer {
  return createHash("sha256").update(chunk).digest();
}

/** Where a chunk of a body is: id, segment, chunk. */
export function placeOf(id: string, chunk: number): [string, number, number] {
  return [id, Math.floor(chunk / limits.objectSegmentChunks), chunk];
}

async function* inChunks(body: AsyncIterable<Uint8Array>): AsyncIterable<Buffer> {
  let parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body) {
    parts.push(part);
    bytes += part.length;
    if (bytes < limits.objectChunkBytes) continue;
    const joined = Buffer.concat(parts);
    let at = 0;
    for (; bytes - at >= limits.objectChunkBytes; at += limits.objectChunkBytes)
      yield joined.subarray(at, at + limits.objectChunkBytes);
    parts = [joined.subarray(at)];
    bytes -= at;
  }
  if (bytes > 0) yield Buffer.concat(parts);
}
