import { isDeepStrictEqual } from "node:util";
import test from "ava";
import fc from "fast-check";
import { EntityDriver } from "../../../test/support/entity.ts";
import { modules } from "../../../test/support/module-parts.ts";
import { type Plant, planted } from "../../../test/support/workflow-bugs.ts";
import { interpret } from "../../../test/support/workflow-model/interpret.ts";
import { type Plan, plans, pool, rarely } from "../../../test/support/workflow-model/plan.ts";
import { runAt, runIndexOf, signalRun } from "../../kit/workflow-run.ts";
import { allSteps, listsIn, type Step } from "../body/body.ts";
import { problemsOf } from "../body/check.ts";
import { beginRun } from "../run-index/service.ts";
import type { CallResult } from "./answers.ts";

/**
 * Random definitions under random faults (restarts at any commit, answers that are lost, come again or late, signals that are early,
 * late and doubled) against a straight recursive interpreter that knows the fate of every step in advance.
 */
const tenant = "01JD0000000000000000000001";
const definition = { id: "01JD0000000000000000000002", key: "flow", environment: "production" };

interface Faults {
  /** After which commits the process ends. */
  readonly restarts: readonly boolean[];
  /** Which answers are told twice, and which are lost once: the call is then made again, with the same key. */
  readonly repeats: readonly boolean[];
  readonly lost: readonly boolean[];
  readonly early: boolean;
  readonly cancelAt: number;
}

/** Plays the outside until the run has ended; answers with the calls that it saw, each once. */
function play(plan: Plan, faults: Faults, plant: Plant = (definition) => definition) {
  const { body, fates } = plan;
  const driver = new EntityDriver(
    modules
      .flatMap(({ actors }) => actors)
      .map((actor) => (actor.kind === "workflow_run" ? plant(actor) : actor)),
  );
  let commits = 0;
  const committed = <Value>(value: Value): Value => {
    if (faults.restarts[commits++ % faults.restarts.length]) driver.restart();
    return value;
  };
  let answers = 0;
  const oneOf = (list: readonly boolean[]) => list[answers % list.length];
  const request = { type: "start", definition, version: 1, body, input: { never: false }, runKey: "" };
  const index = runIndexOf(tenant, "");
  const { run } = driver.ask(index, beginRun.name, request) as { run: { id: string } };
  const at = runAt(tenant, run.id);
  const ask = (method: string, more: object = {}) =>
    committed(
      driver.ask(at, method === "Signal" ? signalRun.name : `WorkflowRunService.${method}`, {
        run_id: run.id,
        ...more,
      }) as Record<string, unknown>,
    );
  const tell = (message: object) => committed(driver.tell(at, message));
  const seen = new Set<string>();
  const lost = new Set<string>();
  const twice: string[] = [];
  const items = new Set<string>();
  const signals = [...fates.keys()];
  const signal = (key: string) => ask("Signal", { event_key: key, event_id: key, payload: null });
  if (faults.early) for (const key of signals.slice(0, 20)) signal(key);
  for (let turn = 0; turn < 2_000; turn++) {
    if (turn === faults.cancelAt) ask("CancelRun");
    const { status, waiting_for } = ask("GetRun") as {
      status: string;
      waiting_for: { step_id: string; kind: string }[];
    };
    if (["succeeded", "failed", "cancelled"].includes(status)) {
      const ended = ask("GetRun");
      for (const key of signals.slice(0, 3)) signal(key);
      for (const ref of seen) tell({ type: "finished", ref, finished: { ok: false, state: "dead" } });
      if (!isDeepStrictEqual(ask("GetRun"), ended))
        throw new Error("what came after the end changed the run");
      return {
        seen,
        twice,
        items,
        status,
        error: ended.error as { step_id: string } | undefined,
        output: ended.output,
        driver,
        at,
      };
    }
    if (waiting_for.length === 0) throw new Error(`a run that is ${status} waits for nothing`);
    for (const { id } of driver.effects(at)) {
      if (seen.has(id) && !lost.has(id)) twice.push(id);
      answers++;
      if (oneOf(faults.lost) && !seen.has(id)) {
        seen.add(id);
        lost.add(id);
        driver.restart();
        continue;
      }
      seen.add(id);
      lost.delete(id);
      const result = answerOf(id, plan);
      committed(driver.stepEffect(at, { type: "done", id, attempt: 1, result }));
      if ("answer" in result && !id.endsWith("undo")) items.add(id);
      if (oneOf(faults.repeats)) tell({ type: "effect", step: { type: "done", id, attempt: 1, result } });
    }
    for (const { step_id, kind } of waiting_for) {
      if (kind === "event") signal(step_id);
      if (kind !== "item" && kind !== "execution") continue;
      const [ref = ""] = [...items].filter((id) => id.startsWith(`${step_id}/`)).slice(-1);
      const finished = kind === "item" ? itemEnd(step_id, plan) : executionEnd(ref, plan);
      const { ok } = finished;
      // Late ends of earlier attempts, and the same end twice.
      tell({ type: "finished", ref: `${step_id}/0`, finished: { ok: !ok, state: "dead" } });
      tell({ type: "finished", ref, finished });
      tell({ type: "finished", ref, finished: { ...finished, ok: !ok } });
    }
    committed(driver.advance(1_000));
  }
  throw new Error("the run does not end");
}

