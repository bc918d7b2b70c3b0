import type { Clock } from "#base";
import type { RuntimeLimits } from "./limits.ts";

/**
 * Wall time watched against the monotonic clock. It never goes back and never stands still: while the wall clock is behind
 * what was told, time goes on with the monotonic clock. So a jump far ahead is not believed at once: one wrong reading
 * would push every due time and record into the future for ever.
 */
export class WatchedClock {
  readonly #clock: Clock;
  readonly #limits: RuntimeLimits;
  readonly #alarm: (byMs: number) => void;
  /** Wall minus monotonic time, as last believed. */
  #offset: number;
  #jumpedSinceMs: number | undefined = undefined;
  #jumpOffset = 0;
  #frozenMs: number | undefined = undefined;
  #isBehind = false;
  #wallMs = 0;
  #monotonicMs = 0;

  /** `alarm` is called once for each jump: with how far the clock is ahead of what is believed, or, negative, behind it. */
  constructor(clock: Clock, limits: RuntimeLimits, alarm: (byMs: number) => void) {
    this.#clock = clock;
    this.#limits = limits;
    this.#alarm = alarm;
    this.#offset = clock.now() - clock.monotonic();
  }

  /** True while the clock is ahead of what is believed: commits are refused. */
  get jumped(): boolean {
    return this.#jumpedSinceMs !== undefined;
  }

  /** Stands still during a step: a step is short, and reading the clock for each of its commands is not free. */
  freeze(): void {
    this.#frozenMs = this.now();
  }

  release(): void {
    this.#frozenMs = undefined;
  }

  /** Wall time as the machine says, believed or not; for deadlines. */
  get wallMs(): number {
    return this.#frozenMs === undefined ? this.#clock.now() : this.#wallMs;
  }

  /** For durations: what has passed, whatever the clock was set to. */
  get monotonicMs(): number {
    return this.#frozenMs === undefined ? this.#clock.monotonic() : this.#monotonicMs;
  }

  now(): number {
    return this.#frozenMs ?? this.#read();
  }

  #read(): number {
    const wall = this.#clock.now();
    const monotonic = this.#clock.monotonic();
    const offset = wall - monotonic;
    const aheadMs = offset - this.#offset;
    this.#wallMs = wall;
    this.#monotonicMs = monotonic;
    if (aheadMs <= this.#limits.clockJumpMsMax) {
      this.#jumpedSinceMs = undefined;
      const isBehind = -aheadMs > this.#limits.clockJumpMsMax;
      if (isBehind && !this.#isBehind) this.#alarm(aheadMs);
      this.#isBehind = isBehind;
      if (aheadMs > 0) this.#offset = offset;
      return Math.floor(monotonic + this.#offset);
    }
    if (this.#jumpedSinceMs === undefined || Math.abs(offset - this.#jumpOffset) > 1_000) {
      if (this.#jumpedSinceMs === undefined) this.#alarm(aheadMs);
      this.#jumpedSinceMs = monotonic;
      this.#jumpOffset = offset;
    } else if (monotonic - this.#jumpedSinceMs >= this.#limits.clockJumpAcceptedAfterMs) {
      this.#jumpedSinceMs = undefined;
      this.#offset = offset;
    }
    return Math.floor(monotonic + this.#offset);
  }
}
