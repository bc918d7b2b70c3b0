import { isRefusal, type Refusal } from "#base";
import type { Answer, Ask } from "../ask.ts";
import { isGone } from "../links/link.ts";
import { isLost } from "../refusals.ts";
import type { ThreadParts } from "../shard/thread-parts.ts";

interface AskedThread extends ThreadParts {
  post(ask: Ask, reply: (answer: Answer) => void): void;
}

/**
 * Asks again for callers of this thread when a shard was on the move, only where that is safe: the refusal says that
 * nothing happened, or the request has an idempotency key, so that a repeat is a replay. It ends after the time that the
 * deadline left at the beginning, even if the wall clock is set meanwhile.
 */
export class Retries {
  readonly #thread: AskedThread;
  #waiting = 0;

  constructor(thread: AskedThread) {
    this.#thread = thread;
  }

  get waiting(): number {
    return this.#waiting;
  }

  post(ask: Ask, reply: (answer: Answer) => void): void {
    const { world, limits } = this.#thread;
    const { clock } = world;
    const untilMs = clock.monotonic() + ask.deadlineMs - clock.now();
    this.#try(ask, reply, untilMs, limits.movedRetryMs);
  }

  #try(ask: Ask, reply: (answer: Answer) => void, untilMs: number, delayMs: number): void {
    this.#thread.post(ask, (answer) => {
      if (!isRefusal(answer) || !isSafe(ask, answer) || !this.#hasTime(ask, untilMs, delayMs)) reply(answer);
      else this.#later(ask, reply, untilMs, delayMs);
    });
  }

  #later(ask: Ask, reply: (answer: Answer) => void, untilMs: number, delayMs: number): void {
    const { world, limits } = this.#thread;
    this.#waiting++;
    world.setTimer(delayMs, () => {
      this.#waiting--;
      this.#try(ask, reply, untilMs, Math.min(delayMs * 2, limits.movedRetryMsMax));
    });
  }

  #hasTime({ signal }: Ask, untilMs: number, delayMs: number): boolean {
    const { world, limits, draining } = this.#thread;
    if (signal?.aborted || draining || this.#waiting >= limits.linkInFlightMax) return false;
    return world.clock.monotonic() + delayMs < untilMs;
  }
}

function isSafe({ idempotency }: Ask, refusal: Refusal): boolean {
  return isLost(refusal) || (idempotency !== undefined && isGone(refusal));
}
