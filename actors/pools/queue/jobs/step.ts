import { isRefusal, limits } from "#base";
import type { Range } from "#runtime";
import { dueJobs, type JobStep, stepJobs } from "../../../kit/jobs.ts";
import type { Item } from "../rows/item.ts";
import { fromRow } from "../rows/item-row.ts";
import type { UnitOfWork } from "../unit/unit-of-work.ts";
import { matching } from "./filter.ts";
import type { QueueJob, QueueJobsEvent, Selection } from "./job.ts";
import { kinds } from "./kinds.ts";

/** One step of every job that is due: items and cursor move in the same commit, so each item is taken once. */
export function stepQueueJobs(unit: UnitOfWork): QueueJobsEvent | undefined {
  const { jobs } = unit.state;
  const due = dueJobs(jobs, unit.now);
  unit.context.prefetch(due.map((job) => ({ ...rangeOf(job), collection: kinds[job.kind].rows })));
  return stepJobs(jobs, unit.now, (job, most) => step(unit, job, most));
}

function rangeOf({ cursor }: QueueJob): Range {
  return { prefix: [], ...(cursor && { from: [`${cursor}\0`] }), limit: limits.jobStepMax };
}

/** In order of id, up to the last row, the last change it may make, or what the filter looks at in one step. */
function step(unit: UnitOfWork, job: QueueJob, most: number): JobStep {
  const { rows: collection, isCandidate, change } = kinds[job.kind];
  const rows = unit.context.scan(collection, rangeOf(job));
  const read = rows.map(({ value }) => ({ item: newest(unit, fromRow(value)), row: value }));
  const wants = (item: Item) => isCandidate(unit, job, item) && isSelected(job.selection, item);
  const wanted = read.filter(({ item }) => wants(item));
  const found = matching(unit.state, unit.context, job.filter, wanted, most) ?? [];
  const matches = new Map(found.map((matched, index) => [wanted[index]!.item.id, matched]));
  let [cursor, looked, changed, skipped, passed, full] = [job.cursor, 0, 0, 0, 0, false];
  for (const { item: before } of read) {
    // An item that was changed here may have let this one step forward.
    const item = newest(unit, before);
    const isOne = isCandidate(unit, job, item);
    if (wants(item)) {
      const matched = matches.get(item.id);
      if (matched === undefined) break;
      const answer = matched ? change(unit, item) : undefined;
      full = isRefusal(answer) && answer.code === "RATE_LIMITED";
      if (full) break;
      if (isRefusal(answer)) skipped++;
      else if (matched) changed++;
    }
    if (isOne) looked++;
    cursor = item.id;
    passed++;
  }
  return {
    cursor,
    looked,
    changed,
    skipped,
    full,
    ended: passed === rows.length && rows.length < limits.jobStepMax,
  };
}

/** As this very step has it, or as it is in memory: the row of a leased or recent item says less. */
function newest(unit: UnitOfWork, item: Item): Item {
  const { leases, recent } = unit.state;
  return unit.changed(item.id) ?? leases.get(item.id) ?? recent.find(item.id) ?? item;
}

function isSelected({ key, errorType, failedBefore }: Selection, item: Item): boolean {
  if (key && item.key !== key) return false;
  if (errorType && item.error?.type !== errorType) return false;
  return failedBefore === 0 || item.finishedAt < failedBefore;
}
