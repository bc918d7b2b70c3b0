import type { Host } from "../shard/shard.ts";

/** What an operator should know of one thread, as plain data. */
export interface ThreadHealth {
  /** "behind": what is stored or was told is ahead of the clock; "ahead": it jumped and is not believed yet. */
  readonly clock: "steady" | "ahead" | "behind";
  readonly clockSeconds: number;
  readonly corruptShards: readonly number[];
}

/** Looks at a thread now and then, and tells when something has changed. */
export class HealthWatch {
  readonly #thread: Host;
  readonly #changed: ((health: ThreadHealth) => void) | undefined;
  #told = "";

  constructor(thread: Host, changed: ((health: ThreadHealth) => void) | undefined) {
    this.#thread = thread;
    this.#changed = changed;
  }

  look(): void {
    if (this.#changed === undefined) return;
    const health = { ...this.#clock(), corruptShards: this.#thread.corruption.shards };
    const text = JSON.stringify(health);
    if (text === this.#told) return;
    this.#told = text;
    this.#changed(health);
  }

  #clock(): Pick<ThreadHealth, "clock" | "clockSeconds"> {
    const { clock, limits, shards } = this.#thread;
    let latestMs = clock.now();
    if (clock.jumped) return { clock: "ahead", clockSeconds: seconds(clock.wallMs - latestMs) };
    for (const shard of shards.values())
      if (shard.status === "ready") latestMs = Math.max(latestMs, shard.now());
    const behindMs = latestMs - clock.wallMs;
    return behindMs > limits.clockJumpMsMax
      ? { clock: "behind", clockSeconds: seconds(behindMs) }
      : { clock: "steady", clockSeconds: 0 };
  }
}

function seconds(ms: number): number {
  return Math.round(ms / 1_000);
}
