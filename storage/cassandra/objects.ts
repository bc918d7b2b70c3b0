import { createHash, randomUUID } from "node:crypto";
import { limits } from "#base";
import { StorageError } from "../error.ts";
import type { Objects } from "../objects.ts";
import { forEachBounded } from "./bounded.ts";
import { unavailable } from "./errors.ts";
import { ObjectIndex, type StoredObject } from "./object-index.ts";
import type { Session } from "./session.ts";
import { objectStatements } from "./statements.ts";

/**
 * A body is stored in chunks under its own id, and becomes visible when the key is pointed at that id. Each chunk is
 * checked against its digest when it is read.
 */
export class CassandraObjects implements Objects {
  readonly #session: Session;
  readonly #index: ObjectIndex;

  constructor(session: Session) {
    this.#session = session;
    this.#index = new ObjectIndex(session);
  }

  async put(key: string, body: AsyncIterable<Uint8Array>): Promise<{ readonly bytes: number }> {
    const id = randomUUID();
    const digest = createHash("sha256");
    let bytes = 0;
    let chunks = 0;
    try {
      for await (const chunk of inChunks(body)) {
        digest.update(chunk);
        bytes += chunk.length;
        await this.#putChunk(id, chunks++, chunk);
      }
      const unused = await this.#index.point(key, { id, bytes, digest: digest.digest() });
      for (const stored of unused) await this.#removeChunks(stored).catch(() => undefined);
      return { bytes };
    } catch (error) {
      // Chunks that no key points to are not visible. If some stay, `service data verify` reports them.
      if (!(error instanceof StorageError && error.kind === "unknown"))
        await this.#removeChunks({ id, bytes }).catch(() => undefined);
      throw error;
    }
  }

  async get(
    key: string,
    range?: { start: number; end?: number },
  ): Promise<AsyncIterable<Uint8Array> | undefined> {
    const stored = await this.#index.find(key);
    if (stored === undefined) return undefined;
    const start = range?.start ?? 0;
    const end = Math.min(range?.end ?? stored.bytes, stored.bytes);
    return this.#read(key, stored, start, end);
  }

  async delete(key: string): Promise<void> {
    const removed = await this.#index.remove(key);
    if (removed !== undefined) await this.#removeChunks(removed).catch(() => undefined);
  }

  async *#read(key: string, stored: StoredObject, start: number, end: number): AsyncIterable<Uint8Array> {
    const size = limits.objectChunkBytes;
    for (let chunk = Math.floor(start / size); chunk * size < end; chunk++) {
      const body = await this.#chunk(key, stored, chunk);
      yield body.subarray(Math.max(0, start - chunk * size), Math.min(body.length, end - chunk * size));
    }
  }

  async #chunk(key: string, stored: StoredObject, chunk: number): Promise<Buffer> {
    const row = (
      await this.#ask(this.#session.read(objectStatements.chunk, placeOf(stored.id, chunk)))
    ).first();
    if (row === null) {
      const now = await this.#index.find(key);
      if (now?.id !== stored.id)
        throw new StorageError("unavailable", `object ${key} was replaced while it was read`);
      throw new StorageError("corrupt", `object ${key}: chunk ${chunk} is missing`);
    }
    const digest = createHash("sha256").update(row.body).digest();
    if (!digest.equals(row.digest))
      throw new StorageError("corrupt", `object ${key}: chunk ${chunk} has changed`);
    return row.body;
  }

  async #putChunk(id: string, chunk: number, body: Buffer): Promise<void> {
    const digest = createHash("sha256").update(body).digest();
    const params = [...placeOf(id, chunk), body, digest];
    await this.#ask(this.#session.write([{ query: objectStatements.putChunk, params }]));
  }

  async #removeChunks({ id, bytes }: Pick<StoredObject, "id" | "bytes">): Promise<void> {
    const chunks = Math.ceil(bytes / limits.objectChunkBytes);
    const segments = Array.from({ length: Math.ceil(chunks / limits.objectSegmentChunks) }, (_, at) => at);
    await forEachBounded(segments, limits.cassandraInFlightMax, (segment) =>
      this.#session.write([{ query: objectStatements.removeSegment, params: [id, segment] }]),
    );
  }

  async #ask<T>(work: Promise<T>): Promise<T> {
    return await work.catch((error: unknown) => {
      throw unavailable("an object could not be reached", error);
    });
  }
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
