import { isBusy, liveStates, type TotalName, totalNames, waitBucketsMs } from "../../kit/meter.ts";
import type { ModuleParts } from "../../parts.ts";
import type { Event, Heard, State } from "./state.ts";

/** A queue with items tells every minute: one that is silent for longer tells another thread. */
const forgottenMs = 180_000;

/** What the meters of this thread have heard, for /metrics: closed labels only, whatever tenants and pools there are. */
export class QueueFigures {
  readonly #totals = Object.fromEntries(totalNames.map((name) => [name, 0])) as Record<TotalName, number>;
  readonly #waits: number[] = new Array(waitBucketsMs.length + 1).fill(0);
  readonly #busy = new Map<string, Heard>();
  readonly #now: () => number;

  constructor({ metrics, clock }: Pick<ModuleParts, "metrics" | "clock">) {
    this.#now = () => clock.now();
    for (const operation of totalNames)
      if (!operation.endsWith("_sum"))
        metrics.counter("service_queue_operations_total", { operation }, () => this.#totals[operation]);
    for (const state of liveStates)
      metrics.gauge("service_queue_items", { state }, () =>
        this.#recent().reduce((sum, { live }) => sum + live[state], 0),
      );
    metrics.gauge("service_queue_oldest_ready_seconds", {}, () => this.#oldestSeconds(), "max");
    metrics.histogram("service_queue_wait_seconds", waitBucketsMs, () => ({
      counts: this.#waits,
      sumMs: this.#totals.wait_ms_sum,
    }));
  }

  /** Before it is applied: what is new is the difference from what was heard last. */
  note({ tenant, heard: known }: State, event: Event): void {
    if (event.type === "purged") return;
    const name = `${tenant}/${event.handle}`;
    if (event.type === "gone" || !isBusy(event.heard)) this.#busy.delete(name);
    else this.#busy.set(name, event.heard);
    if (event.type === "gone") return;
    const before = known.get(event.handle);
    for (const total of totalNames)
      this.#totals[total] += event.heard.totals[total] - (before?.totals[total] ?? 0);
    for (const [bucket, count] of event.heard.waits.entries())
      this.#waits[bucket]! += count - (before?.waits[bucket] ?? 0);
  }

  #recent(): readonly Heard[] {
    for (const [name, { heardAt }] of this.#busy)
      if (this.#now() - heardAt > forgottenMs) this.#busy.delete(name);
    return [...this.#busy.values()];
  }

  #oldestSeconds(): number {
    const since = this.#recent().flatMap(({ oldestReadyAt }) => (oldestReadyAt > 0 ? [oldestReadyAt] : []));
    const oldest = since.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
    return oldest === Number.POSITIVE_INFINITY ? 0 : Math.max(0, (this.#now() - oldest) / 1_000);
  }
}
