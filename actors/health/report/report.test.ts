import test, { type ExecutionContext } from "ava";
import { handleOf, isRefusal, limits, RefusalError, refuse } from "#base";
import { EntityDriver } from "../../../test/support/entity.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { startModules } from "../../../test/support/modules.ts";
import { tenant } from "../../../test/support/pool.ts";
import { meterKeys } from "../../kit/meter.ts";
import type { CallContext } from "../../module.ts";
import type { ModuleParts } from "../../parts.ts";
import { healthReport, listScopes } from "./handlers/report.ts";
import { currentReport, healthActor, offerReport } from "./service.ts";

const noRuns = { total: 0, terminals: 0, failed: 0, idle: 0, incompatible: 0, dead: 0 };

async function start(t: ExecutionContext, parts: Partial<ModuleParts> = {}) {
  const fixture = await startModules(t);
  const sources: Pick<ModuleParts, "call" | "dependencies"> = {
    call: async () => noRuns,
    dependencies: () => ({ ageMs: 0, isAvailable: true }),
    ...parts,
  };
  const handler = healthReport(sources);
  const report = async (request = {}, changed: Partial<CallContext> = {}) => {
    const call = { ...fixture.context(), ...changed };
    try {
      return (await handler(request, call)) as unknown as Record<string, unknown>;
    } catch (error) {
      if (error instanceof RefusalError) return { ...error.refusal } as unknown as Record<string, unknown>;
      throw error;
    }
  };
  /** Until the slot is over and the meters have heard, reports say what they said. */
  const later = (request: object, claim: string, is: (report: Record<string, unknown>) => boolean) =>
    eventually(claim, async () => {
      const found = await report({ ...request, period: freshPeriod() });
      return is(found) ? found : undefined;
    });
  return { ...fixture, report, later };
}

let periods = 0;
/** A period of which no report is kept. */
function freshPeriod(): string {
  return `${5 * ((++periods % 288) + 1)}m`;
}

test("an environment with nothing in it is unknown; with an idle pool it is healthy; all of a slot have one report", async (t) => {
  const { report, later, createPool } = await start(t);
  const empty = await report({ environment: "production", period: "24h" });
  t.like(empty, { verdict: "unknown", confidence: "none", ruleset: "v1" });
  t.like(empty.reasons, [{ code: "TELEMETRY_MISSING", signal: "pools", level: "unknown" }]);
  await createPool();
  const well = await later({}, "the meter has heard of the pool", ({ verdict }) => verdict === "healthy");
  t.like(well, { confidence: "medium", reasons: [], next_steps: [] });
  t.regex(well.report_id as string, /^ohr_[0-9a-f]{64}$/);
  const [from, to] = Object.values(well.window as object).map(Date.parse) as [number, number];
  t.is(from % 300_000, 0);
  t.true(to >= from);
  t.like(await report({ environment: "staging" }), { verdict: "unknown" });
});

test("one report for all of a slot, however a period is written, and the first offer is it", async (t) => {
  const { report } = await start(t);
  const asked = () => Promise.all(["1h", "60m", undefined, "1h"].map((period) => report({ period })));
  // A slot may end between two answers.
  const ids = await eventually("all ask within a slot", async () => {
    const found = new Set([...(await asked()), ...(await asked())].map(({ report_id }) => report_id));
    return found.size === 1 ? found : undefined;
  });
  t.is(ids.size, 1);
});

test("an unknown environment, a mode that forbids it and a period that is none are refused before anything is asked", async (t) => {
  const { report, context } = await start(t, { call: () => Promise.reject(new Error("asked")) });
  const tenantEnvironments = ["production", "staging"];
  t.like(await report({ environment: "prodction" }, { tenantEnvironments }), {
    code: "INVALID_ARGUMENT",
    fields: [{ field: "environment" }],
  });
  const caller = { ...context().caller, environmentMode: "production_only" as const };
  t.like(await report({ environment: "staging" }, { tenantEnvironments, caller }), {
    code: "PERMISSION_DENIED",
  });
  for (const period of ["7m", "25h", "90m1", "1445m"].filter((one) => /^\d+[mh]$/.test(one)))
    t.like(await report({ period }), { code: "INVALID_ARGUMENT", fields: [{ field: "period" }] }, period);
});

test("scopes are the environments that the credential and X-Environment allow", async (t) => {
  const { context } = await start(t);
  const call = { ...context(), tenantEnvironments: ["production", "staging", "development"] };
  const scopes = async (caller: object) => {
    const answer = await listScopes(
      { page_size: 0, page_token: "", offset: 0 },
      {
        ...call,
        caller: { ...call.caller, ...caller },
      },
    );
    return (answer as { scopes: { environments: string[] }[] }).scopes.map(
      ({ environments }) => environments,
    );
  };
  t.deepEqual(await scopes({}), [["production", "staging", "development"]]);
  t.deepEqual(await scopes({ environmentMode: "production_only" }), [["production"]]);
  t.deepEqual(await scopes({ environment: "staging" }), [["staging"]]);
  t.deepEqual(await scopes({ environment: "staging", environmentMode: "production_only" }), []);
});

