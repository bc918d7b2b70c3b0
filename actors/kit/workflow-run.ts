import { hash32 } from "#base";
import type { Address } from "#runtime";
import { contractMethod, method } from "./ask.ts";
import type { Message } from "./record.ts";

/** One run; the waits and streams of a run have the same key. */
export function runAt(tenant: string, runId: string): Address {
  return { kind: "workflow_run", tenant, key: runId };
}

export const getRun = contractMethod<{ readonly run_id: string }, Message & { readonly environment: string }>(
  "workflow_run",
  "WorkflowRunService.GetRun",
);
export const signalRun = method<SignalRequest, { readonly event_id: string; readonly duplicate: boolean }>(
  "workflow_run",
  "Signal",
);

export interface SignalRequest {
  readonly event_key: string;
  readonly event_id?: string;
  readonly payload?: unknown;
}

/** The characters of an id that say which entity lists its run. */
const indexKeys: readonly string[] = [..."0123456789ABCDEF"];

/** The entities that list the runs of a tenant. */
export const runIndexes = { kind: "workflow_index", count: indexKeys.length, keys: indexKeys };

/** A run that is found by this text is listed here: equal texts meet in one entity. */
export function runIndexOf(tenant: string, text: string): Address {
  return { kind: "workflow_index", tenant, key: indexKeys[hash32(text) % indexKeys.length]! };
}

/** The entity that lists this run. */
export function indexOfRun(tenant: string, runId: string): Address {
  return { kind: "workflow_index", tenant, key: runId[10]! };
}

/**
 * To the entity that a call named as its `origin`, when what the call started has ended: `ref` is the origin's own, and only
 * the first one of it counts.
 */
export interface OriginFinished {
  readonly type: "finished";
  readonly ref: string;
  readonly finished: {
    /** It ended as it was meant to. */
    readonly ok: boolean;
    readonly state: string;
    /** Of what was started. */
    readonly id?: string;
    readonly result?: unknown;
    readonly error?: string;
    /** Why it did not end well, by a name that callers may act on. */
    readonly code?: string;
    /** To start it again may end well. */
    readonly retryable?: boolean;
    /** What it did outside may have happened, or not: to start it again may do it twice. */
    readonly outcomeUnknown?: true;
  };
}

/** To a run: an event that its steps may wait for. At least once; told apart by `id`. */
export interface RunSignal {
  readonly type: "signal";
  readonly event: { readonly id: string; readonly key: string; readonly payload: unknown };
}
