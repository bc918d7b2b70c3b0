import { limits } from "#base";
import type { Step } from "../body/body.ts";
import { type Answer, stepTypeOf } from "../steps/index.ts";
import { type RunDraft, without } from "./draft.ts";
import type { Finished, RunError, StepState } from "./run.ts";
import { begin } from "./starts.ts";

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
export function called(draft: RunDraft, id: string, result: CallResult): void {
  const [stepId = "", attempt, undo] = id.split("/");
  const state = draft.steps.get(stepId);
  if (undo !== undefined || !state || state.attempt !== Number(attempt) || state.wait?.on !== "call") return;
  const step = draft.byId.get(stepId)!;
  const type = stepTypeOf(step.type)!;
  const { wait } = state;
  const answered =
    "answer" in result ? (type.answered?.(result.answer, step) ?? { output: result.answer }) : undefined;
  draft.progress();
  if (state.status === "cancelling") {
    if (answered && "held" in answered && !wait.early) draft.undo(state, answered.held);
    draft.put(without(state, "cancelled", draft.now));
  } else if (state.status !== "running") return;
  else if (!answered) refused(draft, step, state, result as Refused);
  else if ("output" in answered) draft.succeed(step, state, answered.output);
  else {
    const timeoutAt = step.timeout_seconds === undefined ? 0 : wait.timeoutAt;
    draft.put({ ...state, wait: { on: "held", held: answered.held, timeoutAt } });
    if (wait.early) finished(draft, id, wait.early);
  }
}

type Refused = Extract<CallResult, { refused: unknown }>;

function refused(draft: RunDraft, step: Step, state: StepState, { refused: told }: Refused): void {
  const { retryable, ...error } = told;
  if (retryable) tryAgain(draft, step, state, error);
  else draft.fail(state, error);
}

/** Only where a repeat may end well, and surely does nothing twice. */
function tryAgain(draft: RunDraft, step: Step, state: StepState, error: RunError): void {
  const { max_attempts: most = 3, initial_ms: initial = 1_000, max_ms: max = 600_000 } = step.retry ?? {};
  if (state.attempt >= most) {
    draft.fail(state, error);
    return;
  }
  const at = draft.now + Math.min(max, initial * 2 ** (state.attempt - 1));
  draft.put({ ...state, error, wait: { on: "retry", at } });
}

export function finished(draft: RunDraft, ref: string, how: Finished): void {
  const [stepId = "", attempt] = ref.split("/");
  const state = draft.steps.get(stepId);
  if (!state || state.attempt !== Number(attempt)) return;
  if (state.wait?.on === "call" && (state.status === "running" || state.status === "cancelling")) {
    draft.put({ ...state, wait: { ...state.wait, early: how } });
    return;
  }
  if (state.status !== "running" || state.wait?.on !== "held") return;
  draft.progress();
  const step = draft.byId.get(stepId)!;
  if (how.ok) draft.succeed(step, state, { ...state.wait.held, result: how.result ?? null });
  else if (how.retryable && !how.outcomeUnknown) tryAgain(draft, step, state, errorOf(how));
  else draft.fail(state, errorOf(how));
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
export function time(draft: RunDraft): void {
  const now = draft.now;
  if (!draft.run.outcome && draft.run.deadlineAt <= now) {
    const detail = "the run has not ended within its timeout";
    draft.run = { ...draft.run, outcome: { status: "failed", error: { code: "TIMEOUT", detail } } };
    return;
  }
  for (const state of [...draft.steps.values()]) {
    const { wait, status } = state;
    if (!wait || (status !== "running" && status !== "cancelling")) continue;
    const step = draft.byId.get(state.id)!;
    if (wait.on === "timer" && wait.at <= now) draft.succeed(step, state, null);
    else if (wait.on === "retry" && wait.at <= now) begin(draft, step, state.attempt + 1, true);
    else if (wait.on !== "timer" && wait.on !== "retry" && wait.timeoutAt > 0 && wait.timeoutAt <= now)
      timedOut(draft, step, state);
  }
  const { progressAt, idleSince } = draft.run;
  if (draft.run.outcome || Math.max(progressAt, idleSince) + limits.workflowIdleMs > now) return;
  handOutAnew(draft);
}

/** No answer for long: its effect is asked for again, with the same key. */
function handOutAnew(draft: RunDraft): void {
  let waits = false;
  for (const { id, attempt, wait, status } of draft.steps.values())
    if (wait?.on === "call" && status === "running") {
      waits = true;
      draft.calls.push({ id: `${id}/${attempt}`, call: wait.call });
    }
  if (waits) draft.run = { ...draft.run, idleSince: draft.now };
}

function timedOut(draft: RunDraft, step: Step, state: StepState): void {
  const { wait } = state;
  if (wait?.on === "event") draft.succeed(step, state, { timed_out: true });
  else if (state.status === "cancelling") draft.put(without(state, "cancelled", draft.now));
  else {
    if (wait?.on === "held") draft.undo(state, wait.held);
    const detail = "the step has not ended within its timeout";
    const unknown = wait?.on === "call" || stepTypeOf(step.type)?.actsOutside;
    draft.fail(state, { code: "TIMEOUT", detail, ...(unknown && { outcomeUnknown: true }) });
  }
}
