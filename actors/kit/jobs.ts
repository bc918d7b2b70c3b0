/**
 * Work on everything of an entity that matches a filter, in steps on the entity's timer: what a step changes and how far it
 * is are one commit, so that a crash repeats nothing and leaves nothing out.
 */
import { limits, type Refusal, refuse, toRfc3339 } from "#base";
import { type Context, type RowWriter, rowsOf } from "#runtime";
import { after, type List, type Page, type PageRequest, pageOf } from "./list.ts";

/** `Selection`: what the entity chooses by, beside the filter. */
export interface Job<Selection = unknown, Kind extends string = string> {
  readonly id: string;
  readonly kind: Kind;
  readonly state: "running" | "completed" | "cancelled";
  /** CEL; empty where everything matches. */
  readonly filter: string;
  readonly selection: Selection;
  /** Changes a second; 0: as fast as steps go. */
  readonly rate: number;
  /** The last candidate that was looked at; a job only moves forward, so none is taken twice. */
  readonly cursor: string;
  /** Candidates at the start. */
  readonly total: number;
  readonly lookedAt: number;
  readonly changed: number;
  readonly skipped: number;
  readonly startedBy: string;
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly nextAt: number;
}

export type Jobs<Selection, Kind extends string> = Map<string, Job<Selection, Kind>>;

export interface JobsEvent<Selection, Kind extends string> {
  readonly type: "jobs_changed";
  readonly jobs: readonly Job<Selection, Kind>[];
  /** Old ones that are not kept any longer. */
  readonly forgotten: readonly string[];
}

export const jobRows = rowsOf<Job>("job");

type Start<Selection, Kind extends string> = Pick<
  Job<Selection, Kind>,
  "id" | "kind" | "filter" | "selection" | "rate" | "total"
>;

export function startJob<Selection, Kind extends string>(
  jobs: Jobs<Selection, Kind>,
  start: Start<Selection, Kind>,
  { now, caller }: Pick<Context, "now" | "caller">,
): JobsEvent<Selection, Kind> | Refusal {
  const running = [...jobs.values()].filter(isRunning).length;
  if (running >= limits.jobsRunningMax)
    return refuse("RATE_LIMITED", `${running} jobs are running`, {
      reason: "CONCURRENCY",
      retryAfterMs: limits.retryAfterMs,
    });
  const job: Job<Selection, Kind> = {
    ...start,
    state: "running",
    cursor: "",
    lookedAt: 0,
    changed: 0,
    skipped: 0,
    startedBy: caller?.subject ?? "",
    startedAt: now,
    finishedAt: 0,
    nextAt: now,
  };
  return changed(jobs, [job], now);
}

/** `undefined`: it is cancelled already. */
export function cancelJob<Selection, Kind extends string>(
  jobs: Jobs<Selection, Kind>,
  id: string,
  now: number,
): JobsEvent<Selection, Kind> | Refusal | undefined {
  const job = jobs.get(id);
  if (job === undefined) return noJob(id);
  if (job.state === "cancelled") return undefined;
  if (job.state === "completed") return refuse("STATE_CONFLICT", "the job is completed");
  return changed(jobs, [{ ...job, state: "cancelled", finishedAt: now }], now);
}

export function noJob(id: string): Refusal {
  return refuse("NOT_FOUND", `there is no operation ${id}`);
}

/** What one step of a job has come to. */
export interface JobStep {
  readonly cursor: string;
  readonly looked: number;
  readonly changed: number;
  readonly skipped: number;
  /** There is nothing behind the cursor. */
  readonly ended: boolean;
  /** There was no room for more. */
  readonly full: boolean;
}

/** Steps of all jobs that are due, as one event; `undefined` where none is, and none has to go. */
export function stepJobs<Selection, Kind extends string>(
  jobs: Jobs<Selection, Kind>,
  now: number,
  step: (job: Job<Selection, Kind>, changesMax: number) => JobStep,
): JobsEvent<Selection, Kind> | undefined {
  const due = dueJobs(jobs, now);
  const event = changed(
    jobs,
    due.map((job) => moved(job, step(job, changesMax(job)), now)),
    now,
  );
  return due.length + event.forgotten.length > 0 ? event : undefined;
}

