import { limits } from "#base";
import type { CelBindings } from "../../cel/environment.ts";
import { fillBy } from "../../cel/template.ts";
import { allSteps, type Body, type Step } from "../body/body.ts";
import { expressions, selections } from "../body/expression.ts";
import { stepTypeOf } from "../steps/index.ts";
import type { EffectCall, Outcome, Run, RunError, RunView, StepState } from "./run.ts";

/** A run while it is advanced: as it was, with what has changed so far. */
export class UnitOfWork {
  readonly body: Body;
  readonly now: number;
  readonly byId: ReadonlyMap<string, Step>;
  readonly steps: Map<string, StepState>;
  readonly changed = new Set<string>();
  readonly taken = new Set<number>();
  readonly calls: EffectCall[] = [];
  readonly failed: StepState[] = [];
  readonly events: RunView["events"];
  readonly input: unknown;
  run: Run;
  bindings: CelBindings | undefined;

  constructor(body: Body, { run, input, steps, events }: RunView, now: number) {
    this.body = body;
    this.now = now;
    this.byId = new Map(allSteps(body.steps).map((step) => [step.id, step]));
    this.steps = new Map(steps);
    this.events = events;
    this.input = input;
    this.run = run;
  }

  put(state: StepState): void {
    this.steps.set(state.id, state);
    this.changed.add(state.id);
    this.bindings = undefined;
  }

  succeed(step: Step, state: StepState, output: unknown): void {
    const selected = step.select === undefined ? { value: output } : this.select(step.select, output);
    if ("error" in selected) {
      this.fail(state, expressionFailed("select", selected.error));
      return;
    }
    const bytes = selected.value === null ? 0 : Buffer.byteLength(JSON.stringify(selected.value));
    const total = this.run.outputBytes + bytes;
    if (bytes > limits.workflowOutputBytesMax || total > limits.workflowRunOutputBytesMax) {
      const most =
        bytes > limits.workflowOutputBytesMax
          ? limits.workflowOutputBytesMax
          : limits.workflowRunOutputBytesMax;
      this.fail(state, {
        code: "OUTPUT_TOO_LARGE",
        detail: `the output has ${bytes} bytes; a step may have ${limits.workflowOutputBytesMax} and a run ${limits.workflowRunOutputBytesMax}, and this is over ${most}`,
      });
      return;
    }
    this.run = { ...this.run, outputBytes: total };
    const { error: _, ...rest } = without(state, "succeeded", this.now);
    this.put({ ...rest, output: selected.value });
    this.progress();
  }

  fail(state: StepState, error: RunError): void {
    const failed = { ...without(state, "failed", this.now), error: { ...error, stepId: state.id } };
    this.put(failed);
    this.failed.push(failed);
  }

  undo({ id, attempt, type }: StepState, held: Readonly<Record<string, unknown>>): void {
    const call = stepTypeOf(type)?.undo?.(held);
    if (call) this.calls.push({ id: `${id}/${attempt}/undo`, call });
  }

  progress(): void {
    this.run = { ...this.run, progressAt: this.now, idleSince: 0 };
  }

  holds(condition: string): { readonly value: boolean } | { readonly error: string } {
    const held = expressions.evaluate(condition, this.bind());
    if ("error" in held) return held;
    const { value } = held;
    return typeof value === "boolean" ? { value } : { error: "is neither true nor false" };
  }

  fill(value: unknown) {
    return fillBy(value, expressions, () => this.bind());
  }

  select(source: string, output: unknown) {
    return selections.evaluate(source, selections.bind({ ...this.values(), output }));
  }

  bind(): CelBindings {
    this.bindings ??= expressions.bind(this.values());
    return this.bindings;
  }

  values(): Readonly<Record<string, unknown>> {
    const { id, runKey, definitionId, definitionKey, version, environment, createdAt } = this.run;
    const steps = Object.fromEntries(
      [...this.byId.keys()].map((step) => [step, shownOf(this.steps.get(step))]),
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
    return { input: this.input, steps, run, now: this.now };
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

export function without(state: StepState, status: StepState["status"], endedAt: number): StepState {
  const { wait: _wait, output: _output, ...rest } = state;
  return { ...rest, status, endedAt };
}

export function expressionFailed(field: string, why: string): RunError {
  return { code: "EXPRESSION_FAILED", detail: `${field}: ${why}` };
}

export function tooLarge(value: unknown): Outcome | undefined {
  if (value === null || Buffer.byteLength(JSON.stringify(value)) <= limits.workflowOutputBytesMax)
    return undefined;
  const detail = `the output of the run has more than ${limits.workflowOutputBytesMax} bytes`;
  return { status: "failed", error: { code: "OUTPUT_TOO_LARGE", detail } };
}
