import fc from "fast-check";
import { byLine } from "../../../actors/pools/queue/memory/ready-index.ts";
import type { Item } from "../../../actors/pools/queue/rows/item.ts";
import type { RouterView } from "../../../actors/pools/router.ts";
import { type LeasedItem, QueueBench } from "../queue.ts";

/** A lease, as its holder knows it. */
export interface Held {
  readonly leased: LeasedItem;
  readonly customer: string;
  readonly recipientId: string;
  readonly at: number;
  until: number;
}

/** Which controls a queue of the model has. */
export const control = fc.record({
  singleton: fc.constantFrom(undefined, "skip", "cancel", "keep_latest"),
  debounce: fc.boolean(),
  throttle: fc.boolean(),
  limit: fc.integer({ min: 0, max: 2 }),
  fairness: fc.boolean(),
  sticky: fc.boolean(),
  capacity: fc.integer({ min: 0, max: 3 }),
});
type Control = typeof control extends fc.Arbitrary<infer T> ? T : never;

export const customers = ["a", "b", "c"];
export const throttle = { key: "item.attributes.c", limit: 4, period_ms: 9_000, burst: 2 };

/** What the answers of a queue have said, and what must hold then: limits, and the wait reasons of items. */
export class ModelFacts {
  readonly bench: QueueBench;
  readonly control: Control;
  readonly known = new Map<string, string>();
  readonly held = new Map<string, Held>();
  readonly handedOut = new Map<string, number[]>();
  /** Theoretical arrival times of GCRA. */
  readonly tats = new Map<string, number>();
  paused = false;

  constructor(control: Control) {
    this.control = control;
    const { singleton, debounce, limit, fairness, sticky } = control;
    const key = "item.attributes.c";
    this.bench = new QueueBench(
      {
        lease_seconds: 20,
        max_attempts: 3,
        max_deliveries: 6,
        backoff: { initial_ms: 1_000, max_ms: 8_000 },
        ...(fairness && { fairness: { key, weights: { a: 2 } } }),
        ...(sticky && { sticky: { key } }),
        admission: {
          ...(singleton && { singleton: { key: "item.key", mode: singleton } }),
          ...(debounce && { debounce: { key: "item.key", period_ms: 3_000, max_wait_ms: 9_000 } }),
          ...(control.throttle && { throttle }),
          concurrency: limit === 0 ? [] : [{ key, limit }],
        },
      },
      [{ capacity: control.capacity }, { labels: { x: "1" } }],
    );
    this.bench.pool("RuleService.CreateRule", {
      name: "vip",
      condition: "item.priority == 1 && item.attributes.c == 'a'",
      action: { restrict: { labels: { x: "1" } } },
      enabled: true,
      order: 1,
    });
  }

  checkLimits(): void {
    const { limit } = this.control;
    for (const customer of customers) {
      const used = [...this.held.values()].filter((held) => held.customer === customer).length;
      if (limit > 0 && used > limit) throw new Error(`${used} leases of ${customer}, ${limit} allowed`);
      if (!this.control.throttle) continue;
      const times = this.handedOut.get(customer) ?? [];
      const interval = throttle.period_ms / (throttle.limit - throttle.burst + 1);
      for (let i = 0; i < times.length; i++)
        for (let j = i; j < times.length; j++)
          if (j - i + 1 > throttle.burst + Math.floor((times[j]! - times[i]!) / interval))
            throw new Error(`${j - i + 1} of ${customer} within ${times[j]! - times[i]!} ms`);
    }
  }

