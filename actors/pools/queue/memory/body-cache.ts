import { firstKeyOf, limits, takeFrom } from "#base";
import type { Body, Item } from "../rows/item.ts";

/** Shared: most queues ask for nothing ahead. */
const none: readonly Item[] = [];

/** Payloads of items that are about to be claimed, bounded by bytes; the rest are in the rows. */
export class BodyCache {
  readonly #bodies = new Map<string, { readonly body: Body; readonly bytes: number }>();
  #bytes = 0;
  #ahead: readonly Item[] = none;

  get bytes(): number {
    return this.#bytes;
  }

  get(id: string): Body | undefined {
    return this.#bodies.get(id)?.body;
  }

  set(id: string, body: Body, bytes: number): void {
    const entry = { body, bytes: bytes + overheadBytes };
    this.#bytes += entry.bytes - (this.#bodies.get(id)?.bytes ?? 0);
    this.#bodies.set(id, entry);
    while (this.#bytes > limits.queueBodyCacheBytesMax && this.#bodies.size > 1)
      this.delete(firstKeyOf(this.#bodies)!);
  }

  /** These payloads are read together with the ones that a claim needs: when it runs again with them, it takes this list. */
  expect(ahead: readonly Item[]): void {
    this.#ahead = ahead;
  }

  takeExpected(): readonly Item[] {
    const ahead = this.#ahead;
    this.#ahead = none;
    return ahead;
  }

  delete(id: string): void {
    this.#bytes -= takeFrom(this.#bodies, id)?.bytes ?? 0;
  }
}

/** Map entry and objects, beside the payload itself. */
const overheadBytes = 200;