export function dueJobs<Selection, Kind extends string>(
  jobs: Jobs<Selection, Kind>,
  now: number,
): Job<Selection, Kind>[] {
  return [...jobs.values()].filter((job) => isRunning(job) && job.nextAt <= now);
}

/** The rate is that of changes: what a filter passes over costs no time. Where there is no room the job asks again a while later. */
function moved<Selection, Kind extends string>(
  job: Job<Selection, Kind>,
  step: JobStep,
  now: number,
): Job<Selection, Kind> {
  const pacedMs = job.rate > 0 ? Math.ceil((step.changed / job.rate) * 1_000) : 0;
  const pauseMs = step.full ? Math.max(pacedMs, limits.retryAfterMs) : pacedMs;
  return {
    ...job,
    cursor: step.cursor,
    lookedAt: job.lookedAt + step.looked,
    changed: job.changed + step.changed,
    skipped: job.skipped + step.skipped,
    state: step.ended ? "completed" : "running",
    finishedAt: step.ended ? now : 0,
    nextAt: now + Math.max(1, pauseMs),
  };
}

/** Small steps at a low rate, so that it is kept within a quarter of a second. */
function changesMax({ rate }: Job): number {
  if (rate === 0) return limits.jobStepMax;
  return Math.max(1, Math.min(limits.jobStepMax, Math.floor(rate / 4)));
}

/** Jobs that have ended go when there are too many of them, or their time is over. */
function changed<Selection, Kind extends string>(
  jobs: Jobs<Selection, Kind>,
  news: readonly Job<Selection, Kind>[],
  now: number,
): JobsEvent<Selection, Kind> {
  const all = new Map(jobs);
  for (const job of news) all.set(job.id, job);
  const ended = [...all.values()].filter((job) => !isRunning(job));
  const oldestFirst = ended.sort((a, b) => a.finishedAt - b.finishedAt);
  const over = oldestFirst.length - limits.jobsKept;
  const old = oldestFirst.filter((job, index) => index < over || keptUntil(job) <= now);
  return { type: "jobs_changed", jobs: news, forgotten: old.map(({ id }) => id) };
}

function keptUntil({ finishedAt }: Job): number {
  return finishedAt + limits.jobKeptMs;
}

function isRunning({ state }: Job): boolean {
  return state === "running";
}

/** When each of them wants the timer next: for its next step, or to be forgotten. */
export function jobTimes(jobs: Iterable<Job>): number[] {
  return [...jobs].map((job) => (isRunning(job) ? job.nextAt : keptUntil(job)));
}

export function applyJobs<Selection, Kind extends string>(
  jobs: Jobs<Selection, Kind>,
  event: JobsEvent<Selection, Kind>,
  rows: RowWriter,
): void {
  for (const job of event.jobs) {
    jobs.set(job.id, job);
    rows.put(jobRows, [job.id], job);
  }
  for (const id of event.forgotten) {
    jobs.delete(id);
    rows.delete(jobRows, [id]);
  }
}

/** The newest first. */
export function listJobs<Selection, Kind extends string>(
  jobs: Jobs<Selection, Kind>,
  request: PageRequest,
  scope: readonly unknown[],
): Page<object> | Refusal {
  const newestFirst = [...jobs.values()].sort((a, b) => (a.id > b.id ? -1 : 1));
  const list: List<Job> = { scope, shape: ["string"], positionOf: ({ id }) => [id] };
  const read = (bounds: Parameters<typeof after>[1]) =>
    after<Job>(newestFirst, bounds, ({ id }, [last]) => id < last!);
  return pageOf(request, { ...list, read }, jobMessage);
}

export function jobMessage(job: Job): Record<string, unknown> {
  return {
    operation_id: job.id,
    kind: job.kind,
    state: job.state,
    filter: job.filter,
    total: job.total,
    looked_at: job.lookedAt,
    changed: job.changed,
    skipped: job.skipped,
    started_by: job.startedBy,
    started_at: toRfc3339(job.startedAt),
    ...(job.finishedAt > 0 && { finished_at: toRfc3339(job.finishedAt) }),
  };
}
