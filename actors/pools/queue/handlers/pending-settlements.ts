import { limits } from "#base";
import { sizeOfPlain } from "#runtime";
import type { EntryRequest } from "./request.ts";

/** What a worker has settled and its queue has not been asked yet. */
export class PendingSettlements {
  #entries: EntryRequest[] = [];
  /** Of the results and the progress among them. */
  #bytes = 0;

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  get isFull(): boolean {
    return this.#entries.length >= limits.workPendingMax || this.#bytes >= limits.streamAheadBytesMax;
  }

  add(entry: EntryRequest): void {
    this.#entries.push(entry);
    this.#bytes += resultBytes(entry);
  }

  /** As many as a batch has, and not more bytes than the queue's mailbox takes. */
  next(): EntryRequest[] {
    const most = Math.min(this.#entries.length, limits.settleBatchMax);
    let bytes = 0;
    let count = 0;
    while (count < most && bytes < limits.streamAheadBytesMax) bytes += resultBytes(this.#entries[count++]!);
    this.#bytes -= bytes;
    return this.#entries.splice(0, count);
  }
}

/** Everything else of a settlement is short. */
function resultBytes({ result, progress }: EntryRequest): number {
  return (result === undefined ? 0 : sizeOfPlain(result)) + (progress ? sizeOfPlain(progress) : 0);
}