const planted = "planted-7f3a";

test("a source that fails makes the verdict unknown, and neither its error nor any payload is in the report", async (t) => {
  const failing = refuse("UNAVAILABLE", `cannot reach db.internal: ${planted}`);
  const { report, later, createQueue, inQueue, runtime, context } = await start(t, {
    call: () => Promise.reject(new RefusalError(failing)),
  });
  const { poolId } = await createQueue();
  await inQueue(poolId, "QueueService.Enqueue", { key: planted, payload: { secret: planted } });
  const told = await later({}, "the queue has told", ({ reasons }) => (reasons as unknown[]).length === 1);
  t.like(told, { verdict: "unknown", reasons: [{ code: "TELEMETRY_MISSING", signal: "runs" }] });
  t.false(JSON.stringify(told).includes(planted));
  for (const key of meterKeys) {
    const asker = {
      ...runtime,
      ask: (asked: Parameters<typeof runtime.ask>[0]) =>
        asked.to.kind === "meter" && asked.to.key === key ? Promise.resolve(failing) : runtime.ask(asked),
    } as CallContext["asker"];
    const without = await report({ period: freshPeriod() }, { ...context(), asker });
    t.is(without.verdict, "unknown", key);
    t.false(JSON.stringify(without).includes(planted));
  }
  t.false(isRefusal(told));
});

test("dependencies: none looked at, an old look and one that is gone", async (t) => {
  let dependencies: ReturnType<ModuleParts["dependencies"]>;
  const { later, report, createPool } = await start(t, { dependencies: () => dependencies });
  await createPool();
  const codes = async () =>
    ((await report({ period: freshPeriod() })).reasons as { code: string }[]).map(({ code }) => code);
  await later({}, "the pool is heard of", ({ reasons }) => (reasons as unknown[]).length === 1);
  t.deepEqual(await codes(), ["DEPENDENCY_STALE"]);
  dependencies = { ageMs: 30_000, isAvailable: true };
  t.deepEqual(await codes(), []);
  dependencies = { ageMs: 30_001, isAvailable: false };
  t.deepEqual(await codes(), ["DEPENDENCY_STALE", "DEPENDENCY_UNAVAILABLE"]);
});

test("a pool that no meter has heard of is missed a minute after it was made, and asked to tell", async (t) => {
  const call = async () => ({ ...noRuns, total: 1 });
  const { report, createPool, runtime, context } = await start(t, { call });
  const asked: string[] = [];
  let laterMs = 0;
  const asker = {
    ...runtime,
    async ask(question: Parameters<typeof runtime.ask>[0]) {
      const answer = await runtime.ask(question);
      if (isRefusal(answer)) return answer;
      const { method } = question;
      if (method === "queue.Tell") asked.push(question.to.key);
      const response = answer.response as { now: number };
      if (method === "health.Current")
        return { ...answer, response: { ...response, now: response.now + laterMs } };
      if (method === "meter.Figures") return { ...answer, response: { ...response, pools: 0 } };
      return method === "meter.Missing" ? { ...answer, response: question.request } : answer;
    },
  } as CallContext["asker"];
  const poolId = await createPool();
  const codes = async () =>
    ((await report({ period: freshPeriod() }, { ...context(), asker })).reasons as { signal: string }[]).map(
      ({ signal }) => signal,
    );
  t.deepEqual(await codes(), [], "it has a minute");
  laterMs = limits.healthUnheardMs + 60_000;
  t.deepEqual(await codes(), ["silent_sources"]);
  t.deepEqual(asked, [handleOf(poolId)]);
});

const health = { kind: "health", tenant, key: "" };

test("the first offer of a slot is its report, also after a restart; sixteen periods of an environment are kept; a purge leaves none", (t) => {
  const driver = new EntityDriver([healthActor]);
  const key = { environment: "production", periodMs: 300_000 };
  const offer = (slot: number, report_id: string, periodMs = key.periodMs) =>
    driver.ask(health, offerReport.name, { ...key, periodMs, slot, report: { report_id } });
  const current = () => driver.ask(health, currentReport.name, key) as { slot: number; report?: object };
  const { slot } = current();
  t.deepEqual(offer(slot, "a"), { report: { report_id: "a" } });
  t.deepEqual(offer(slot, "b"), { report: { report_id: "a" } });
  driver.restart();
  t.deepEqual(current().report, { report_id: "a" } as object);
  t.deepEqual(offer(slot - 1, "late"), { report: { report_id: "a" } });
  driver.advance(limits.healthSlotMs);
  t.is(current().report, undefined);
  t.deepEqual(offer(slot + 1, "c"), { report: { report_id: "c" } });
  for (let i = 2; i < 40; i++) offer(slot + i, "d", i * 300_000);
  t.is(driver.rows(health, "reports").size, limits.healthPeriodsMax);
  driver.tell(health, { type: "purge" });
  t.is(driver.rows(health, "reports").size, 0);
  t.deepEqual(driver.unlikeReplay(health), []);
});
