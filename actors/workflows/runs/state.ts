import { isDeepStrictEqual } from "node:util";
import { limits } from "#base";
import type { Address, RowWriter, StoredRow } from "#runtime";
import { indexOfRun } from "../../kit/workflow-run.ts";
import { type Body, bodySchema } from "../body/body.ts";
import type { Happened } from "./advance.ts";
import { entryOf, type IndexMessage, type RunCreation } from "./record.ts";
import {
  type Advanced,
  isOver,
  type KeptEvent,
  nextDue,
  type Run,
  type RunStatus,
  type StepState,
} from "./run.ts";

export interface State {
  readonly tenant: string;
  run: Run | undefined;
  body: Body | undefined;
  input: unknown;
  /** Of body and input, as JSON. */
  startBytes: number;
  /** In the order in which they began. */
  readonly steps: Map<string, StepState>;
  /** Signals that no step has taken, oldest first. */
  readonly events: Map<number, KeptEvent>;
  /** Ids of all signals, taken ones among them. */
  readonly seen: Set<string>;
  /** What happened while the body was of a later build: it waits for that. */
  readonly kept: Map<number, Happened>;
  /** Seals cursors. */
  secret: string;
}

export type Event =
  | (RunCreation & { readonly secret: string })
  | {
      readonly type: "advanced";
      readonly advanced: Advanced;
      readonly unkept?: true;
      /** The status that its index lists; unset: the one that it had. */
      readonly listed?: RunStatus;
    }
  | { readonly type: "signalled"; readonly event: KeptEvent }
  | { readonly type: "kept"; readonly number: number; readonly happened: Happened }
  | { readonly type: "looked" }
  | { readonly type: "dismissed"; readonly atMs: number }
  | { readonly type: "forgotten"; readonly id: string };

export const resident = ["run", "start", "steps", "events", "seen", "kept"];

export function empty({ tenant }: Address): State {
  return {
    tenant,
    run: undefined,
    body: undefined,
    input: undefined,
    startBytes: 0,
    steps: new Map(),
    events: new Map(),
    seen: new Set(),
    kept: new Map(),
    secret: "",
  };
}

export function restore(state: State, { collection, key, value }: StoredRow): void {
  switch (collection) {
    case "run":
      state.run = value as Run;
      return;
    case "start":
      begin(state, value as Start);
      return;
    case "steps":
      state.steps.set((value as StepState).id, value as StepState);
      return;
    case "events":
      state.events.set(key[0] as number, value as KeptEvent);
      return;
    case "seen":
      state.seen.add(key[0] as string);
      return;
    case "kept":
      state.kept.set(key[0] as number, value as Happened);
      return;
  }
}

type Start = Pick<RunCreation, "body" | "input"> & { readonly secret: string };

function begin(state: State, start: Start): void {
  Object.assign(state, start);
  state.startBytes = Buffer.byteLength(JSON.stringify(start));
}

/** Beside its steps, a run has its own copy of the body, the input, and what its steps answered. */
export function bytesOf({ startBytes, run, steps }: State): number {
  return run ? startBytes + run.outputBytes + steps.size * stepBytes : 0;
}

const stepBytes = 500;

/** Whether this build runs the body. */
export function isCompatible({ body }: Pick<State, "body">): boolean {
  return (body?.schema ?? bodySchema) === bodySchema;
}

export function apply(state: State, event: Event, rows: RowWriter): void {
  switch (event.type) {
    case "create":
      create(state, event, rows);
      return;
    case "advanced":
      advanced(state, event.advanced, rows, event.listed ?? state.run!.status);
      if (event.unkept) {
        rows.deletePrefix("kept", []);
        state.kept.clear();
      }
      return;
    case "signalled":
      state.events.set(event.event.number, event.event);
      state.seen.add(event.event.id);
      rows.put("events", [event.event.number], event.event);
      rows.put("seen", [event.event.id], event.event.number);
      return;
    case "kept":
      state.kept.set(event.number, event.happened);
      rows.put("kept", [event.number], event.happened);
      return;
    case "looked":
      rows.setTimer("due", rows.now + limits.workflowIdleMs);
      return;
    case "dismissed":
      putRun(state, { ...state.run!, dismissedAt: event.atMs }, rows, state.run!.status);
      return;
    case "forgotten":
      forget(state, event.id, rows);
      return;
  }
}

function create(
  state: State,
  { run, body, input, secret }: RunCreation & { secret: string },
  rows: RowWriter,
): void {
  const start = { body, input, secret };
  begin(state, start);
  rows.put("start", [], start);
  state.run = run;
  // One that this build runs has its first advance in the same commit.
  if (isCompatible(state)) return;
  rows.put("run", [], run);
  rows.setTimer("due", rows.now + limits.workflowIdleMs);
  tellIndex(state, run, rows);
}

function advanced(
  state: State,
  { run, steps, taken, calls, failed }: Advanced,
  rows: RowWriter,
  listed: RunStatus,
): void {
  const wasOver = isOver(state.run!.status);
  for (const step of steps) {
    // Where a step stands among the others is the number of its row.
    state.steps.set(step.id, step);
    rows.put("steps", [[...state.steps.keys()].indexOf(step.id)], step);
  }
  for (const number of taken) {
    state.events.delete(number);
    rows.delete("events", [number]);
  }
  const subject = `workflow:${run.definitionId}`;
  for (const { id, call } of calls)
    rows.effect(id, {
      kind: "workflow_call",
      dueMs: rows.now,
      body: { call, subject, environment: run.environment },
    });
  for (const { id, type, attempt, error } of failed)
    rows.publish("workflow_step.failed", run.id, { step_id: id, type, attempt, code: error!.code });
  putRun(state, run, rows, listed);
  const due = nextDue({ run, steps: state.steps }, rows.now);
  if (due > 0) rows.setTimer("due", due);
  else rows.clearTimer("due");
  if (isOver(run.status)) rows.setTimer("forget", rows.now + limits.workflowKeptMs);
  else if (wasOver) rows.clearTimer("forget");
}

/** Its index hears of it where a list or a figure would tell. `listed`: the status that it has there. */
function putRun(state: State, next: Run, rows: RowWriter, listed: RunStatus): void {
  const before = state.run!;
  const changed = isDeepStrictEqual(next, before)
    ? before
    : { ...next, updatedAt: rows.now, recordVersion: before.recordVersion + 1 };
  state.run = changed;
  if (changed === before) return;
  rows.put("run", [], changed);
  const { id, status, definitionId, version } = changed;
  if (status !== before.status)
    rows.publish(`workflow_run.${status}`, id, { definition_id: definitionId, version });
  const was = entryOf(before, false);
  const is = entryOf(changed, false);
  if (listed !== is.status || was.mark !== is.mark) tellIndex(state, changed, rows);
}

function tellIndex(state: State, run: Run, rows: RowWriter): void {
  const told: IndexMessage = { type: "changed", entry: entryOf(run, !isCompatible(state)) };
  rows.send(indexOfRun(state.tenant, run.id), told);
}

function forget(state: State, id: string, rows: RowWriter): void {
  for (const { id: step, attempt, wait } of state.steps.values())
    if (wait?.on === "call") rows.endEffect(`${step}/${attempt}`);
  for (const collection of resident) rows.deletePrefix(collection, []);
  for (const timer of ["due", "forget"]) rows.clearTimer(timer);
  Object.assign(state, empty({ kind: "workflow_run", tenant: state.tenant, key: id }));
  const told: IndexMessage = { type: "deleted", id };
  rows.send(indexOfRun(state.tenant, id), told);
}
