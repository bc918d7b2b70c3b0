import { runAt, runIndexOf, signalRun } from "../../actors/kit/workflow-run.ts";
import type { Body } from "../../actors/workflows/body/body.ts";
import { problemsOf } from "../../actors/workflows/body/check.ts";
import { beginRun } from "../../actors/workflows/run-index/service.ts";
import type { CallResult } from "../../actors/workflows/runs/answers.ts";
import { EntityDriver } from "./entity.ts";
import { modules } from "./module-parts.ts";

export type Message = Record<string, unknown>;

export const tenant = "01JD0000000000000000000001";
const definition = { id: "01JD0000000000000000000002", key: "flow", environment: "production" };
export const pool = "01JD0000000000000000000003";

/** Runs of one tenant, step by step. */
export function startRuns() {
  const driver = new EntityDriver(modules.flatMap(({ actors }) => actors));
  const index = (key: string) => runIndexOf(tenant, key);
  const start = (body: object, input: unknown = {}, runKey = "") => {
    const request = { type: "start", definition, version: 1, body: body as Body, input, runKey };
    return driver.ask(index(runKey), beginRun.name, request) as {
      run: Message;
      started: boolean;
    };
  };
  const begin = (...steps: object[]) => {
    const body = { steps };
    if (problemsOf(body).length > 0) throw new Error(JSON.stringify(problemsOf(body)));
    return start(body, { n: 1 }).run.id as string;
  };
  const ask = (id: string, method: string, request: Message = {}) =>
    driver.ask(runAt(tenant, id), method === "Signal" ? signalRun.name : `WorkflowRunService.${method}`, {
      run_id: id,
      ...request,
    }) as Message;
  const run = (id: string) => ask(id, "GetRun");
  const steps = (id: string) =>
    Object.fromEntries((ask(id, "ListSteps").steps as Message[]).map((step) => [step.id, step.status]));
  const calls = (id: string) => driver.effects(runAt(tenant, id)).map((effect) => effect.id);
  const answer = (id: string, effect: string, result: CallResult) =>
    driver.stepEffect(runAt(tenant, id), { type: "done", id: effect, attempt: 1, result });
  const finish = (id: string, ref: string, finished: Message) =>
    driver.tell(runAt(tenant, id), { type: "finished", ref, finished });
  return { driver, start, begin, ask, run, steps, calls, answer, finish };
}

export const wait = (id: string, seconds = 10) => ({ id, type: "wait", seconds });
export const route = (id: string) => ({ id, type: "route", pool_id: pool });
export const item = (id: string) => ({ id, type: "enqueue", pool_id: pool, wait: true });
export const event = (id: string, more: object = {}) => ({
  id,
  type: "wait_event",
  event_key: "paid",
  ...more,
});
export const routed: CallResult = {
  answer: { id: "r1", pool_id: pool, recipient_id: "p1", strategy: "round_robin" },
};
export const enqueued: CallResult = {
  answer: { item: { id: "i1", pool_id: pool }, admission: { outcome: "enqueued" } },
};
export const busy: CallResult = { refused: { code: "RATE_LIMITED", detail: "busy", retryable: true } };
export const bad: CallResult = { refused: { code: "NOT_FOUND", detail: "no pool", retryable: false } };
