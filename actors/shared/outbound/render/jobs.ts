import type { Engine, RenderFailure } from "../types.ts";

/** What render threads do. Everything in it is text or JSON. */
export type Job =
  | {
      readonly type: "render";
      readonly html: boolean;
      readonly engine: Engine;
      readonly subject: string;
      readonly body: string;
      readonly layout?: { readonly engine: Engine; readonly body: string };
      /** JSON of an object. */
      readonly data: string;
    }
  | { readonly type: "check"; readonly templates: readonly CheckedTemplate[] }
  | {
      readonly type: "preview";
      readonly html: boolean;
      readonly engine: Engine;
      readonly body: string;
      readonly data: string;
    };

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

/** To a thread and back: some jobs at once, so that a post costs little. */
export interface Batch {
  readonly jobs: readonly Job[];
}

export interface BatchDone {
  readonly results: readonly JobResult[];
}

export interface ThreadData {
  /** One number: which job of the batch runs; -1 between batches. */
  readonly progress: Int32Array;
}
