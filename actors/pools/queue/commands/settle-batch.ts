import { invalid, isRefusal, limits, type Refusal, refuse } from "#base";
import type { Context, Decision } from "#runtime";
import { stepForward } from "../admission/line.ts";
import { jsonBytesOf, type Progress, type Settlement, touchedItem } from "../rows/item.ts";
import type { Event, State } from "../state.ts";
import { reachPool } from "../unit/pool.ts";
import { UnitOfWork } from "../unit/unit-of-work.ts";
import { fenced, type Settle, settle } from "./settle.ts";

export interface SettleCommand {
  readonly type: "settle";
  readonly entries: readonly (Settle | Extend)[];
  /** One entry whose refusal is the answer, rather than a result among others. */
  readonly single: boolean;
}

export interface Extend {
  readonly id: string;
  readonly token: string;
  readonly outcome: "extend";
  /** 0: as the pool says. */
  readonly leaseSeconds: number;
  readonly progress?: Progress | undefined;
}

export type SettleResult = Settlement | Extension | Refusal;

interface Extension {
  readonly leaseExpiresAt: number;
  readonly attempts: number;
  readonly deliveries: number;
}

export function settleBatch(state: State, command: SettleCommand, context: Context): Decision<Event> {
  const unit = new UnitOfWork(state, context);
  const refused = reachPool(unit.router, context);
  if (refused) return refused;
  const results = planSettle(unit, command.entries);
  stepForward(unit);
  const only = command.single ? results[0] : undefined;
  if (isRefusal(only)) return only;
  return unit.decidedWith(results);
}

/** Each entry sees the ones before it. */
export function planSettle(unit: UnitOfWork, entries: readonly (Settle | Extend)[]): SettleResult[] {
  return entries.map((entry) => {
    const result = entry.outcome === "extend" ? extend(unit, entry) : settle(unit, entry);
    return result ?? pending;
  });
}

/** Stands for an entry that is looked at again once the rows are read. */
const pending: SettleResult = { leaseExpiresAt: 0, attempts: 0, deliveries: 0 };

function extend(unit: UnitOfWork, { id, token, leaseSeconds, progress }: Extend): SettleResult | undefined {
  const item = fenced(unit, id, token, "extend");
  if (item === undefined || isRefusal(item) || !("lease" in item)) return item;
  const refused = progress && progressRefusal(unit, progress);
  if (refused) return refused;
  const seconds = leaseSeconds || unit.router.config.lease_seconds;
  const expiresAt = Math.max(item.lease!.expiresAt, unit.now + seconds * 1_000);
  if (expiresAt > item.lease!.expiresAt || progress) {
    const extended = touchedItem(item, unit.now);
    extended.lease = { ...item.lease!, expiresAt, progress: progress ?? item.lease!.progress };
    unit.change(item, extended, "extended");
  }
  return { leaseExpiresAt: expiresAt, attempts: item.attempts, deliveries: item.deliveries };
}

/** What workers report is in memory with their leases. */
function progressRefusal({ state }: UnitOfWork, progress: Progress): Refusal | undefined {
  if (jsonBytesOf(progress.data) > limits.progressDataBytesMax)
    return invalid({
      field: "progress.data",
      reason: `may have ${limits.progressDataBytesMax} bytes as JSON`,
    });
  if (state.progressBytes < limits.queueProgressBytesMax) return undefined;
  return refuse(
    "RATE_LIMITED",
    `the leases of this queue have ${limits.queueProgressBytesMax} bytes of progress`,
    {
      reason: "PROGRESS_BYTES",
      retryAfterMs: limits.retryAfterMs,
    },
  );
}
