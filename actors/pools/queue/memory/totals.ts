import { type TotalName, totalNames, waitBucketsMs } from "../../../kit/meter.ts";
import type { Change } from "../rows/change.ts";
import type { Item } from "../rows/item.ts";
import { ReadyAges } from "./ready-ages.ts";

type TotalsRow = readonly [
  minute: number,
  totals: readonly number[],
  waits: readonly number[],
  ages: readonly number[],
  tellAt: number,
];

/**
 * What has happened to the items of a queue since it was made: a window is a difference of two. They are in the row that
 * every commit writes, so they count what was committed, once.
 */
export class Totals {
  /** The newest one that the series has a row of. */
  minute = 0;
  /** When the meter will be told; 0: nothing has changed since it was, and no item waits or is leased. */
  tellAt = 0;
  values: Record<TotalName, number> = noTotals();
  waits: number[] = new Array(waitBucketsMs.length + 1).fill(0);
  readonly ages = new ReadyAges();

  /** `leased`: the item as it was before, where it had a lease. */
  count({ cause, from, item, gone }: Change, leased: Item | undefined, now: number): void {
    const { values } = this;
    if (from === null) values.enqueued++;
    if (cause === "leased") this.#countClaim(Math.max(0, now - item.readyAt));
    if (leased !== undefined && item.lease?.token !== leased.lease!.token) {
      values.lease_ms_sum += now - leased.lease!.leasedAt;
      if (item.attempts > leased.attempts || cause === "dead") values.failed++;
    }
    if (from?.state !== item.state) {
      if (item.state === "completed") values.completed++;
      else if (item.state === "dead") values.dead++;
      else if (item.state === "expired") values.expired++;
      else if (item.state === "cancelled") values.cancelled++;
    }
    const was = from?.state === "ready" ? from.readyAt : 0;
    const is = item.state === "ready" && !gone ? item.readyAt : 0;
    if (was === is) return;
    if (was > 0) this.ages.remove(was);
    if (is > 0) this.ages.add(is);
  }

  #countClaim(waitedMs: number): void {
    this.values.claimed++;
    this.values.wait_ms_sum += waitedMs;
    const bucket = waitBucketsMs.findIndex((most) => waitedMs <= most);
    this.waits[bucket < 0 ? waitBucketsMs.length : bucket]!++;
  }

  row(): TotalsRow {
    return [this.minute, Object.values(this.values), this.waits, this.ages.row(), this.tellAt];
  }

  restore([minute, totals, waits, ages, tellAt]: TotalsRow): void {
    this.minute = minute;
    this.values = totalsOf(totals);
    this.waits = [...waits];
    this.ages.restore(ages);
    this.tellAt = tellAt;
  }
}

function noTotals(): Record<TotalName, number> {
  return totalsOf([]);
}

export function totalsOf(row: readonly number[]): Record<TotalName, number> {
  const entries = totalNames.map((name, index) => [name, row[index] ?? 0]);
  return Object.fromEntries(entries) as Record<TotalName, number>;
}
