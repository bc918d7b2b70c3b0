import { limits } from "#base";
import type { Member } from "./view.ts";

interface Seen {
  readonly beat: number | undefined;
  readonly atMs: number;
}

/**
 * Judges heartbeats by this node's own monotonic clock: no clock of another machine counts. A node is silent when its count
 * stood still over rounds in which the store answered; a gap in those rounds begins the wait anew, because after an outage
 * of the store, or a pause of this process, the others may not have had the time to write either.
 */
export class Suspects {
  #seen = new Map<string, Seen>();
  #lastRoundMs = Number.NEGATIVE_INFINITY;

  startAnew(): void {
    this.#seen.clear();
  }

  /** When the first of the nodes that were looked at is silent, unless it beats before. */
  get dueMs(): number {
    let dueMs = Number.POSITIVE_INFINITY;
    for (const { atMs } of this.#seen.values()) dueMs = Math.min(dueMs, atMs + limits.memberSuspectMs);
    return dueMs;
  }

  /** `nowMs`: before the beats were read. */
  silent(members: readonly Member[], beats: ReadonlyMap<string, number>, nowMs: number): readonly Member[] {
    if (nowMs - this.#lastRoundMs > limits.memberSuspectMs / 2) this.startAnew();
    this.#lastRoundMs = nowMs;
    const seen = new Map<string, Seen>();
    const silent: Member[] = [];
    for (const member of members) {
      const beat = beats.get(member.incarnation);
      const before = this.#seen.get(member.incarnation);
      const isAlive = before === undefined || before.beat !== beat;
      const now = isAlive ? { beat, atMs: nowMs } : before;
      seen.set(member.incarnation, now);
      if (nowMs - now.atMs >= limits.memberSuspectMs) silent.push(member);
    }
    this.#seen = seen;
    return silent;
  }
}
