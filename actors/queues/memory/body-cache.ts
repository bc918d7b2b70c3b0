import { IdMap, limits } from "#base";
import type { Body } from "../rows/item.ts";

/** Payloads of items that are about to be claimed, bounded by bytes; the rest are in the rows. */
export class BodyCache {
  readonly #bodies = new IdMap<{ readonly body: Body; readonly bytes: number }>();
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  get(id: string): Body | undefined {
    return this.#bodies.get(id)?.body;
  }

  set(id: string, body: Body, bytes: number): void {
    const entry = { body, bytes: bytes + overheadBytes };
    this.#bytes += entry.bytes - (this.#bodies.set(id, entry)?.bytes ?? 0);
    while (this.#bytes > limits.queueBodyCacheBytesMax && this.#bodies.size > 1)
      this.delete(this.#bodies.firstKey!);
  }

  delete(id: string): void {
    this.#bytes -= this.#bodies.delete(id)?.bytes ?? 0;
  }
}

/** Map entry and objects, beside the payload itself. */
const overheadBytes = 200;
