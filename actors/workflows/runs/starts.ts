import { fromRfc3339, limits } from "#base";
import type { Step } from "../body/body.ts";
import { stepTypeOf } from "../steps/index.ts";
import type { Outcome, StepState } from "./run.ts";
import { expressionFailed, tooLarge, type UnitOfWork } from "./unit-of-work.ts";

/** `again`: by itself, after a refusal; then it is not asked anew whether the step is wanted. */
export function begin(unit: UnitOfWork, step: Step, attempt: number, again = false): void {
  const started: StepState = {
    id: step.id,
    type: step.type,
    status: "running",
    attempt,
    startedAt: unit.now,
    endedAt: 0,
  };
  const wanted = step.when === undefined || again ? { value: true } : unit.holds(step.when);
  if ("error" in wanted) unit.fail(started, expressionFailed("when", wanted.error));
  else if (wanted.value) start(unit, step, started);
  else unit.put({ ...started, status: "skipped", endedAt: unit.now });
}

function start(unit: UnitOfWork, step: Step, started: StepState): void {
  switch (step.type) {
    case "branch":
      chooseCase(unit, step, started);
      return;
    case "parallel":
      unit.put(started);
      return;
    case "wait":
      startWait(unit, step, started);
      return;
    case "wait_event":
      startWaitEvent(unit, step, started);
      return;
    case "end":
      end(unit, step, started);
      return;
    default:
      startCall(unit, step, started);
  }
}

function chooseCase(unit: UnitOfWork, step: Step, started: StepState): void {
  const cases = step.cases as readonly { when: string }[];
  for (const [index, { when }] of cases.entries()) {
    const held = unit.holds(when);
    if ("error" in held) {
      unit.fail(started, expressionFailed(`cases[${index}].when`, held.error));
      return;
    }
    if (held.value) {
      unit.put({ ...started, taken: index });
      return;
    }
  }
  unit.put({ ...started, taken: step.else ? cases.length : -1 });
}

function startWait(unit: UnitOfWork, step: Step, started: StepState): void {
  const filled = unit.fill(step.seconds ?? step.until);
  if ("error" in filled) {
    unit.fail(started, expressionFailed(step.seconds === undefined ? "until" : "seconds", filled.error));
    return;
  }
  const { value } = filled;
  const at = step.seconds === undefined ? fromRfc3339(String(value)) : unit.now + Number(value) * 1_000;
  const most = unit.now + limits.workflowTimeoutSecondsMax * 1_000;
  if (typeof value === "object" || value === "" || !(at <= most)) {
    unit.fail(started, expressionFailed("wait", `${JSON.stringify(value)} is no time within a year`));
    return;
  }
  if (at <= unit.now) unit.succeed(step, started, null);
  else unit.put({ ...started, wait: { on: "timer", at: Math.ceil(at) } });
}

function startWaitEvent(unit: UnitOfWork, step: Step, started: StepState): void {
  const filled = unit.fill(step.event_key);
  if ("error" in filled || typeof filled.value !== "string") {
    unit.fail(started, expressionFailed("event_key", "error" in filled ? filled.error : "is no text"));
    return;
  }
  const timeoutAt = step.timeout_seconds === undefined ? 0 : unit.now + step.timeout_seconds * 1_000;
  unit.put({ ...started, wait: { on: "event", key: filled.value, timeoutAt } });
  takeEvent(unit, unit.steps.get(step.id)!);
}

/** The oldest event of its key that no step has taken. */
export function takeEvent(unit: UnitOfWork, state: StepState): void {
  const { wait } = state;
  if (wait?.on !== "event") return;
  const event = unit.events.find(({ key, number }) => key === wait.key && !unit.taken.has(number));
  if (!event) return;
  unit.taken.add(event.number);
  const output = { timed_out: false, event_id: event.id, payload: event.payload };
  unit.succeed(unit.byId.get(state.id)!, state, output);
}

function end(unit: UnitOfWork, step: Step, started: StepState): void {
  const filled = step.output === undefined ? { value: null } : unit.fill(step.output);
  if ("error" in filled) {
    unit.fail(started, expressionFailed("output", filled.error));
    return;
  }
  const { value } = filled;
  const error = { code: "ENDED", detail: `the step ${step.id} ends the run as failed`, stepId: step.id };
  const outcome: Outcome =
    step.status === "failed"
      ? { status: "failed", error, output: value }
      : { status: "succeeded", output: value };
  unit.put({ ...started, status: "succeeded", output: tooLarge(value) ?? outcome, endedAt: unit.now });
}

function startCall(unit: UnitOfWork, step: Step, started: StepState): void {
  const type = stepTypeOf(step.type);
  const filled = unit.fill(fieldsOf(step));
  if (!type?.call || "error" in filled) {
    unit.fail(
      started,
      expressionFailed(step.type, "error" in filled ? filled.error : "is no step of this build"),
    );
    return;
  }
  const call = type.call(filled.value as Readonly<Record<string, unknown>>, step, unit.run);
  const seconds = step.timeout_seconds ?? limits.workflowCallSeconds;
  unit.put({ ...started, wait: { on: "call", call, timeoutAt: unit.now + seconds * 1_000 } });
  unit.calls.push({ id: `${step.id}/${started.attempt}`, call });
}

/** What a step's type reads: everything but what all steps have. */
function fieldsOf(step: Step): object {
  const { id, type, when, retry, timeout_seconds, on_error, select, ...fields } = step;
  return fields;
}
