import { isRefusal, limits } from "#base";
import type { RangeRef } from "#runtime";
import type { Item } from "../rows/item.ts";
import { fromRow } from "../rows/item-row.ts";
import type { UnitOfWork } from "../unit/unit-of-work.ts";
import type { Job } from "./job.ts";
import { redrive } from "./redrive.ts";

/** One step of every job that is due: items and cursor move in the same commit, so each is retried once. */
export function stepJobs(unit: UnitOfWork): Job[] {
  const stepped: Job[] = [];
  for (const job of unit.state.jobs.values()) {
    if (job.state !== "running" || job.nextAt > unit.now) continue;
    const after = step(unit, job);
    if (after) stepped.push(after);
  }
  return stepped;
}

function step(unit: UnitOfWork, job: Job): Job | undefined {
  const most = stepSize(job.rate);
  const ref: RangeRef = {
    collection: "dead",
    prefix: [],
    ...(job.cursor && { from: [`${job.cursor}\0`] }),
    limit: limits.deadLetterStepMax,
  };
  const rows = unit.context.range(ref);
  if (rows === undefined) {
    unit.missing.push(ref);
    return undefined;
  }
  let { retried, skipped, cursor } = job;
  let looked = 0;
  let full = false;
  for (; looked < rows.length && retried - job.retried < most; looked++) {
    const item = fromRow(rows[looked]!.value);
    if (!unit.touched(item.id) && fits(job, item)) {
      const answer = redrive(unit, item);
      full = isRefusal(answer) && answer.code === "RATE_LIMITED";
      if (full) break;
      if (isRefusal(answer)) skipped++;
      else retried++;
    }
    cursor = item.id;
  }
  const completed = looked === rows.length && rows.length < ref.limit;
  // The rate is that of retries: what a filter passes over costs no time. A full queue is asked again a while later.
  const pacedMs = job.rate > 0 ? Math.ceil(((retried - job.retried) / job.rate) * 1_000) : 0;
  const pauseMs = full ? Math.max(pacedMs, limits.retryAfterMs) : pacedMs;
  return {
    ...job,
    cursor,
    retried,
    skipped,
    state: completed ? "completed" : "running",
    finishedAt: completed ? unit.now : 0,
    nextAt: unit.now + Math.max(1, pauseMs),
  };
}

/** Small steps at a low rate, so that it is kept within a quarter of a second. */
function stepSize(rate: number): number {
  if (rate === 0) return limits.deadLetterStepMax;
  return Math.max(1, Math.min(limits.deadLetterStepMax, Math.floor(rate / 4)));
}

function fits({ filter, startedAt }: Job, item: Item): boolean {
  if (item.finishedAt > startedAt) return false;
  if (filter.key && item.key !== filter.key) return false;
  if (filter.errorType && item.error?.type !== filter.errorType) return false;
  return filter.failedBefore === 0 || item.finishedAt < filter.failedBefore;
}
