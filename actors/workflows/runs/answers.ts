import { limits } from "#base";
import type { Step } from "../body/body.ts";
import { type Answer, stepTypeOf } from "../steps/index.ts";
import type { Finished, RunError, StepState } from "./run.ts";
import { begin } from "./starts.ts";
import { type UnitOfWork, without } from "./unit-of-work.ts";

export type CallResult =
  | { readonly answer: Answer }
  | {
      readonly refused: {
        readonly code: string;
        readonly detail: string;
        readonly reason?: string;
        readonly retryable: boolean;
      };
    };

/** Only the answer of the attempt that is under way counts. */
export function called(unit: UnitOfWork, id: string, result: CallResult): void {
  const [stepId = "", attempt, undo] = id.split("/");
  const state = unit.steps.get(stepId);
  if (undo !== undefined || !state || state.attempt !== Number(attempt) || state.wait?.on !== "call") return;
  const step = unit.byId.get(stepId)!;
  const type = stepTypeOf(step.type)!;
  const { wait } = state;
  const answered =
    "refused" in result ? result : (type.answered?.(result.answer, step) ?? { output: result.answer });
  unit.progress();
  if (state.status === "cancelling") {
    if ("held" in answered && !wait.early) unit.undo(state, answered.held);
    unit.put(without(state, "cancelled", unit.now));
  } else if (state.status !== "running") return;
  else if ("refused" in answered) refused(unit, step, state, answered);
  else if ("output" in answered) unit.succeed(step, state, answered.output);
  else {
    const timeoutAt = step.timeout_seconds === undefined ? 0 : wait.timeoutAt;
    unit.put({ ...state, wait: { on: "held", held: answered.held, timeoutAt } });
    if (wait.early) finished(unit, id, wait.early);
  }
}

type Refused = Extract<CallResult, { refused: unknown }>;

function refused(
  unit: UnitOfWork,
  step: Step,
  state: StepState,
  { refused: { retryable, ...error } }: Refused,
): void {
  if (retryable) tryAgain(unit, step, state, error);
  else unit.fail(state, error);
}

/** Only where a repeat may end well, and surely does nothing twice. */
function tryAgain(unit: UnitOfWork, step: Step, state: StepState, error: RunError): void {
  const { max_attempts: most = 3, initial_ms: initial = 1_000, max_ms: max = 600_000 } = step.retry ?? {};
  if (state.attempt >= most) {
    unit.fail(state, error);
    return;
  }
  const at = unit.now + Math.min(max, initial * 2 ** (state.attempt - 1));
  unit.put({ ...state, error, wait: { on: "retry", at } });
}

export function finished(unit: UnitOfWork, ref: string, how: Finished): void {
  const [stepId = "", attempt] = ref.split("/");
  const state = unit.steps.get(stepId);
  if (!state || state.attempt !== Number(attempt)) return;
  if (state.wait?.on === "call" && (state.status === "running" || state.status === "cancelling")) {
    unit.put({ ...state, wait: { ...state.wait, early: how } });
    return;
  }
  if (state.status !== "running" || state.wait?.on !== "held") return;
  unit.progress();
  const step = unit.byId.get(stepId)!;
  if (how.ok) unit.succeed(step, state, { ...state.wait.held, result: how.result ?? null });
  else if (how.retryable && !how.outcomeUnknown) tryAgain(unit, step, state, errorOf(how));
  else unit.fail(state, errorOf(how));
}

/** Items have no code of their own: how they ended is it. */
function errorOf({ code, error, state, outcomeUnknown }: Finished): RunError {
  return {
    code: code ?? `ITEM_${state.toUpperCase()}`,
    detail: error || `it ended as ${state}`,
    ...(outcomeUnknown && { outcomeUnknown }),
  };
}

/** Everything whose time has come. */
export function time(unit: UnitOfWork): void {
  const now = unit.now;
  if (!unit.run.outcome && unit.run.deadlineAt <= now) {
    const detail = "the run has not ended within its timeout";
    unit.run = { ...unit.run, outcome: { status: "failed", error: { code: "TIMEOUT", detail } } };
    return;
  }
  for (const state of [...unit.steps.values()]) {
    const { wait, status } = state;
    if (!wait || (status !== "running" && status !== "cancelling")) continue;
    const step = unit.byId.get(state.id)!;
    if (wait.on === "timer" && wait.at <= now) unit.succeed(step, state, null);
    else if (wait.on === "retry" && wait.at <= now) begin(unit, step, state.attempt + 1, true);
    else if (wait.on !== "timer" && wait.on !== "retry" && wait.timeoutAt > 0 && wait.timeoutAt <= now)
      timedOut(unit, step, state);
  }
  const { progressAt, idleSince } = unit.run;
  if (unit.run.outcome || Math.max(progressAt, idleSince) + limits.workflowIdleMs > now) return;
  handOutAnew(unit);
}

/** No answer for long: its effect is asked for again, with the same key. */
function handOutAnew(unit: UnitOfWork): void {
  let waits = false;
  for (const { id, attempt, wait, status } of unit.steps.values())
    if (wait?.on === "call" && status === "running") {
      waits = true;
      unit.calls.push({ id: `${id}/${attempt}`, call: wait.call });
    }
  if (waits) unit.run = { ...unit.run, idleSince: unit.now };
}

function timedOut(unit: UnitOfWork, step: Step, state: StepState): void {
  const { wait } = state;
  if (wait?.on === "event") unit.succeed(step, state, { timed_out: true });
  else if (state.status === "cancelling") unit.put(without(state, "cancelled", unit.now));
  else {
    if (wait?.on === "held") unit.undo(state, wait.held);
    const detail = "the step has not ended within its timeout";
    const unknown = wait?.on === "call" || stepTypeOf(step.type)?.actsOutside;
    unit.fail(state, { code: "TIMEOUT", detail, ...(unknown && { outcomeUnknown: true }) });
  }
}
