import {
  type AskedQuestion,
  changedTenants,
  findTenant,
  type Method,
  noteQuota,
  quotaWindow,
  type TenantChange,
  type TenantFacts,
  tenantChangedTopic,
  tenantsAddress,
  tryAsk,
} from "#actors";
import { isRefusal, limits, orThrow, systemTenantId } from "#base";
import type { Asker, Caller, Runtime } from "#runtime";
import { StorageMeter } from "./storage-meter.ts";

/**
 * What this thread knows of the tenants whose callers it serves. A change is heard as a broadcast; in case one is lost, the
 * thread also asks twice a second what has changed. What it knows while the entity cannot be asked stays as it is.
 */
export class Tenants {
  readonly #asker: Asker;
  /** `null`: there is no such tenant. In the order in which they became known. */
  readonly #known = new Map<string, TenantFacts | null>();
  readonly #loading = new Map<string, Promise<TenantFacts | null>>();
  /** By tenant and operation. */
  #used = new Map<string, Map<string, number>>();
  /** By tenant: calls that stay open as long as it lets them. */
  readonly #watching = new Map<string, Set<() => void>>();
  readonly #stopListening: () => void;
  readonly #timers: readonly NodeJS.Timeout[];
  /** The last change that is known here; absent: nothing is. */
  #head: number | undefined;
  #isReading = false;
  readonly #meter: StorageMeter;

  constructor(asker: Asker & Pick<Runtime, "onBroadcast" | "storedBytes">) {
    this.#asker = asker;
    this.#meter = new StorageMeter(asker, () => this.#limited());
    this.#stopListening = asker.onBroadcast((topic, payload) => {
      if (topic === tenantChangedTopic) this.#changed((payload as TenantChange).id);
    });
    this.#timers = [
      setInterval(() => void this.#readChanges(), limits.tenantsReadMs).unref(),
      setInterval(() => this.tellUsed(), limits.quotaNotesMs).unref(),
    ];
  }

  /** `undefined`: not known here, to be asked with `load`. */
  peek(id: string): TenantFacts | null | undefined {
    return this.#known.get(id);
  }

  /** Throws a RefusalError where the entity cannot be asked. */
  load(id: string): Promise<TenantFacts | null> {
    let loading = this.#loading.get(id);
    if (loading === undefined) {
      loading = this.#load(id).finally(() => this.#loading.delete(id));
      this.#loading.set(id, loading);
    }
    return loading;
  }

  /** Tells when the tenant has changed. Returns how to stop listening. */
  watch(id: string, changed: () => void): () => void {
    const watching = this.#watching.get(id) ?? new Set();
    this.#watching.set(id, watching.add(changed));
    return () => {
      watching.delete(changed);
      if (watching.size === 0 && this.#watching.get(id) === watching) this.#watching.delete(id);
    };
  }

  /** Something was used that has no limit. */
  use(tenant: string, operation: string, amount: number): void {
    let used = this.#used.get(tenant);
    if (used === undefined) {
      used = new Map();
      this.#used.set(tenant, used);
    }
    used.set(operation, (used.get(operation) ?? 0) + amount);
  }

  /** Tells the quotas what was used since the last time; resolves when they know. */
  async tellUsed(): Promise<void> {
    const all = this.#used;
    if (all.size === 0) return;
    this.#used = new Map();
    await Promise.all(
      [...all].map(async ([tenant, used]) => {
        const request = { used: Object.fromEntries(used) };
        const answer = await this.#ask(noteQuota, { tenant, key: quotaWindow, request });
        // Not told: it goes with what comes next.
        if (isRefusal(answer)) for (const [operation, amount] of used) this.use(tenant, operation, amount);
      }),
    );
  }

  /** What a tenant with a limit of `storage_bytes` has stored, as last measured. */
  storedBytes(id: string): number {
    return this.#meter.bytesOf(id);
  }

  #limited(): readonly string[] {
    const ids: string[] = [];
    for (const [id, facts] of this.#known) if (facts?.limits.storage_bytes !== undefined) ids.push(id);
    return ids;
  }

  close(): void {
    this.#meter.close();
    this.#stopListening();
    for (const timer of this.#timers) clearInterval(timer);
  }

  async #load(id: string): Promise<TenantFacts | null> {
    for (;;) {
      this.#known.delete(id);
      const answer = orThrow(await this.#ask(findTenant, { ...tenantsAddress, request: { tenant_id: id } }));
      const { tenant = null, head } = answer.response;
      this.#head ??= head;
      // It has changed since it was asked for.
      if (this.#stale.delete(id)) continue;
      this.#known.set(id, tenant);
      if (this.#known.size > limits.tenantsKnownMax) this.#known.delete(this.#known.keys().next().value!);
      return tenant;
    }
  }

  /** Tenants that have changed while they were asked for. */
  readonly #stale = new Set<string>();

  #changed(id: string): void {
    this.#known.delete(id);
    if (this.#loading.has(id)) this.#stale.add(id);
    for (const changed of [...(this.#watching.get(id) ?? [])]) changed();
  }

  async #readChanges(): Promise<void> {
    if (this.#head === undefined || this.#isReading) return;
    this.#isReading = true;
    try {
      for (let more = true; more; ) {
        const since: number = this.#head;
        const answer = await this.#ask(changedTenants, { ...tenantsAddress, request: { since } });
        if (isRefusal(answer)) return;
        const { ids, head } = answer.response;
        for (const id of ids) this.#changed(id);
        this.#head = head;
        more = ids.length === limits.tenantChangesMax;
      }
    } finally {
      this.#isReading = false;
    }
  }

  #ask<Request, Response>(
    method: Method<Request, Response>,
    question: AskedQuestion<Request> & { readonly tenant: string },
  ) {
    const deadlineMs = Date.now() + limits.requestTimeoutMs;
    const caller = { ...self, tenant: question.tenant };
    return tryAsk({ asker: this.#asker, caller, deadlineMs }, method, question);
  }
}

/** Who asks: no caller of ours. */
const self: Caller = {
  tenant: systemTenantId,
  principalKind: "module",
  subject: "gateway",
  owner: "gateway",
  requestId: "tenants",
  environmentMode: "any",
  platform: true,
};
