/** Who waits in a thread for events, by tenant: an event wakes the readers of its own tenant only. */
export class EventReaders {
  readonly #byTenant = new Map<string, Set<() => void>>();

  /** Calls `listener` whenever further events of the tenant have become durable in a shard of the thread, and when a shard comes or goes. */
  listen(tenant: string, listener: () => void): () => void {
    const listeners = this.#byTenant.get(tenant) ?? new Set();
    this.#byTenant.set(tenant, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#byTenant.get(tenant) === listeners) this.#byTenant.delete(tenant);
    };
  }

  get count(): number {
    let count = 0;
    for (const { size } of this.#byTenant.values()) count += size;
    return count;
  }

  wake(tenant: string): void {
    for (const listener of [...(this.#byTenant.get(tenant) ?? [])]) listener();
  }

  wakeAll(): void {
    for (const tenant of [...this.#byTenant.keys()]) this.wake(tenant);
  }
}
