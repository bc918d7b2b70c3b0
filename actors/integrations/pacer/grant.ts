import { limits } from "#base";
import type { PacerSlot } from "../../notify/outbound/types.ts";
import type { Event, Grant, Pace, State, Wants } from "./state.ts";

/** How a rate becomes slots: each may be used within `lateMs` of its time. */
interface Shape {
  readonly intervalMs: number;
  /** How far before its theoretical time a slot may be. */
  readonly aheadMs: number;
  readonly lateMs: number;
}

/**
 * Of `burst` a part is for slots at once, the rest for slots that are used late. With `own` slots at once and none used more than
 * (burst − own) / rate after its time, at most own + rate · (t + (burst − own) / rate) = burst + rate · t leave in any time t.
 */
export function shapeOf({ perSecond, burst }: Pick<Pace, "perSecond" | "burst">): Shape {
  const intervalMs = 1_000 / perSecond;
  const lateMs = Math.min(limits.pacerLateMsMax, Math.ceil(burst / 2) * intervalMs);
  const own = Math.max(1, Math.floor(burst - lateMs / intervalMs));
  return { intervalMs, aheadMs: (own - 1) * intervalMs, lateMs };
}

type Timed = Extract<Event, { type: "timed" }>;

/** The slots of the next moment to those who want them, and when to look again. */
export function grant(state: State, now: number): readonly Event[] {
  const { pace } = state;
  if (pace === undefined || state.wants.size === 0) return [{ type: "timed" }];
  const { intervalMs, aheadMs, lateMs } = shapeOf(pace);
  const queue = new Queue(state);
  const given = new Map<string, PacerSlot[]>();
  const earliest = now + limits.pacerLeadMs;
  let { theoreticalMs } = pace;
  while (queue.isWanted) {
    const at = Math.max(earliest, theoreticalMs - aheadMs);
    if (at > now + limits.pacerAheadMs) break;
    theoreticalMs = Math.max(theoreticalMs, at) + intervalMs;
    const { audience, tier } = queue.take();
    const slots = given.get(audience) ?? [];
    slots.push({ tier, atMs: Math.ceil(at), untilMs: Math.floor(at + lateMs) });
    given.set(audience, slots);
  }
  const timed: Timed = { type: "timed" };
  const next = theoreticalMs - aheadMs - limits.pacerAheadMs;
  // Some slots at a time: a timer and a message for each would cost more than the sending.
  const look = Math.ceil(Math.max(next, now + limits.pacerAheadMs / 2));
  const last: Timed = queue.isWanted ? { ...timed, atMs: look } : timed;
  if (given.size === 0) return [last];
  const grants: Grant[] = [...given].map(([audience, slots]) => ({
    audience,
    slots,
    left: queue.left(audience),
  }));
  const { servedLast: turn, sinceBroadcast } = queue;
  return [{ type: "granted", theoreticalMs, grants, turn, sinceBroadcast }, last];
}

/** Direct ones first, every tenth slot to a broadcast, audiences in turn. */
class Queue {
  readonly #keys: readonly string[];
  readonly #left: Map<string, { direct: number; broadcast: number }>;
  readonly #sum = { direct: 0, broadcast: 0 };
  servedLast: string;
  sinceBroadcast: number;

  constructor({ wants, servedLast, sinceBroadcast }: State) {
    this.#keys = [...wants.keys()].sort();
    this.#left = new Map([...wants].map(([key, want]) => [key, { ...want }]));
    for (const { direct, broadcast } of wants.values()) {
      this.#sum.direct += direct;
      this.#sum.broadcast += broadcast;
    }
    this.servedLast = servedLast;
    this.sinceBroadcast = sinceBroadcast;
  }

  get isWanted(): boolean {
    return this.#sum.direct + this.#sum.broadcast > 0;
  }

  left(audience: string): Wants {
    return this.#left.get(audience)!;
  }

  take(): { readonly audience: string; readonly tier: PacerSlot["tier"] } {
    const isForBroadcast = this.sinceBroadcast >= limits.pacerDirectRun && this.#sum.broadcast > 0;
    const tier = this.#sum.direct > 0 && !isForBroadcast ? "direct" : "broadcast";
    this.sinceBroadcast = tier === "direct" ? this.sinceBroadcast + 1 : 0;
    const audience = this.#next(tier);
    this.#left.get(audience)![tier]--;
    this.#sum[tier]--;
    this.servedLast = audience;
    return { audience, tier };
  }

  #next(tier: PacerSlot["tier"]): string {
    const wants = (key: string) => this.#left.get(key)![tier] > 0;
    return this.#keys.find((key) => key > this.servedLast && wants(key)) ?? this.#keys.find(wants)!;
  }
}
