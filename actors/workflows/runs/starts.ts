import { fromRfc3339, limits } from "#base";
import type { Step } from "../body/body.ts";
import { stepTypeOf } from "../steps/index.ts";
import { expressionFailed, type RunDraft, tooLarge } from "./draft.ts";
import type { Outcome, StepState } from "./run.ts";

/** `again`: by itself, after a refusal; then it is not asked anew whether the step is wanted. */
export function begin(draft: RunDraft, step: Step, attempt: number, again = false): void {
  const started: StepState = {
    id: step.id,
    type: step.type,
    status: "running",
    attempt,
    startedAt: draft.now,
    endedAt: 0,
  };
  const wanted = step.when === undefined || again ? { value: true } : draft.holds(step.when);
  if ("error" in wanted) draft.fail(started, expressionFailed("when", wanted.error));
  else if (wanted.value) start(draft, step, started);
  else draft.put({ ...started, status: "skipped", endedAt: draft.now });
}

function start(draft: RunDraft, step: Step, started: StepState): void {
  switch (step.type) {
    case "branch":
      chooseCase(draft, step, started);
      return;
    case "parallel":
      draft.put(started);
      return;
    case "wait":
      startWait(draft, step, started);
      return;
    case "wait_event":
      startWaitEvent(draft, step, started);
      return;
    case "end":
      end(draft, step, started);
      return;
    default:
      startCall(draft, step, started);
  }
}

function chooseCase(draft: RunDraft, step: Step, started: StepState): void {
  const cases = step.cases as readonly { when: string }[];
  for (const [index, { when }] of cases.entries()) {
    const held = draft.holds(when);
    if ("error" in held) {
      draft.fail(started, expressionFailed(`cases[${index}].when`, held.error));
      return;
    }
    if (held.value) {
      draft.put({ ...started, taken: index });
      return;
    }
  }
  draft.put({ ...started, taken: step.else ? cases.length : -1 });
}

function startWait(draft: RunDraft, step: Step, started: StepState): void {
  const filled = draft.fill(step.seconds ?? step.until);
  if ("error" in filled) {
    draft.fail(started, expressionFailed(step.seconds === undefined ? "until" : "seconds", filled.error));
    return;
  }
  const { value } = filled;
  const at = step.seconds === undefined ? fromRfc3339(String(value)) : draft.now + Number(value) * 1_000;
  const most = draft.now + limits.workflowTimeoutSecondsMax * 1_000;
  if (typeof value === "object" || value === "" || !(at <= most)) {
    draft.fail(started, expressionFailed("wait", `${JSON.stringify(value)} is no time within a year`));
    return;
  }
  if (at <= draft.now) draft.succeed(step, started, null);
  else draft.put({ ...started, wait: { on: "timer", at: Math.ceil(at) } });
}

function startWaitEvent(draft: RunDraft, step: Step, started: StepState): void {
  const filled = draft.fill(step.event_key);
  if ("error" in filled || typeof filled.value !== "string") {
    draft.fail(started, expressionFailed("event_key", "error" in filled ? filled.error : "is no text"));
    return;
  }
  const timeoutAt = step.timeout_seconds === undefined ? 0 : draft.now + step.timeout_seconds * 1_000;
  draft.put({ ...started, wait: { on: "event", key: filled.value, timeoutAt } });
  takeEvent(draft, draft.steps.get(step.id)!);
}

/** The oldest event of its key that no step has taken. */
export function takeEvent(draft: RunDraft, state: StepState): void {
  const { wait } = state;
  if (wait?.on !== "event") return;
  const event = draft.events.find(({ key, number }) => key === wait.key && !draft.taken.has(number));
  if (!event) return;
  draft.taken.add(event.number);
  const output = { timed_out: false, event_id: event.id, payload: event.payload };
  draft.succeed(draft.byId.get(state.id)!, state, output);
}

function end(draft: RunDraft, step: Step, started: StepState): void {
  const filled = step.output === undefined ? { value: null } : draft.fill(step.output);
  if ("error" in filled) {
    draft.fail(started, expressionFailed("output", filled.error));
    return;
  }
  const { value } = filled;
  const error = { code: "ENDED", detail: `the step ${step.id} ends the run as failed`, stepId: step.id };
  const outcome: Outcome =
    step.status === "failed"
      ? { status: "failed", error, output: value }
      : { status: "succeeded", output: value };
  draft.put({ ...started, status: "succeeded", output: tooLarge(value) ?? outcome, endedAt: draft.now });
}

function startCall(draft: RunDraft, step: Step, started: StepState): void {
  const type = stepTypeOf(step.type);
  const filled = draft.fill(fieldsOf(step));
  if (!type?.call || "error" in filled) {
    draft.fail(
      started,
      expressionFailed(step.type, "error" in filled ? filled.error : "is no step of this build"),
    );
    return;
  }
  const call = type.call(filled.value as Readonly<Record<string, unknown>>, step, draft.run);
  const seconds = step.timeout_seconds ?? limits.workflowCallSeconds;
  draft.put({ ...started, wait: { on: "call", call, timeoutAt: draft.now + seconds * 1_000 } });
  draft.calls.push({ id: `${step.id}/${started.attempt}`, call });
}

/** What a step's type reads: everything but what all steps have. */
function fieldsOf(step: Step): object {
  const { id, type, when, retry, timeout_seconds, on_error, select, ...fields } = step;
  return fields;
}
