import { limits } from "#base";
import type { CelBindings } from "../../shared/cel-environment.ts";
import { allSteps, type Body, listsIn, type Step } from "../body/body.ts";
import { expressions, selections } from "../body/expression.ts";
import { fill } from "../body/template.ts";
import { type Answer, stepTypeOf } from "../steps/index.ts";
import type { Advanced, EffectCall, Finished, Outcome, Run, RunError, RunView, StepState } from "./run.ts";

/** What happened to a run since it was last looked at. */
export type Happened =
  | { readonly type: "started" }
  /** A call was answered: `id` as in `EffectCall`. */
  | { readonly type: "called"; readonly id: string; readonly result: CallResult }
  /** What a call started has ended. */
  | { readonly type: "finished"; readonly ref: string; readonly finished: Finished }
  | { readonly type: "time" }
  | { readonly type: "cancelled" }
  | { readonly type: "retried" }
  /** An event is kept that a step may take. */
  | { readonly type: "signalled" };

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

/** The engine: what a run becomes by what happened. Everything that can begin begins. */
export function advance(body: Body, view: RunView, happened: Happened, now: number): Advanced {
  return new Advance(body, view, now).take(happened);
}

/** How a list of steps stands. */
type Standing =
  | { readonly is: "open" | "done" }
  | { readonly is: "failed"; readonly error: RunError }
  | { readonly is: "ended"; readonly outcome: Outcome };

const open: Standing = { is: "open" };
const done: Standing = { is: "done" };

class Advance {
  readonly #body: Body;
  readonly #now: number;
  readonly #byId: ReadonlyMap<string, Step>;
  readonly #steps: Map<string, StepState>;
  readonly #changed = new Set<string>();
  readonly #taken = new Set<number>();
  readonly #calls: EffectCall[] = [];
  readonly #failed: StepState[] = [];
  readonly #events: RunView["events"];
  readonly #input: unknown;
  #run: Run;
  #bindings: CelBindings | undefined;

  constructor(body: Body, { run, input, steps, events }: RunView, now: number) {
    this.#body = body;
    this.#now = now;
    this.#byId = new Map(allSteps(body.steps).map((step) => [step.id, step]));
    this.#steps = new Map(steps);
    this.#events = events;
    this.#input = input;
    this.#run = run;
  }

  take(happened: Happened): Advanced {
    this.#fold(happened);
    if (!this.#run.outcome && this.#run.status !== "pending") this.#walk();
    this.#settle();
    return {
      run: this.#run,
      steps: [...this.#changed].map((id) => this.#steps.get(id)!),
      taken: [...this.#taken],
      calls: this.#calls,
      failed: this.#failed,
    };
  }

  #fold(happened: Happened): void {
    switch (happened.type) {
      case "started":
        this.#run = { ...this.#run, status: "running", progressAt: this.#now };
        return;
      case "called":
        this.#called(happened.id, happened.result);
        return;
      case "finished":
        this.#finished(happened.ref, happened.finished);
        return;
      case "time":
        this.#time();
        return;
      case "cancelled":
        this.#run = { ...this.#run, status: "cancelling", outcome: { status: "cancelled" } };
        return;
      case "retried":
        this.#retried();
        return;
      case "signalled":
        for (const step of this.#steps.values())
          if (step.status === "running" && step.wait?.on === "event") this.#takeEvent(step);
        return;
    }
  }

  #walk(): void {
    const standing = this.#list(this.#body.steps);
    if (standing.is === "ended") this.#run = { ...this.#run, outcome: standing.outcome };
    if (standing.is === "failed")
      this.#run = { ...this.#run, outcome: { status: "failed", error: standing.error } };
    if (standing.is !== "done") return;
    const { output } = this.#body;
    const filled = output === undefined ? { value: null } : this.#fill(output);
    this.#run = {
      ...this.#run,
      outcome:
        "error" in filled
          ? { status: "failed", error: { code: "EXPRESSION_FAILED", detail: `output: ${filled.error}` } }
          : (tooLarge(filled.value) ?? { status: "succeeded", output: filled.value }),
    };
  }

  /** Once it is known how the run ends, everything under way is taken back, and then it has ended. */
  #settle(): void {
    const { outcome } = this.#run;
    if (!outcome) return;
    this.#cancel(this.#body.steps);
    for (const { status } of this.#steps.values()) if (status === "cancelling") return;
    const { status, ...how } = outcome;
    this.#run = { ...this.#run, status, ...how, endedAt: this.#now };
  }

  /** In order: the next begins when the one before is done. */
  #list(steps: readonly Step[]): Standing {
    for (const step of steps) {
      const standing = this.#step(step);
      if (standing.is !== "done") return standing;
    }
    return done;
  }

