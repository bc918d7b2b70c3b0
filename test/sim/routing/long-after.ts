import { limits } from "#base";
import { jobRows } from "../../../actors/kit/jobs.ts";
import { eventsWaitMs } from "../../../runtime/events.ts";
import { simulatedLimits } from "../process.ts";
import type { Stage } from "../scenario.ts";
import type { QueueAudit } from "./actors.ts";
import { EventHistory } from "./event-history.ts";
import { at } from "./set-up.ts";
import { longRetentionMs } from "./settings.ts";
import type { Subscriber } from "./subscriber.ts";
import type { KnownPool, Message } from "./told.ts";

export type Demand = (pool: KnownPool, kind: "queue", method: string, request?: Message) => Promise<unknown>;

/** A clock may have been ahead by this much. */
const aheadMs = 12_000;
/** By then a finished item is deleted, a merged request is checked again, and an event is deleted. */
const longMs = limits.queueRememberedLookMs + aheadMs;

/** Kept for another day, or until the queue is used again; the series has a slot for each hour, whose rows the next round replaces. */
const staying = ["meta", "flow", "cleared", "job", "series", "~once"];

/** After a long time without requests: everything with a retention is deleted, and nothing of it is left. */
export class LongAfter {
  readonly #stage: Stage;
  readonly #subscriber: Subscriber;
  readonly #demand: Demand;

  constructor(stage: Stage, subscriber: Subscriber, demand: Demand) {
    this.#stage = stage;
    this.#subscriber = subscriber;
    this.#demand = demand;
  }

  async check(pools: readonly KnownPool[], oldCursor: string | undefined): Promise<void> {
    for (const pool of pools) await this.#purge(pool);
    // Events are deleted when later ones have been published.
    for (const pool of pools) await this.#publish(pool);
    await this.#stage.pass(aheadMs);
    for (const pool of pools) await this.#publish(pool);
    await this.#stage.pass(longMs);
    if (this.#stage.violated) return;
    for (const pool of pools) await this.#checkQueue(pool);
    this.#checkEvents();
    this.#checkListeners();
    if (oldCursor !== undefined && pools.length > 0) await this.#comeTooLate(oldCursor);
  }

  async #purge(pool: KnownPool): Promise<void> {
    await this.#demand(pool, "queue", "queue.PurgeStep", { before: 0, include_quarantined: true });
  }

  async #publish(pool: KnownPool): Promise<void> {
    await this.#demand(pool, "queue", "QueueControlService.PauseQueue");
    await this.#demand(pool, "queue", "QueueControlService.ResumeQueue");
  }

  async #checkQueue(pool: KnownPool): Promise<void> {
    const { name, retentionMs } = pool.settings;
    if (retentionMs === longRetentionMs) return;
    const audit = (await this.#demand(pool, "queue", "audit")) as QueueAudit | undefined;
    for (const problem of audit?.problems ?? []) this.#stage.violate(`${name}: ${problem}`);
    const { kind, tenant, key } = at(pool, "queue");
    const own = [...this.#stage.stored()].filter(
      ({ partition: [of, ofTenant, ofKey] }) => of === kind && ofTenant === tenant && ofKey === key,
    );
    // A job that has ended is kept for days, until a timer.
    const hasJobs = own.some(({ partition, keys }) => partition[3] === jobRows && keys.length > 0);
    for (const { partition, keys } of own) {
      const [, , , collection] = partition;
      if (staying.includes(collection as string) || (hasJobs && collection === "~timer")) continue;
      // A throttle has its tokens back; the next item will find out.
      const left = keys.filter(([first]) => collection !== "group" || first !== "throttle");
      if (left.length > 0)
        this.#stage.violate(
          `${name}: long after ${left.length} rows of ${collection} are left, as ${left[0]!.join()}`,
        );
    }
  }

  /**
   * If something was published at two later times, far enough apart, then earlier events are gone. One later time is
   * not enough: a crash within a second leaves no record of it.
   */
  #checkEvents(): void {
    const history = new EventHistory(this.#stage.durable());
    for (const claim of history.tooEarly()) this.#stage.violate(claim);
    for (const { shard, partition, keys } of this.#stage.stored()) {
      if (partition[1] !== "~events") continue;
      const events = history.events.filter((event) => event.shard === shard);
      const isLong = (fromMs: number, toMs: number) => fromMs + simulatedLimits.publishedKeptMs / 2 < toMs;
      const last = events.at(-1)!;
      const before = events.findLast(({ atMs }) => isLong(atMs, last.atMs));
      for (const { seq, atMs } of events)
        if (before && isLong(atMs, before.atMs) && keys.some(([, , kept]) => kept === seq))
          this.#stage.violate(`event ${shard}-${seq} is still kept`);
    }
  }

  #checkListeners(): void {
    for (const { thread, owner } of this.#stage.processes)
      if (thread.eventReaders.count > 0)
        this.#stage.violate(`${owner.name} tells ${thread.eventReaders.count} who left of events`);
  }

  async #comeTooLate(cursor: string): Promise<void> {
    let answer = "";
    void this.#subscriber.read(cursor).then((code = "") => {
      answer = code;
    });
    await this.#stage.pass(eventsWaitMs * 2, () => answer !== "");
    this.#subscriber.leave();
    if (answer !== "CURSOR_EXPIRED")
      this.#stage.violate(`an old cursor was answered with ${answer || "events"}`);
  }
}
