import { isRefusal, type Refusal } from "#base";
import type { Answer, Ask } from "../ask.ts";
import { isGone } from "../links/link.ts";
import { isLost } from "../refusals.ts";
import type { ThreadParts } from "../shard/thread-parts.ts";

/** What retries need of a thread. */
interface RetryingThread extends Pick<ThreadParts, "world" | "limits" | "draining"> {
  post(ask: Ask, reply: (answer: Answer) => void): void;
}

/**
 * Asks again for callers of this thread when a shard was on the move, until the deadline and only where that is safe: the
 * refusal says that nothing happened, or the request has an idempotency key, so that a repeat is a replay.
 */
export class Retries {
  readonly #thread: RetryingThread;
  #waiting = 0;

  constructor(thread: RetryingThread) {
    this.#thread = thread;
  }

  get waiting(): number {
    return this.#waiting;
  }

  post(ask: Ask, reply: (answer: Answer) => void): void {
    this.#try(ask, reply, this.#thread.limits.movedRetryMs);
  }

  #try(ask: Ask, reply: (answer: Answer) => void, delayMs: number): void {
    this.#thread.post(ask, (answer) => {
      if (!isRefusal(answer) || !isSafe(ask, answer) || !this.#hasTime(ask, delayMs)) reply(answer);
      else this.#later(ask, reply, delayMs);
    });
  }

  #later(ask: Ask, reply: (answer: Answer) => void, delayMs: number): void {
    const { world, limits } = this.#thread;
    this.#waiting++;
    world.setTimer(delayMs, () => {
      this.#waiting--;
      this.#try(ask, reply, Math.min(delayMs * 2, limits.movedRetryMsMax));
    });
  }

  #hasTime({ deadlineMs, signal }: Ask, delayMs: number): boolean {
    const { world, limits, draining } = this.#thread;
    if (signal?.aborted || draining || this.#waiting >= limits.linkInFlightMax) return false;
    return world.clock.now() + delayMs < deadlineMs;
  }
}

function isSafe({ idempotency }: Ask, refusal: Refusal): boolean {
  return isLost(refusal) || (idempotency !== undefined && isGone(refusal));
}
