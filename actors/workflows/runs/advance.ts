import { limits } from "#base";
import { allSteps, type Body, listsIn, type Step } from "../body/body.ts";
import { type CallResult, called, finished, time } from "./answers.ts";
import type { Advanced, Finished, Outcome, RunError, RunView, StepState } from "./run.ts";
import { begin, takeEvent } from "./starts.ts";
import { tooLarge, UnitOfWork, without } from "./unit-of-work.ts";

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

/** The engine: what a run becomes by what happened. Everything that can begin begins. */
export function advance(body: Body, view: RunView, happened: Happened, now: number): Advanced {
  return new Advance(body, view, now).after(happened);
}

/** How a list of steps stands. */
type Standing =
  | { readonly is: "open" | "done" }
  | { readonly is: "failed"; readonly error: RunError }
  | { readonly is: "ended"; readonly outcome: Outcome };

const open: Standing = { is: "open" };
const done: Standing = { is: "done" };

class Advance {
  readonly #unit: UnitOfWork;

  constructor(body: Body, view: RunView, now: number) {
    this.#unit = new UnitOfWork(body, view, now);
  }

  after(happened: Happened): Advanced {
    this.#fold(happened);
    if (!this.#unit.run.outcome && this.#unit.run.status !== "pending") this.#walk();
    this.#settle();
    return {
      run: this.#unit.run,
      steps: [...this.#unit.changed].map((id) => this.#unit.steps.get(id)!),
      taken: [...this.#unit.taken],
      calls: this.#unit.calls,
      failed: this.#unit.failed,
    };
  }

  #fold(happened: Happened): void {
    switch (happened.type) {
      case "started":
        this.#unit.run = { ...this.#unit.run, status: "running", progressAt: this.#unit.now };
        return;
      case "called":
        called(this.#unit, happened.id, happened.result);
        return;
      case "finished":
        finished(this.#unit, happened.ref, happened.finished);
        return;
      case "time":
        time(this.#unit);
        return;
      case "cancelled":
        this.#unit.run = { ...this.#unit.run, status: "cancelling", outcome: { status: "cancelled" } };
        return;
      case "retried":
        this.#retried();
        return;
      case "signalled":
        for (const step of this.#unit.steps.values())
          if (step.status === "running" && step.wait?.on === "event") takeEvent(this.#unit, step);
        return;
    }
  }

  #walk(): void {
    const standing = this.#list(this.#unit.body.steps);
    if (standing.is === "ended") this.#unit.run = { ...this.#unit.run, outcome: standing.outcome };
    if (standing.is === "failed")
      this.#unit.run = { ...this.#unit.run, outcome: { status: "failed", error: standing.error } };
    if (standing.is !== "done") return;
    const { output } = this.#unit.body;
    const filled = output === undefined ? { value: null } : this.#unit.fill(output);
    this.#unit.run = {
      ...this.#unit.run,
      outcome:
        "error" in filled
          ? { status: "failed", error: { code: "EXPRESSION_FAILED", detail: `output: ${filled.error}` } }
          : (tooLarge(filled.value) ?? { status: "succeeded", output: filled.value }),
    };
  }

  /** Once it is known how the run ends, everything under way is taken back, and then it has ended. */
  #settle(): void {
    const { outcome } = this.#unit.run;
    if (!outcome) return;
    this.#cancel(this.#unit.body.steps);
    for (const { status } of this.#unit.steps.values()) if (status === "cancelling") return;
    const { status, ...how } = outcome;
    this.#unit.run = { ...this.#unit.run, status, ...how, endedAt: this.#unit.now };
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
    const known = this.#unit.steps.get(step.id);
    if (!known || known.status === "pending") begin(this.#unit, step, (known?.attempt ?? 0) + 1);
    const state = this.#unit.steps.get(step.id)!;
    if (state.status === "running") {
      if (step.type === "branch") this.#branch(step, state);
      else if (step.type === "parallel") this.#parallel(step, state);
      else return open;
    }
    return this.#standingOf(step);
  }

  #standingOf(step: Step): Standing {
    const { status, error, output } = this.#unit.steps.get(step.id)!;
    if (step.type === "end" && status === "succeeded") return { is: "ended", outcome: output as Outcome };
    if (this.#inner.has(step.id)) return this.#inner.get(step.id)!;
    if (status === "running") return open;
    return status === "failed" && step.on_error !== "continue" ? { is: "failed", error: error! } : done;
  }

  /** Of branches and parallels that are open, or inside which the run has ended. */
  readonly #inner = new Map<string, Standing>();

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
    const state = this.#unit.steps.get(step.id)!;
    if (standing.is === "done") this.#unit.succeed(step, state, output);
    if (standing.is === "failed")
      this.#unit.put({ ...state, status: "failed", error: standing.error, endedAt: this.#unit.now });
  }

  /** What has failed begins anew, and what was cancelled with it; what succeeded stays. */
  #retried(): void {
    this.#reopen(this.#unit.body.steps);
    const seconds = this.#unit.body.timeout_seconds ?? limits.workflowTimeoutSeconds;
    const { outcome: _outcome, error: _error, output: _output, ...run } = this.#unit.run;
    this.#unit.run = {
      ...run,
      status: "running",
      endedAt: 0,
      dismissedAt: 0,
      deadlineAt: this.#unit.now + seconds * 1_000,
      progressAt: this.#unit.now,
    };
  }

  #reopen(steps: readonly Step[]): void {
    for (const step of steps) {
      const state = this.#unit.steps.get(step.id);
      if (!state) continue;
      const { status } = state;
      const failed = status === "failed" && step.on_error !== "continue";
      if (failed || status === "cancelled") {
        const lists = listsIn(step);
        this.#unit.put(
          failed && lists.length > 0 && state.taken !== undefined
            ? reopened(state)
            : without(state, "pending", 0),
        );
        for (const list of lists) this.#reopen(list.steps);
      } else if (step.type === "end" && status === "succeeded") this.#unit.put(without(state, "pending", 0));
    }
  }

  /** Ends what waits, takes back what was started, and lets what is not answered come to its answer. */
  #cancel(steps: readonly Step[]): void {
    for (const step of allSteps(steps)) {
      const state = this.#unit.steps.get(step.id);
      if (state?.status !== "running") continue;
      if (state.wait?.on === "call") this.#unit.put({ ...state, status: "cancelling" });
      else {
        if (state.wait?.on === "held") this.#unit.undo(state, state.wait.held);
        this.#unit.put(without(state, "cancelled", this.#unit.now));
      }
    }
  }
}

/** It goes on with the list that it took. */
function reopened(state: StepState): StepState {
  const { error: _error, ...rest } = state;
  return { ...rest, status: "running", endedAt: 0 };
}
