import { Work } from "./cell.ts";
import { effectOfTimer } from "./effect-row.ts";
import type { ShardParts } from "./parts.ts";

/** Timers taken at once; the rest is taken in the next step, after other work has run. */
const timersAtOnceMax = 1_000;

/** The one alarm of a shard: set to its next due timer, or to when the window of timers must move on. */
export class Alarm {
  readonly #shard: ShardParts;
  #cancel: (() => void) | undefined = undefined;
  #atMs = Number.POSITIVE_INFINITY;
  /** Timers handed to their entities that have not run yet. */
  #handed = 0;

  constructor(shard: ShardParts) {
    this.#shard = shard;
  }

  arm(): void {
    const shard = this.#shard;
    if (shard.status !== "ready" || this.#room === 0) return;
    const { nextMs } = shard.timers;
    if (nextMs >= this.#atMs && this.#cancel !== undefined) return;
    this.stop();
    if (nextMs === Number.POSITIVE_INFINITY) return;
    this.#atMs = nextMs;
    this.#cancel = shard.setTimer(Math.max(0, nextMs - shard.now()), () => {
      this.#cancel = undefined;
      this.#atMs = Number.POSITIVE_INFINITY;
      this.ring();
    });
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#atMs = Number.POSITIVE_INFINITY;
  }

  /** An entity is done with a timer it was handed. */
  handled(): void {
    if (this.#handed-- === this.#shard.thread.limits.timersHandedMax) this.arm();
  }

  get #room(): number {
    return this.#shard.thread.limits.timersHandedMax - this.#handed;
  }

  /** Now and then: a clock that was set ahead makes timers due before the alarm rings. */
  look(): void {
    if (this.#shard.timers.nextMs <= this.#shard.now()) this.ring();
  }

  /**
   * Hands what is due to its entities, waking those that were evicted. Not at the end of a thread: a timer that sets the
   * next one would keep it from coming to rest, and all of them are rows for the next start.
   */
  ring(): void {
    const shard = this.#shard;
    if (shard.status !== "ready" || shard.thread.draining) return;
    const now = shard.now();
    const due = shard.timers.takeDue(now, Math.min(timersAtOnceMax, this.#room));
    for (const { address, timerId, dueMs } of due) {
      const kind = shard.thread.kinds.get(address.kind);
      if (kind === undefined) continue;
      const effect = effectOfTimer(timerId);
      if (effect !== undefined) {
        shard.effectDue(address, effect, dueMs);
        continue;
      }
      const cell = shard.cell(kind, address);
      const restMs = cell.isolatedUntilMs - shard.thread.world.clock.monotonic();
      if (restMs > 0) {
        // Timers are due at whole milliseconds.
        shard.timers.retry(address, timerId, dueMs, now + Math.ceil(restMs));
        continue;
      }
      this.#handed++;
      cell.system.push(new Work(cell.entity(address.kind)!, { type: "timer", timerId, dueMs }, 0));
      if (!cell.blocked) shard.thread.schedule(cell);
    }
    shard.timers.fill(now, () => this.arm());
  }
}