  #step(step: Step): Standing {
    const known = this.#steps.get(step.id);
    if (!known || known.status === "pending") this.#begin(step, (known?.attempt ?? 0) + 1);
    const state = this.#steps.get(step.id)!;
    if (state.status === "running") {
      if (step.type === "branch") this.#branch(step, state);
      else if (step.type === "parallel") this.#parallel(step, state);
      else return open;
    }
    return this.#standingOf(step);
  }

  #standingOf(step: Step): Standing {
    const { status, error, output } = this.#steps.get(step.id)!;
    if (step.type === "end" && status === "succeeded") return { is: "ended", outcome: output as Outcome };
    if (this.#inner.has(step.id)) return this.#inner.get(step.id)!;
    if (status === "running") return open;
    return status === "failed" && step.on_error !== "continue" ? { is: "failed", error: error! } : done;
  }

  /** Of branches and parallels that are open, or inside which the run has ended. */
  readonly #inner = new Map<string, Standing>();

  /** `again`: by itself, after a refusal; then it is not asked anew whether the step is wanted. */
  #begin(step: Step, attempt: number, again = false): void {
    const started: StepState = {
      id: step.id,
      type: step.type,
      status: "running",
      attempt,
      startedAt: this.#now,
      endedAt: 0,
    };
    const wanted = step.when === undefined || again ? { value: true } : this.#holds(step.when);
    if ("error" in wanted) this.#fail(started, expressionFailed("when", wanted.error));
    else if (wanted.value) this.#start(step, started);
    else this.#put({ ...started, status: "skipped", endedAt: this.#now });
  }

  #holds(condition: string): { readonly value: boolean } | { readonly error: string } {
    const held = expressions.evaluate(condition, this.#bind());
    if ("error" in held) return held;
    const { value } = held;
    return typeof value === "boolean" ? { value } : { error: "is neither true nor false" };
  }

  #start(step: Step, started: StepState): void {
    switch (step.type) {
      case "branch":
        this.#chooseCase(step, started);
        return;
      case "parallel":
        this.#put(started);
        return;
      case "wait":
        this.#startWait(step, started);
        return;
      case "wait_event":
        this.#startWaitEvent(step, started);
        return;
      case "end":
        this.#end(step, started);
        return;
      default:
        this.#startCall(step, started);
    }
  }

  #chooseCase(step: Step, started: StepState): void {
    const cases = step.cases as readonly { when: string }[];
    for (const [index, { when }] of cases.entries()) {
      const held = this.#holds(when);
      if ("error" in held) {
        this.#fail(started, expressionFailed(`cases[${index}].when`, held.error));
        return;
      }
      if (held.value) {
        this.#put({ ...started, taken: index });
        return;
      }
    }
    this.#put({ ...started, taken: step.else ? cases.length : -1 });
  }

  #branch(step: Step, state: StepState): void {
    const list = listsIn(step)[state.taken ?? -1];
    const standing = list ? this.#list(list.steps) : done;
    this.#close(step, standing, state.taken === -1 ? null : { taken: state.taken });
  }

  /** `all`: until the last is done, or one has failed. `any`: until one is done, or all have failed. */
  #parallel(step: Step, _state: StepState): void {
    const lists = listsIn(step).map(({ steps }) => steps);
    const standings = lists.map((steps) => this.#list(steps));
    const ended = standings.find(({ is }) => is === "ended");
    const failed = standings.filter(({ is }) => is === "failed");
    const first = standings.findIndex(({ is }) => is === "done");
    if (ended) this.#close(step, ended, null);
    else if (step.until === "any") {
      if (first >= 0) this.#close(step, done, { first });
      else this.#close(step, failed.length === lists.length ? failed[0]! : open, null);
    } else if (failed.length > 0) this.#close(step, failed[0]!, null);
    else this.#close(step, standings.every(({ is }) => is === "done") ? done : open, null);
  }

  /** A step that has others inside ends as they do; what is still under way inside is taken back. */
  #close(step: Step, standing: Standing, output: unknown): void {
    this.#inner.delete(step.id);
    if (standing.is === "open" || standing.is === "ended") {
      this.#inner.set(step.id, standing);
      return;
    }
    for (const { steps } of listsIn(step)) this.#cancel(steps);
    const state = this.#steps.get(step.id)!;
    if (standing.is === "done") this.#succeed(step, state, output);
    if (standing.is === "failed")
      this.#put({ ...state, status: "failed", error: standing.error, endedAt: this.#now });
  }

  #startWait(step: Step, started: StepState): void {
    const filled = this.#fill(step.seconds ?? step.until);
    if ("error" in filled) {
      this.#fail(started, expressionFailed(step.seconds === undefined ? "until" : "seconds", filled.error));
      return;
    }
    const { value } = filled;
    const at = step.seconds === undefined ? Date.parse(String(value)) : this.#now + Number(value) * 1_000;
    const most = this.#now + limits.workflowTimeoutSecondsMax * 1_000;
    if (typeof value === "object" || value === "" || !(at <= most)) {
      this.#fail(started, expressionFailed("wait", `${JSON.stringify(value)} is no time within a year`));
      return;
    }
    if (at <= this.#now) this.#succeed(step, started, null);
    else this.#put({ ...started, wait: { on: "timer", at: Math.ceil(at) } });
  }

  #startWaitEvent(step: Step, started: StepState): void {
    const filled = this.#fill(step.event_key);
    if ("error" in filled || typeof filled.value !== "string") {
      this.#fail(started, expressionFailed("event_key", "error" in filled ? filled.error : "is no text"));
      return;
    }
    const timeoutAt = step.timeout_seconds === undefined ? 0 : this.#now + step.timeout_seconds * 1_000;
    this.#put({ ...started, wait: { on: "event", key: filled.value, timeoutAt } });
    this.#takeEvent(this.#steps.get(step.id)!);
  }

  /** The oldest event of its key that no step has taken. */
  #takeEvent(state: StepState): void {
    const { wait } = state;
    if (wait?.on !== "event") return;
    const event = this.#events.find(({ key, number }) => key === wait.key && !this.#taken.has(number));
    if (!event) return;
    this.#taken.add(event.number);
    const output = { timed_out: false, event_id: event.id, payload: event.payload };
    this.#succeed(this.#byId.get(state.id)!, state, output);
  }

  #end(step: Step, started: StepState): void {
    const filled = step.output === undefined ? { value: null } : this.#fill(step.output);
    if ("error" in filled) {
      this.#fail(started, expressionFailed("output", filled.error));
      return;
    }
    const { value } = filled;
    const error = { code: "ENDED", detail: `the step ${step.id} ends the run as failed`, stepId: step.id };
    const outcome: Outcome =
      step.status === "failed"
        ? { status: "failed", error, output: value }
        : { status: "succeeded", output: value };
    this.#put({ ...started, status: "succeeded", output: tooLarge(value) ?? outcome, endedAt: this.#now });
  }

  #startCall(step: Step, started: StepState): void {
    const type = stepTypeOf(step.type);
    const filled = this.#fill(fieldsOf(step));
    if (!type?.call || "error" in filled) {
      this.#fail(
        started,
        expressionFailed(step.type, "error" in filled ? filled.error : "is no step of this build"),
      );
      return;
    }
    const call = type.call(filled.value as Readonly<Record<string, unknown>>);
    const seconds = step.timeout_seconds ?? limits.workflowCallSeconds;
    this.#put({ ...started, wait: { on: "call", call, timeoutAt: this.#now + seconds * 1_000 } });
    this.#calls.push({ id: `${step.id}/${started.attempt}`, call });
  }

  /** Only the answer of the attempt that is under way counts. */
  #called(id: string, result: CallResult): void {
    const [stepId = "", attempt, undo] = id.split("/");
    const state = this.#steps.get(stepId);
    if (undo !== undefined || !state || state.attempt !== Number(attempt) || state.wait?.on !== "call")
      return;
    const step = this.#byId.get(stepId)!;
    const type = stepTypeOf(step.type)!;
    const { wait } = state;
    const answered =
      "answer" in result ? (type.answered?.(result.answer, step) ?? { output: result.answer }) : undefined;
    this.#progress();
    if (state.status === "cancelling") {
      if (answered && "held" in answered && !wait.early) this.#undo(state, answered.held);
      this.#put(without(state, "cancelled", this.#now));
    } else if (state.status !== "running") return;
    else if (!answered) this.#refused(step, state, result as Extract<CallResult, { refused: unknown }>);
    else if ("output" in answered) this.#succeed(step, state, answered.output);
    else {
      const timeoutAt = step.timeout_seconds === undefined ? 0 : wait.timeoutAt;
      this.#put({ ...state, wait: { on: "held", held: answered.held, timeoutAt } });
      if (wait.early) this.#finished(id, wait.early);
    }
  }

  #refused(step: Step, state: StepState, { refused }: Extract<CallResult, { refused: unknown }>): void {
    const { retryable, ...error } = refused;
    const { max_attempts: most = 3, initial_ms: initial = 1_000, max_ms: max = 600_000 } = step.retry ?? {};
    if (!retryable || state.attempt >= most) {
      this.#fail(state, error);
      return;
    }
    const at = this.#now + Math.min(max, initial * 2 ** (state.attempt - 1));
    this.#put({ ...state, error, wait: { on: "retry", at } });
  }

  #finished(ref: string, finished: Finished): void {
    const [stepId = "", attempt] = ref.split("/");
    const state = this.#steps.get(stepId);
    if (!state || state.attempt !== Number(attempt)) return;
    if (state.wait?.on === "call" && (state.status === "running" || state.status === "cancelling")) {
      this.#put({ ...state, wait: { ...state.wait, early: finished } });
      return;
    }
    if (state.status !== "running" || state.wait?.on !== "held") return;
    this.#progress();
    const { held } = state.wait;
    if (finished.ok)
      this.#succeed(this.#byId.get(stepId)!, state, { ...held, result: finished.result ?? null });
    else
      this.#fail(state, {
        code: `ITEM_${finished.state.toUpperCase()}`,
        detail: finished.error || `the item ended as ${finished.state}`,
      });
  }

  /** Everything whose time has come. */
  #time(): void {
    const now = this.#now;
    if (!this.#run.outcome && this.#run.deadlineAt <= now) {
      const detail = "the run has not ended within its timeout";
      this.#run = { ...this.#run, outcome: { status: "failed", error: { code: "TIMEOUT", detail } } };
      return;
    }
    for (const state of [...this.#steps.values()]) {
      const { wait, status } = state;
      if (!wait || (status !== "running" && status !== "cancelling")) continue;
      const step = this.#byId.get(state.id)!;
      if (wait.on === "timer" && wait.at <= now) this.#succeed(step, state, null);
      else if (wait.on === "retry" && wait.at <= now) this.#begin(step, state.attempt + 1, true);
      else if (wait.on !== "timer" && wait.on !== "retry" && wait.timeoutAt > 0 && wait.timeoutAt <= now)
        this.#timedOut(step, state);
    }
    const { progressAt, idleSince } = this.#run;
    if (this.#run.outcome || Math.max(progressAt, idleSince) + limits.workflowIdleMs > now) return;
    this.#handOutAnew();
  }

  /** No answer for long: its effect is asked for again, with the same key. */
  #handOutAnew(): void {
    let waits = false;
    for (const { id, attempt, wait, status } of this.#steps.values())
      if (wait?.on === "call" && status === "running") {
        waits = true;
        this.#calls.push({ id: `${id}/${attempt}`, call: wait.call });
      }
    if (waits) this.#run = { ...this.#run, idleSince: this.#now };
  }

  #timedOut(step: Step, state: StepState): void {
    const { wait } = state;
    if (wait?.on === "event") this.#succeed(step, state, { timed_out: true });
    else if (state.status === "cancelling") this.#put(without(state, "cancelled", this.#now));
    else {
      if (wait?.on === "held") this.#undo(state, wait.held);
      const detail = "the step has not ended within its timeout";
      this.#fail(state, {
        code: "TIMEOUT",
        detail,
        ...(wait?.on === "call" && { outcomeUnknown: true }),
      });
    }
  }

  /** What has failed begins anew, and what was cancelled with it; what succeeded stays. */
  #retried(): void {
    this.#reopen(this.#body.steps);
    const seconds = this.#body.timeout_seconds ?? limits.workflowTimeoutSeconds;
    const { outcome: _outcome, error: _error, output: _output, ...run } = this.#run;
    this.#run = {
      ...run,
      status: "running",
      endedAt: 0,
      dismissedAt: 0,
      deadlineAt: this.#now + seconds * 1_000,
      progressAt: this.#now,
    };
  }

  #reopen(steps: readonly Step[]): void {
    for (const step of steps) {
      const state = this.#steps.get(step.id);
      if (!state) continue;
      const { status } = state;
      const failed = status === "failed" && step.on_error !== "continue";
      if (failed || status === "cancelled") {
        const lists = listsIn(step);
        this.#put(
          failed && lists.length > 0 && state.taken !== undefined
            ? reopened(state)
            : without(state, "pending", 0),
        );
        for (const list of lists) this.#reopen(list.steps);
      } else if (step.type === "end" && status === "succeeded") this.#put(without(state, "pending", 0));
    }
  }

  /** Ends what waits, takes back what was started, and lets what is not answered come to its answer. */
  #cancel(steps: readonly Step[]): void {
    for (const step of allSteps(steps)) {
      const state = this.#steps.get(step.id);
      if (state?.status !== "running") continue;
      if (state.wait?.on === "call") this.#put({ ...state, status: "cancelling" });
      else {
        if (state.wait?.on === "held") this.#undo(state, state.wait.held);
        this.#put(without(state, "cancelled", this.#now));
      }
    }
  }

  #undo({ id, attempt, type }: StepState, held: Readonly<Record<string, unknown>>): void {
    const call = stepTypeOf(type)?.undo?.(held);
    if (call) this.#calls.push({ id: `${id}/${attempt}/undo`, call });
  }

  #succeed(step: Step, state: StepState, output: unknown): void {
    const selected = step.select === undefined ? { value: output } : this.#select(step.select, output);
    if ("error" in selected) {
      this.#fail(state, expressionFailed("select", selected.error));
      return;
    }
    const bytes = selected.value === null ? 0 : Buffer.byteLength(JSON.stringify(selected.value));
    const total = this.#run.outputBytes + bytes;
    if (bytes > limits.workflowOutputBytesMax || total > limits.workflowRunOutputBytesMax) {
      const most =
        bytes > limits.workflowOutputBytesMax
          ? limits.workflowOutputBytesMax
          : limits.workflowRunOutputBytesMax;
      this.#fail(state, {
        code: "OUTPUT_TOO_LARGE",
        detail: `the output has ${bytes} bytes; a step may have ${limits.workflowOutputBytesMax} and a run ${limits.workflowRunOutputBytesMax}, and this is over ${most}`,
      });
      return;
    }
    this.#run = { ...this.#run, outputBytes: total };
    const { error: _, ...rest } = without(state, "succeeded", this.#now);
    this.#put({ ...rest, output: selected.value });
    this.#progress();
  }

  #fail(state: StepState, error: RunError): void {
    const failed = { ...without(state, "failed", this.#now), error: { ...error, stepId: state.id } };
    this.#put(failed);
    this.#failed.push(failed);
  }

  #put(state: StepState): void {
    this.#steps.set(state.id, state);
    this.#changed.add(state.id);
    this.#bindings = undefined;
  }

  #progress(): void {
    this.#run = { ...this.#run, progressAt: this.#now, idleSince: 0 };
  }

  #fill(value: unknown) {
    return fill(value, expressions, () => this.#bind());
  }

  #select(source: string, output: unknown) {
    return selections.evaluate(source, selections.bind({ ...this.#values(), output }));
  }

  #bind(): CelBindings {
    this.#bindings ??= expressions.bind(this.#values());
    return this.#bindings;
  }

  #values(): Readonly<Record<string, unknown>> {
    const { id, runKey, definitionId, definitionKey, version, environment, createdAt } = this.#run;
    const steps = Object.fromEntries(
      [...this.#byId.keys()].map((step) => [step, shownOf(this.#steps.get(step))]),
    );
    const run = {
      id,
      key: runKey,
      definition_id: definitionId,
      definition_key: definitionKey,
      version,
      environment,
      started_at: createdAt,
    };
    return { input: this.#input, steps, run, now: this.#now };
  }
}

function shownOf(state: StepState | undefined): object {
  if (!state) return { status: "pending" };
  const { status, output, error } = state;
  return {
    status,
    ...(status === "succeeded" && { output: output ?? null }),
    ...(status === "failed" && { error: { code: error!.code, detail: error!.detail } }),
  };
}

/** What a step's type reads: everything but what all steps have. */
function fieldsOf(step: Step): object {
  const { id, type, when, retry, timeout_seconds, on_error, select, ...fields } = step;
  return fields;
}

function without(state: StepState, status: StepState["status"], endedAt: number): StepState {
  const { wait: _wait, output: _output, ...rest } = state;
  return { ...rest, status, endedAt };
}

/** It goes on with the list that it took. */
function reopened(state: StepState): StepState {
  const { error: _error, ...rest } = state;
  return { ...rest, status: "running", endedAt: 0 };
}

function expressionFailed(field: string, why: string): RunError {
  return { code: "EXPRESSION_FAILED", detail: `${field}: ${why}` };
}

function tooLarge(value: unknown): Outcome | undefined {
  if (value === null || Buffer.byteLength(JSON.stringify(value)) <= limits.workflowOutputBytesMax)
    return undefined;
  const detail = `the output of the run has more than ${limits.workflowOutputBytesMax} bytes`;
  return { status: "failed", error: { code: "OUTPUT_TOO_LARGE", detail } };
}
