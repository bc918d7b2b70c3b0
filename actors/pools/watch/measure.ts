import { limits } from "#base";
import type { Context } from "#runtime";
import { isPaused, type Event as QueueEvent, type State as QueueState } from "../queue/state.ts";
import type { State as RouterState } from "../router/state.ts";
import { countsOf, measuredIn } from "./counts.ts";
import { judgeNext, nextStreak, closed as streakClosed } from "./methods/series.ts";
import {
  type ActionTaken,
  type Anomaly,
  keptUntil,
  type Monitor,
  type Progress,
  type Reading,
} from "./record.ts";
import { type Event, type State, seriesOf, streakOf } from "./state.ts";

type Found = Pick<Anomaly, "value" | "expected" | "score" | "baseline">;

/** What one command changes: in the watch, and in its twins in the same commit. */
export class Unit {
  readonly events: Event[] = [];
  readonly #queueEvents: QueueEvent[] = [];
  readonly #state: State;
  readonly #context: Context;
  readonly #queue: QueueState;
  readonly #router: RouterState;
  readonly #gone = new Set<string>();
  #opened = 0;

  constructor(state: State, context: Context) {
    this.#state = state;
    this.#context = context;
    this.#queue = context.twin<QueueState>("queue");
    this.#router = context.twin<RouterState>("router");
  }

  decided(answer?: unknown) {
    const twins = this.#queueEvents.length > 0 && { twins: { queue: this.#queueEvents } };
    return { events: this.events, ...twins, ...(answer !== undefined && { answer }) };
  }

  /** Where a monitor begins. */
  first({ settings }: Monitor): Progress {
    const { now } = this.#context;
    const nextAt = now + settings.interval_seconds * 1_000;
    return { nextAt, reading: this.#reading(), taken: 0, lastPointAt: 0 };
  }

  #reading(): Reading {
    return { at: this.#context.now, counts: countsOf(this.#queue, this.#router) };
  }

  /** One more point of a monitor. */
  measure(monitor: Monitor): void {
    const { now } = this.#context;
    const { id, settings } = monitor;
    const { progress, value } = this.#next(monitor);
    if (value === undefined) {
      this.events.push({ type: "measured", monitorId: id, progress });
      return;
    }
    const { verdict, ...judged } = judgeNext(settings, seriesOf(this.#state, monitor), value, now);
    const taken = { ...progress, taken: progress.taken + 1, lastPointAt: now };
    this.events.push({ type: "measured", monitorId: id, progress: taken, judged });
    if (verdict) this.#follow(monitor, verdict.isAnomaly, { ...verdict, value });
  }

  /** An interval that is not measured. */
  skip({ id }: Monitor): void {
    const { progress } = this.#next(this.#state.monitors.get(id)!);
    this.events.push({ type: "measured", monitorId: id, progress: { ...progress, reading: null } });
  }

  /** Where the monitor goes on, and what the interval came to. */
  #next({ id, settings }: Monitor): { readonly progress: Progress; readonly value: number | undefined } {
    const { now } = this.#context;
    const before = this.#state.progress.get(id)!;
    const intervalMs = settings.interval_seconds * 1_000;
    const reading = this.#reading();
    const due = before.nextAt + intervalMs;
    const progress = { ...before, reading, nextAt: due > now ? due : now + intervalMs };
    // One that comes late is of more than an interval.
    const isGap = before.reading === null || now - before.reading.at > 1.5 * intervalMs;
    if (isGap) return { progress, value: undefined };
    return {
      progress,
      value: measuredIn(settings.metric, before.reading.counts, reading.counts, this.#queue),
    };
  }

  #follow(monitor: Monitor, isAnomaly: boolean, found: Found): void {
    const { now } = this.#context;
    const recipientId = "";
    const before = streakOf(this.#state, monitor.id, recipientId);
    const streak = nextStreak(monitor.settings, before, isAnomaly, now);
    if (streak.isOpen && !before.isOpen && !this.#open(monitor, found)) return;
    if (!streak.isOpen && before.isOpen) this.closeAll(monitor.id, "values");
    if (streak !== before)
      this.events.push({ type: "streak_put", monitorId: monitor.id, recipientId, streak });
  }

  /** False: there are as many open ones as may be kept. */
  #open({ id: monitorId, settings }: Monitor, { value, expected, score, baseline }: Found): boolean {
    if (!this.#makeRoom()) return false;
    const { now, address } = this.#context;
    const id = this.#context.newId(address.key);
    const { metric, method } = settings;
    const actions = settings.actions.map((action): ActionTaken => {
      const result = action === "auto-pause" ? this.#pause(id, settings.pause_seconds) : "done";
      return { action, result };
    });
    const anomaly: Anomaly = {
      ...{ id, monitorId, recipientId: null, metric, method, value, expected, score, baseline, actions },
      ...{ openedAt: now, closedAt: 0, closedBy: "" },
    };
    const { poolId, environment } = this.#router;
    this.events.push({ type: "opened", anomaly, where: { poolId, environment } });
    this.#opened++;
    return true;
  }

  #makeRoom(): boolean {
    const { anomalies } = this.#state;
    if (anomalies.size + this.#opened - this.#gone.size < limits.anomaliesMax) return true;
    const oldest = [...anomalies.values()].find(({ id, closedAt }) => closedAt > 0 && !this.#gone.has(id));
    if (oldest) this.#forget(oldest.id);
    return oldest !== undefined;
  }

  /** A pause that is there stands: who made it says when it ends. */
  #pause(id: string, seconds: number): string {
    const { now } = this.#context;
    if (isPaused(this.#queue, now) || this.#queueEvents.length > 0) return "it was paused already";
    const untilMs = now + seconds * 1_000;
    this.#queueEvents.push({
      type: "paused",
      pause: { untilMs, reason: `anomaly ${id}`, by: "anomaly", at: now },
    });
    return "done";
  }

  /** Those of a monitor that are open. */
  closeAll(monitorId: string, by: string): void {
    for (const { id, ...anomaly } of this.#state.anomalies.values())
      if (anomaly.monitorId === monitorId && anomaly.closedAt === 0)
        this.events.push({ type: "closed", id, by, poolId: this.#router.poolId });
  }

  /** By hand: the next one waits as after any other. */
  close({ id, monitorId, recipientId }: Anomaly, by: string): void {
    this.events.push({ type: "closed", id, by, poolId: this.#router.poolId });
    const monitor = this.#state.monitors.get(monitorId);
    if (!monitor) return;
    const streak = streakClosed(monitor.settings, this.#context.now);
    this.events.push({ type: "streak_put", monitorId, recipientId: recipientId ?? "", streak });
  }

  forgetOld(): void {
    for (const anomaly of this.#state.anomalies.values())
      if (anomaly.closedAt > 0 && keptUntil(anomaly) <= this.#context.now) this.#forget(anomaly.id);
  }

  #forget(id: string): void {
    this.#gone.add(id);
    this.events.push({ type: "forgotten", id });
  }
}
