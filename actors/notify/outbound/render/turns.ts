import { limits } from "#base";

interface Line<T> {
  readonly tenant: string;
  readonly waiting: T[];
  bytes: number;
  /** Batches under way. */
  running: number;
}

/** What waits to be rendered: a batch is of one tenant, tenants take turns, and none fills the line or all threads. */
export class RenderTurns<T extends { readonly tenant: string; readonly bytes: number }> {
  readonly #lines = new Map<string, Line<T>>();
  /** The turn after this many batches of one tenant is another's. */
  readonly #runningMax: number;
  #count = 0;
  #bytes = 0;

  constructor(threads: number) {
    this.#runningMax = Math.max(1, threads - 1);
  }

  /** False: its tenant has as many waiting as may be, or all tenants together have. */
  add(one: T): boolean {
    const { tenant, bytes } = one;
    const line = this.#lines.get(tenant) ?? { tenant, waiting: [], bytes: 0, running: 0 };
    if (
      line.waiting.length >= limits.rendersWaitingOfTenantMax ||
      line.bytes + bytes > limits.renderWaitingBytesOfTenantMax ||
      this.#count >= limits.rendersWaitingMax ||
      this.#bytes + bytes > limits.renderWaitingBytesMax
    )
      return false;
    this.#lines.set(tenant, line);
    line.waiting.push(one);
    this.#change(line, 1, bytes);
    return true;
  }

  /** The jobs of the tenant whose turn it is. `ended` takes those back that did not run: they are the first of its next turn. */
  next(): { readonly batch: readonly T[]; readonly ended: (again: readonly T[]) => void } | undefined {
    for (const line of this.#lines.values()) {
      if (line.waiting.length === 0 || line.running >= this.#runningMax) continue;
      const batch = line.waiting.splice(0, limits.renderBatchMax);
      this.#change(line, -batch.length, -bytesOf(batch));
      line.running++;
      // Behind all others.
      this.#lines.delete(line.tenant);
      this.#lines.set(line.tenant, line);
      return { batch, ended: (again) => this.#ended(line, again) };
    }
    return undefined;
  }

  drain(): T[] {
    const all = [...this.#lines.values()].flatMap(({ waiting }) => waiting.splice(0));
    this.#lines.clear();
    return all;
  }

  #ended(line: Line<T>, again: readonly T[]): void {
    line.running--;
    line.waiting.unshift(...again);
    this.#change(line, again.length, bytesOf(again));
    if (line.waiting.length === 0 && line.running === 0) this.#lines.delete(line.tenant);
  }

  #change(line: Line<T>, count: number, bytes: number): void {
    line.bytes += bytes;
    this.#count += count;
    this.#bytes += bytes;
  }
}

function bytesOf(batch: readonly { readonly bytes: number }[]): number {
  return batch.reduce((sum, { bytes }) => sum + bytes, 0);
}
