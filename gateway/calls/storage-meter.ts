import { limits } from "#base";
import type { Runtime } from "#runtime";
import { StorageError } from "#storage";

/**
 * What the tenants that have a limit of `storage_bytes` have stored, as far as this thread serves them. It is measured once a
 * second, and less often where that takes long: a tenant may write over its limit for as long as that.
 */
export class StorageMeter {
  readonly #source: Pick<Runtime, "storedBytes">;
  readonly #limited: () => readonly string[];
  #bytes: ReadonlyMap<string, number> = new Map();
  #timer: NodeJS.Timeout;
  #isClosed = false;

  constructor(source: Pick<Runtime, "storedBytes">, limited: () => readonly string[]) {
    this.#source = source;
    this.#limited = limited;
    this.#timer = this.#after(limits.storageMeasureMs);
  }

  /** As last measured; 0: not yet. */
  bytesOf(tenant: string): number {
    return this.#bytes.get(tenant) ?? 0;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #after(ms: number): NodeJS.Timeout {
    return setTimeout(() => void this.#measure(), ms).unref();
  }

  async #measure(): Promise<void> {
    const beganMs = performance.now();
    const tenants = this.#limited();
    if (tenants.length > 0) await this.#look(tenants);
    else this.#bytes = new Map();
    const tookMs = performance.now() - beganMs;
    if (!this.#isClosed)
      this.#timer = this.#after(Math.max(limits.storageMeasureMs, tookMs * limits.storageMeasurePauses));
  }

  async #look(tenants: readonly string[]): Promise<void> {
    try {
      this.#bytes = await this.#source.storedBytes(tenants);
    } catch (error) {
      // While the store cannot be read, what was measured last stays.
      if (!(error instanceof StorageError)) throw error;
    }
  }
}