function itemEnd(step: string, { fates }: Plan) {
  const ok = !fates.get(step)!.fails;
  return { ok, state: ok ? "completed" : "dead", result: 1 };
}

/** The first ends may be retried; one that fails for good may have been performed. */
function executionEnd(ref: string, { fates }: Plan) {
  const [step = "", attempt] = ref.split("/");
  const { busy, fails } = fates.get(step)!;
  if (Number(attempt) <= busy)
    return { ok: false, state: "failed", code: "PROVIDER_ERROR", error: "503", retryable: true };
  if (!fails) return { ok: true, state: "succeeded", result: 1 };
  return {
    ok: false,
    state: "outcome_unknown",
    code: "OUTCOME_UNKNOWN",
    retryable: true,
    outcomeUnknown: true as const,
  };
}

function isAction(id: string, steps: readonly Step[]): boolean {
  return allSteps(steps).some((step) => step.id === id && step.type === "action");
}

function answerOf(id: string, { fates, held, body }: Plan): CallResult {
  const [step = "", attempt, undo] = id.split("/");
  const { busy, fails } = fates.get(step)!;
  if (undo) return { answer: {} };
  if (isAction(step, body.steps)) return { answer: { id: step, connection_id: pool } };
  if (Number(attempt) <= busy) return { refused: { code: "RATE_LIMITED", detail: "busy", retryable: true } };
  // An item that is waited for fails by its end.
  if (fails && !held.has(step)) return { refused: { code: "NOT_FOUND", detail: "gone", retryable: false } };
  return { answer: { id: "r", item: { id: step, pool_id: pool }, recipient_id: "p", transaction_id: step } };
}

const faults = fc.record({
  restarts: fc.array(fc.boolean(), { minLength: 1, maxLength: 7 }),
  repeats: fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }),
  lost: fc.array(rarely, { minLength: 1, maxLength: 5 }),
  early: fc.boolean(),
});

/** Throws where a run does anything but what the interpreter says; tells whether it was held against the end too. */
function compare(plan: Plan, schedule: Omit<Faults, "cancelAt">, plant?: Plant): boolean {
  if (problemsOf(plan.body as never).length > 0)
    throw new Error(JSON.stringify(problemsOf(plan.body as never)));
  const expected = interpret(plan);
  const { seen, twice, status, error, output } = play(plan, { ...schedule, cancelAt: -1 }, plant);
  if (twice.length > 0) throw new Error(`asked for twice: ${twice}`);
  const calls = [...seen].filter((id) => !id.endsWith("undo"));
  for (const id of calls) if (!expected.calls.has(id)) throw new Error(`${id} was not to be called`);
  const early = outOfOrder(plan.body.steps, calls);
  if (early !== undefined) throw new Error(`${early} began before the steps that come first: ${calls}`);
  if (expected.racy) return false;
  if (status !== expected.end.status) throw new Error(`${status}, not ${expected.end.status}`);
  if (status === "failed" && error?.step_id !== expected.end.by)
    throw new Error(`failed by ${error?.step_id}, not ${expected.end.by}`);
  if (status === "succeeded" && output !== (expected.end.by ?? "done")) throw new Error(`answers ${output}`);
  if (calls.length !== expected.calls.size) throw new Error(`called ${calls}, not ${[...expected.calls]}`);
  return true;
}

/** The first step that made a call before one that stands earlier in its list had made its last. */
function outOfOrder(steps: readonly Step[], calls: readonly string[]): string | undefined {
  let last = -1;
  for (const step of steps) {
    const inside = new Set(allSteps([step]).map(({ id }) => id));
    const at = calls.flatMap((id, index) => (inside.has(id.split("/")[0]!) ? [index] : []));
    if (at.length > 0 && at[0]! < last) return step.id;
    last = Math.max(last, ...at);
    for (const list of listsIn(step)) {
      const found = outOfOrder(list.steps, calls);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

test("500 random definitions under faults: the same calls as a straight interpreter, in its order, each once, and the same end", (t) => {
  let compared = 0;
  fc.assert(
    fc.property(plans, faults, (plan, schedule) => {
      if (compare(plan, schedule)) compared++;
    }),
    { numRuns: 500 },
  );
  t.true(compared > 200, `${compared} compared to the end`);
});

for (const [name, plant] of Object.entries(planted))
  test(`caught when planted: ${name}`, (t) => {
    const property = fc.property(plans, faults, (plan, schedule) => void compare(plan, schedule, plant));
    const { failed, numRuns } = fc.check(property, { numRuns: 500, endOnFailure: true });
    t.true(failed, `not seen in ${numRuns} definitions`);
  });

test("200 random definitions that are cancelled anywhere end, and leave nothing under way", (t) => {
  fc.assert(
    fc.property(plans, faults, fc.nat(12), (plan, schedule, cancelAt) => {
      const { status, driver, at, twice } = play(plan, { ...schedule, cancelAt });
      if (twice.length > 0) throw new Error(`asked for twice: ${twice}`);
      const open = driver.effects(at).filter(({ id }) => !id.endsWith("undo"));
      if (open.length > 0) throw new Error(`under way after the end: ${open.map(({ id }) => id)}`);
      if (status === "") throw new Error("no status");
    }),
    { numRuns: 200 },
  );
  t.pass();
});