  /** The wait reason of an item is the first that holds, in the order in which a claim would check them. */
  checkWait(item: Item, items: readonly Item[]): void {
    const wait = this.bench.get(item.id).wait as
      | { reason: string; until?: string; position?: number }
      | undefined;
    const expected = item.heldBy === "" ? this.reasonOf(item) : this.heldReason(item, items);
    if (wait?.reason !== expected)
      throw new Error(`${item.id} (${item.state}) waits for ${JSON.stringify(wait)}, not ${expected}`);
    const line = items.filter(({ heldBy, classNo }) => heldBy === item.heldBy && classNo === item.classNo);
    const place = line.sort(byLine).findIndex(({ id }) => id === item.id) + 1;
    if (item.heldBy !== "" && wait?.position !== place)
      throw new Error(`${item.id} is the ${place}. of ${item.heldBy}, and says ${JSON.stringify(wait)}`);
    const timed = ["scheduled", "debounce", "retry", "sticky"].includes(expected);
    if (timed && Date.parse(wait.until!) < this.bench.driver.now)
      throw new Error(`${item.id} waits for a time that is over: ${JSON.stringify(wait)}`);
  }

  reasonOf(item: Item): string {
    const customer = this.known.get(item.id)!;
    if (item.state === "retry_wait") return "retry";
    if (item.state === "scheduled") return item.groups.debounce ? "debounce" : "scheduled";
    if (this.paused) return "paused";
    if (this.tokens(customer) === 0) return "throttle";
    if (this.control.limit > 0 && this.leasesOf(customer) >= this.control.limit) return "concurrency";
    if (this.bench.recipientIds.includes(item.list)) return "sticky";
    return this.bench.recipientIds.some((id) => this.hasRoom(id, item)) ? "queued" : "no_capacity";
  }

  /** A held item stands behind others of its group, or the group has no room besides those before it in line. */
  heldReason(item: Item, items: readonly Item[]): string {
    if (this.paused) return "paused";
    const kind = item.heldBy.slice(0, item.heldBy.indexOf(":"));
    const customer = this.known.get(item.id)!;
    const singleton = items.some(({ key, lease }) => lease !== null && key === item.key);
    if (kind === "singleton") return singleton ? kind : `nothing that ${item.heldBy} has to do with`;
    if (this.tokens(customer) === 0) return "throttle";
    if (this.control.limit > 0 && this.leasesOf(customer) >= this.control.limit) return "concurrency";
    const behind = items.some(
      ({ id, heldBy, classNo }) =>
        heldBy.startsWith("throttle:") && classNo === item.classNo && this.known.get(id) === customer,
    );
    if (behind) return "throttle";
    const inLine = items.filter(({ id, list }) => list !== "" && this.known.get(id) === customer).length;
    const full = this.leasesOf(customer) + inLine >= this.control.limit;
    return full ? "concurrency" : `nothing that ${item.heldBy} has to do with`;
  }

  /** How many items of a customer may be leased now. */
  tokens(customer: string): number {
    if (!this.control.throttle) return Number.MAX_SAFE_INTEGER;
    const interval = throttle.period_ms / (throttle.limit - throttle.burst + 1);
    const early = this.bench.driver.now - ((this.tats.get(customer) ?? 0) - (throttle.burst - 1) * interval);
    return early < 0 ? 0 : Math.min(throttle.burst, Math.floor(early / interval) + 1);
  }

  leasesOf(customer: string): number {
    return [...this.held.values()].filter((held) => held.customer === customer).length;
  }

  isEjected(recipientId: string): boolean {
    const router = this.bench.driver.state<RouterView>(this.bench.at("router"));
    return router.recipients.get(recipientId)?.health.state === "ejected";
  }

  /** The router knows which recipients are healthy; what they hold is known here. */
  hasRoom(recipientId: string, item: Item): boolean {
    const router = this.bench.driver.state<RouterView>(this.bench.at("router"));
    const { health, capacity } = router.recipients.get(recipientId)!;
    const probing = health.probedAt > 0 && this.bench.driver.now - health.probedAt < 30_000;
    if (health.state === "ejected" || (health.state === "half_open" && probing)) return false;
    if (item.classNo !== 0 && recipientId !== this.bench.recipientIds[1]) return false;
    const used = [...this.held.values()].filter((held) => held.recipientId === recipientId).length;
    return capacity === 0 || used < capacity;
  }
}
