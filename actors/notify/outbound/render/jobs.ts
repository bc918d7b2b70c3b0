import type { Engine, RenderFailure } from "../types.ts";

/** What render threads do. Everything in it is text or JSON. */
export type Job =
  | RenderJob
  | { readonly type: "check"; readonly templates: readonly CheckedTemplate[] }
  | {
      readonly type: "preview";
      readonly html: boolean;
      readonly engine: Engine;
      readonly body: string;
      readonly data: string;
    };

interface RenderJob {
  readonly type: "render";
  readonly html: boolean;
  readonly engine: Engine;
  readonly subject: string;
  readonly body: string;
  readonly layout?: { readonly engine: Engine; readonly body: string };
  /** JSON of an object. */
  readonly data: string;
}

export interface CheckedTemplate {
  readonly field: string;
  readonly engine: Engine;
  readonly source: string;
  /** A layout: `{{ content }}` must be in it. */
  readonly isLayout?: boolean;
}

export type JobResult =
  | { readonly type: "rendered"; readonly subject: string; readonly html?: string; readonly text: string }
  | { readonly type: "checked"; readonly problems: readonly TemplateProblem[] }
  | {
      readonly type: "previewed";
      readonly output: string;
      readonly resolved: readonly string[];
      readonly unresolved: readonly string[];
    }
  | JobFailure;

export interface JobFailure {
  readonly type: "failed";
  readonly code: RenderFailure;
  readonly message: string;
}

export interface TemplateProblem {
  readonly field: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** To a thread and back: some jobs at once, so that a post costs little. A text is the data of one more job with the templates before it. */
export interface Batch {
  readonly jobs: readonly (Job | string)[];
}

export function packJobs(jobs: readonly Job[]): Batch["jobs"] {
  let last: RenderJob | undefined;
  return jobs.map((job) => {
    if (job.type !== "render") return job;
    if (last && hasSameTemplates(job, last)) return job.data;
    last = job;
    return job;
  });
}

function hasSameTemplates(a: RenderJob, b: RenderJob): boolean {
  return (
    a.body === b.body &&
    a.subject === b.subject &&
    a.engine === b.engine &&
    a.html === b.html &&
    a.layout?.body === b.layout?.body &&
    a.layout?.engine === b.layout?.engine
  );
}

export function unpackJobs(jobs: Batch["jobs"]): readonly Job[] {
  let last: RenderJob | undefined;
  return jobs.map((job) => {
    if (typeof job === "string") return { ...last!, data: job };
    if (job.type === "render") last = job;
    return job;
  });
}

/** Of the first jobs, or of all: a thread that took long gives the rest back. */
export interface BatchDone {
  readonly results: readonly JobResult[];
}

export interface ThreadData {
  /** One number: which job of the batch runs; -1 between batches. */
  readonly progress: Int32Array;
}
