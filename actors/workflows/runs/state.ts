import { isDeepStrictEqual } from "node:util";
import { limits } from "#base";
import { type Address, isRowOf, type RowWriter, rowsOf, type StoredRow } from "#runtime";
import { applying } from "../../kit/table.ts";
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
}

export type Event =
  | RunCreation
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

type Start = Pick<RunCreation, "body" | "input">;

const runRows = rowsOf<Run, readonly []>("run");
const startRows = rowsOf<Start, readonly []>("start");
const stepRows = rowsOf<StepState, readonly [number]>("steps");
const eventRows = rowsOf<KeptEvent, readonly [number]>("events");
const seenRows = rowsOf<number>("seen");
const keptRows = rowsOf<Happened, readonly [number]>("kept");

export const resident = [runRows, startRows, stepRows, eventRows, seenRows, keptRows];

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
  };
}

export function restore(state: State, row: StoredRow): void {
  if (isRowOf(row, runRows)) state.run = row.value;
  else if (isRowOf(row, startRows)) begin(state, row.value);
  else if (isRowOf(row, stepRows)) state.steps.set(row.value.id, row.value);
  else if (isRowOf(row, eventRows)) state.events.set(row.key[0], row.value);
  else if (isRowOf(row, seenRows)) state.seen.add(row.key[0]);
  else if (isRowOf(row, keptRows)) state.kept.set(row.key[0], row.value);
}

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

export const apply = applying<State, Event>({
  create(state, { run, body, input }, rows) {
    const start = { body, input };
    begin(state, start);
    rows.put(startRows, [], start);
    state.run = run;
    // One that this build runs has its first advance in the same commit.
    if (isCompatible(state)) return;
    rows.put(runRows, [], run);
    rows.setTimer("due", rows.now + limits.workflowIdleMs);
    tellIndex(state, run, rows);
  },
  advanced(state, event, rows) {
    advanced(state, event.advanced, rows, event.listed ?? state.run!.status);
    if (event.unkept) {
      rows.deletePrefix(keptRows, []);
      state.kept.clear();
    }
  },
  signalled(state, event, rows) {
    state.events.set(event.event.number, event.event);
    state.seen.add(event.event.id);
    rows.put(eventRows, [event.event.number], event.event);
    rows.put(seenRows, [event.event.id], event.event.number);
  },
  kept(state, { number, happened }, rows) {
    state.kept.set(number, happened);
    rows.put(keptRows, [number], happened);
  },
  looked: (_state, _event, rows) => rows.setTimer("due", rows.now + limits.workflowIdleMs),
  dismissed: (state, { atMs }, rows) =>
    putRun(state, { ...state.run!, dismissedAt: atMs }, rows, state.run!.status),
  forgotten: (state, { id }, rows) => forget(state, id, rows),
});

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
    rows.put(stepRows, [[...state.steps.keys()].indexOf(step.id)], step);
  }
  for (const number of taken) {
    state.events.delete(number);
    rows.delete(eventRows, [number]);
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

/** Its index hears of it where a list or a count would show it. `listed`: the status that it has there. */
function putRun(state: State, next: Run, rows: RowWriter, listed: RunStatus): void {
  const before = state.run!;
  const changed = isDeepStrictEqual(next, before)
    ? before
    : { ...next, updatedAt: rows.now, recordVersion: before.recordVersion + 1 };
  state.run = changed;
  if (changed === before) return;
  rows.put(runRows, [], changed);
  const { id, status, definitionId, version } = changed;
  if (status !== before.status)
    rows.publish(`workflow_run.${status}`, id, { definition_id: definitionId, version });
  const was = entryOf(before, false);
  const is = entryOf(changed, false);
  if (listed !== is.status || was.mark !== is.mark) tellIndex(state, changed, rows);
}

function tellIndex(state: State, run: Run, rows: RowWriter): void {
  const changed: IndexMessage = { type: "changed", entry: entryOf(run, !isCompatible(state)) };
  rows.send(indexOfRun(state.tenant, run.id), changed);
}

function forget(state: State, id: string, rows: RowWriter): void {
  for (const { id: step, attempt, wait } of state.steps.values())
    if (wait?.on === "call") rows.endEffect(`${step}/${attempt}`);
  for (const collection of resident) rows.deletePrefix(collection, []);
  for (const timer of ["due", "forget"]) rows.clearTimer(timer);
  Object.assign(state, empty({ kind: "workflow_run", tenant: state.tenant, key: id }));
  const deleted: IndexMessage = { type: "deleted", id };
  rows.send(indexOfRun(state.tenant, id), deleted);
}
