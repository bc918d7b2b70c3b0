import { limits } from "#base";
import type { Body } from "../rows/item.ts";

/** Payloads of items that are about to be claimed, bounded by bytes; the rest are in the rows. */
export class BodyCache {
  readonly #bodies = new Map<string, { readonly body: Body; readonly bytes: number }>();
  #bytes = 0;

  get(id: string): Body | undefined {
    return this.#bodies.get(id)?.body;
  }

  set(id: string, body: Body, bytes: number): void {
    this.delete(id);
    this.#bodies.set(id, { body, bytes: bytes + overheadBytes });
    this.#bytes += bytes + overheadBytes;
    while (this.#bytes > limits.queueBodyCacheBytesMax && this.#bodies.size > 1)
      this.delete(this.#bodies.keys().next().value!);
  }

  delete(id: string): void {
    const entry = this.#bodies.get(id);
    if (entry === undefined) return;
    this.#bodies.delete(id);
    this.#bytes -= entry.bytes;
  }
}

/** Map entry and objects, beside the payload itself. */
const overheadBytes = 200;
