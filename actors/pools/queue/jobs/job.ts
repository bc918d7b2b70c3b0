import type { Job, Jobs, JobsEvent } from "../../../kit/jobs.ts";
import type { ItemState } from "../rows/item.ts";

export type JobKind = "retry_all" | "cancel_all";

/** What a job of a queue chooses by, beside its filter. */
export interface Selection {
  readonly states: readonly ItemState[];
  readonly key: string;
  readonly errorType: string;
  /** Only what failed before; 0: everything. */
  readonly failedBefore: number;
}

export type QueueJob = Job<Selection, JobKind>;
export type QueueJobs = Jobs<Selection, JobKind>;
export type QueueJobsEvent = JobsEvent<Selection, JobKind>;

export const everything: Selection = { states: [], key: "", errorType: "", failedBefore: 0 };
