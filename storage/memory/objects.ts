import type { Objects } from "../objects.ts";
import type { MemoryHandle } from "./handle.ts";

export class MemoryObjects implements Objects {
  readonly #handle: MemoryHandle;

  constructor(handle: MemoryHandle) {
    this.#handle = handle;
  }

  async put(key: string, body: AsyncIterable<Uint8Array>): Promise<{ readonly bytes: number }> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(Buffer.from(chunk));
    const bytes = Buffer.concat(chunks);
    return this.#handle.run({ type: "putObject", key }, () => {
      this.#handle.store.objects.set(key, bytes);
      return { bytes: bytes.length };
    });
  }

  get(key: string, range?: { start: number; end?: number }): Promise<AsyncIterable<Uint8Array> | undefined> {
    return this.#handle.run({ type: "getObject", key }, () => {
      const bytes = this.#handle.store.objects.get(key);
      return bytes && oneChunk(bytes.subarray(range?.start ?? 0, range?.end));
    });
  }

  delete(key: string): Promise<void> {
    return this.#handle.run({ type: "deleteObject", key }, () => {
      this.#handle.store.objects.delete(key);
    });
  }
}

async function* oneChunk(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  if (bytes.length > 0) yield Buffer.from(bytes);
}
