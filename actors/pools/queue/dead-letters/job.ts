/** A retry of everything dead that fits a filter: runs in steps on the queue's timer, so a crash only pauses it. */
export interface Job {
  readonly id: string;
  readonly state: "running" | "completed";
  readonly filter: JobFilter;
  /** Items per second; 0: as fast as steps go. */
  readonly rate: number;
  /** The last item that was looked at; the job only moves forward, so none is taken twice. */
  readonly cursor: string;
  readonly retried: number;
  readonly skipped: number;
  /** Items that died later are not part of it. */
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly nextAt: number;
}

export interface JobFilter {
  readonly key: string;
  readonly errorType: string;
  /** Only what failed before; 0: everything. */
  readonly failedBefore: number;
}
