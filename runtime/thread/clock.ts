import type { Clock } from "#base";
import type { RuntimeLimits } from "./limits.ts";

/**
 * Wall time watched against the monotonic clock. A jump far ahead is not believed at once: shard time never goes back,
 * so one wrong reading would push every due time and record into the future for ever.
 */
export class WatchedClock {
  readonly #clock: Clock;
  readonly #limits: RuntimeLimits;
  readonly #alarm: (aheadMs: number) => void;
  /** Wall minus monotonic time, as last believed. */
  #offset: number;
  #jumpedSinceMs: number | undefined = undefined;
  #jumpOffset = 0;
  #heldMs: number | undefined = undefined;
  #wallMs = 0;
  #monotonicMs = 0;

  constructor(clock: Clock, limits: RuntimeLimits, alarm: (aheadMs: number) => void) {
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
  hold(): void {
    this.#heldMs = this.now();
  }

  release(): void {
    this.#heldMs = undefined;
  }

  /** Wall time as the machine says, believed or not; for deadlines. */
  get wallMs(): number {
    return this.#heldMs === undefined ? this.#clock.now() : this.#wallMs;
  }

  /** For durations: what has passed, whatever the clock was set to. */
  get monotonicMs(): number {
    return this.#heldMs === undefined ? this.#clock.monotonic() : this.#monotonicMs;
  }

  now(): number {
    return this.#heldMs ?? this.#read();
  }

  #read(): number {
    const wall = this.#clock.now();
    const monotonic = this.#clock.monotonic();
    const offset = wall - monotonic;
    this.#wallMs = wall;
    this.#monotonicMs = monotonic;
    if (offset - this.#offset <= this.#limits.clockJumpMsMax) {
      this.#jumpedSinceMs = undefined;
      this.#offset = offset;
      return Math.floor(wall);
    }
    if (this.#jumpedSinceMs === undefined || Math.abs(offset - this.#jumpOffset) > 1_000) {
      if (this.#jumpedSinceMs === undefined) this.#alarm(offset - this.#offset);
      this.#jumpedSinceMs = monotonic;
      this.#jumpOffset = offset;
    } else if (monotonic - this.#jumpedSinceMs >= this.#limits.clockJumpAcceptedAfterMs) {
      this.#jumpedSinceMs = undefined;
      this.#offset = offset;
      return Math.floor(wall);
    }
    return Math.floor(monotonic + this.#offset);
  }
}
