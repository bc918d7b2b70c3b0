import { limits } from "#base";
import type { OriginFinished } from "../../kit/workflow-run.ts";
import type { Call } from "../steps/index.ts";

export type RunStatus = "pending" | "running" | "succeeded" | "failed" | "cancelling" | "cancelled";

/** What a run knows of itself besides its steps. Times in milliseconds, 0 where there is none. */
export interface Run {
  readonly id: string;
  readonly tenant: string;
  readonly environment: string;
  readonly definitionId: string;
  readonly definitionKey: string;
  readonly version: number;
  readonly runKey: string;
  readonly status: RunStatus;
  /** How it ends, once what is under way has been taken back. */
  readonly outcome?: Outcome;
  readonly output?: unknown;
  readonly error?: RunError;
  /** When it fails unless it has ended; moved on by a retry. */
  readonly deadlineAt: number;
  /** Of the outputs of its steps. */
  readonly outputBytes: number;
  /** The last time that something happened in it. */
  readonly progressAt: number;
  readonly idleSince: number;
  readonly dismissedAt: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly endedAt: number;
  readonly recordVersion: number;
}

export type Outcome =
  | { readonly status: "succeeded"; readonly output: unknown }
  | { readonly status: "failed"; readonly error: RunError; readonly output?: unknown }
  | { readonly status: "cancelled" };

export interface RunError {
  /** Of the catalogue, or EXPRESSION_FAILED, OUTPUT_TOO_LARGE, ITEM_<state>, ENDED; of an action, that of its execution. */
  readonly code: string;
  readonly detail: string;
  readonly reason?: string;
  /** What was asked for may have happened. */
  readonly outcomeUnknown?: true;
  readonly stepId?: string;
}

/** A step that has begun; one that has not is not there. */
export interface StepState {
  readonly id: string;
  readonly type: string;
  /** `pending`: it is to begin anew. `cancelling`: the run does not wait for it, and its call has not been answered yet. */
  readonly status: "pending" | "running" | "succeeded" | "failed" | "skipped" | "cancelling" | "cancelled";
  readonly attempt: number;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly output?: unknown;
  readonly error?: RunError;
  /** What it waits for, while it runs. */
  readonly wait?: Wait;
  /** Of a branch: the list that it took; -1: none. */
  readonly taken?: number;
}

export type Wait =
  /** For the answer of its call. `early`: what it started has ended before that. */
  | { readonly on: "call"; readonly call: Call; readonly timeoutAt: number; readonly early?: Finished }
  /** For the end of what its call started. */
  | { readonly on: "held"; readonly held: Readonly<Record<string, unknown>>; readonly timeoutAt: number }
  | { readonly on: "timer"; readonly at: number }
  | { readonly on: "event"; readonly key: string; readonly timeoutAt: number }
  /** For its next attempt. */
  | { readonly on: "retry"; readonly at: number };

/** How what a step started has ended. */
export type Finished = OriginFinished["finished"];

/** A signal that no step has waited for yet. */
export interface KeptEvent {
  readonly number: number;
  readonly id: string;
  readonly key: string;
  readonly payload: unknown;
}

/** All that an advance looks at. */
export interface RunView {
  readonly run: Run;
  readonly input: unknown;
  readonly steps: ReadonlyMap<string, StepState>;
  readonly events: readonly KeptEvent[];
}

/** What has changed, and what is to be done outside. */
export interface Advanced {
  readonly run: Run;
  readonly steps: readonly StepState[];
  /** Numbers of events that steps have taken. */
  readonly taken: readonly number[];
  readonly calls: readonly EffectCall[];
  /** Steps that have failed for good. */
  readonly failed: readonly StepState[];
}

export interface EffectCall {
  /** `<step>/<attempt>`, with `/undo` where it takes back: with the run's id the key of the call. */
  readonly id: string;
  readonly call: Call;
}

export function isOver(status: RunStatus): boolean {
  return status === "succeeded" || status === "failed" || status === "cancelled";
}

/** When the run must be looked at next; 0: never. */
export function nextDue({ run, steps }: Pick<RunView, "run" | "steps">, now: number): number {
  if (isOver(run.status)) return 0;
  let due = run.outcome ? 0 : run.deadlineAt;
  const earlier = (at: number) => {
    if (at > 0 && (due === 0 || at < due)) due = at;
  };
  const idleAt = Math.max(run.progressAt, run.idleSince) + limits.workflowIdleMs;
  for (const { wait, status } of steps.values()) {
    if (!wait || (status !== "running" && status !== "cancelling")) continue;
    if (wait.on === "timer" || wait.on === "retry") earlier(wait.at);
    else if (wait.on !== "call") earlier(wait.timeoutAt);
    else {
      earlier(looked(wait.timeoutAt, now));
      if (status === "running" && !run.outcome) earlier(looked(idleAt, now));
    }
  }
  return due;
}

/** A time that is minutes away is rounded down to a minute: calls are answered long before, and those of a run share a timer. */
function looked(at: number, now: number): number {
  return at - now < 2 * limits.workflowLookMs ? at : at - (at % limits.workflowLookMs);
}
