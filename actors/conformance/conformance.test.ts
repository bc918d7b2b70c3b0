import test from "ava";
import { limits } from "#base";
import { EntityDriver } from "../../test/support/entity.ts";
import { modules } from "../../test/support/module-parts.ts";
import { type ReportContent, reportOf } from "./record.ts";
import type { CaseResult, SuiteFacts } from "./runner.ts";
import { conformanceOf } from "./service.ts";

type Message = Readonly<Record<string, unknown>>;

const at = conformanceOf("0000000000000000000000000A");
const begin = { node: "n:1", environment: "staging", sandbox: true };
const cases = ["a.one", "a.two"].map((id) => ({
  id,
  title: id,
  required: true,
  effect: "sandbox" as const,
  methods: ["PoolService.GetPool"],
}));
const facts: readonly SuiteFacts[] = [{ id: "a", title: "a", cases }];

/** `contract` stands for everything that makes reports differ. */
function contentOf(contract: string, ...statuses: CaseResult["status"][]): ReportContent {
  const results = statuses.map((status, index) => ({
    id: cases[index]!.id,
    status,
    detail: `${Date.now()}`,
  }));
  return reportOf(
    {
      suiteId: "a",
      environment: "staging",
      mode: "sandbox",
      contractSha256: contract,
      suites: [{ id: "a", results }],
      methodCount: 2,
    },
    facts,
  );
}

function drive() {
  const driver = new EntityDriver(modules.flatMap(({ actors }) => actors));
  const ask = (method: string, request: Message, caller = {}) =>
    driver.ask(at, method, request, { caller }) as Message;
  const run = (report?: ReportContent) => {
    driver.now += 1;
    const { runId } = ask("conformance.Begin", begin);
    return ask("conformance.End", { runId, sandbox: true, ...(report && { report }) });
  };
  return { driver, ask, run };
}

test("given a run, then another of its node is refused until it ends or its time is over; other nodes are free", (t) => {
  const { driver, ask } = drive();
  const { runId } = ask("conformance.Begin", begin);
  t.like(ask("conformance.Begin", begin), { code: "STATE_CONFLICT", reason: "RUN_ACTIVE" });
  t.truthy(ask("conformance.Begin", { ...begin, node: "n:2" }).runId);
  ask("conformance.End", { runId, sandbox: true });
  t.truthy(ask("conformance.Begin", begin).runId);
  driver.restart();
  t.like(ask("conformance.Begin", begin), { reason: "RUN_ACTIVE" });
  driver.now += limits.conformanceSandboxMs;
  t.truthy(ask("conformance.Begin", begin).runId);
});

test("given a sandbox run, then its tenant is purged after 15 minutes, and at once where the run ends; a dry run has none", (t) => {
  const { driver, ask } = drive();
  const { runId } = ask("conformance.Begin", begin);
  const due = () => driver.effects(at).map(({ dueMs }) => dueMs - driver.now);
  t.deepEqual(due(), [limits.conformanceSandboxMs]);
  ask("conformance.End", { runId, sandbox: true });
  t.deepEqual(due(), [0]);
  ask("conformance.Begin", { ...begin, node: "n:2", sandbox: false });
  t.is(driver.effects(at).length, 1);
});

test("given 200 reports, then one more takes the place of the oldest, and one that is equal that of its like", (t) => {
  const { ask, run } = drive();
  for (let n = 0; n < limits.conformanceReportsMax; n++) run(contentOf(`c${n}`, "passed", "passed"));
  const listed = () =>
    ask("ConformanceService.ListReports", { page_size: 1_000 }).reports as readonly Message[];
  t.is(listed().length, limits.conformanceReportsMax);
  const oldest = listed().at(-1)!.report_id;
  t.is(run(contentOf("c0", "passed", "passed")).report_id, oldest);
  t.is(listed()[0]!.report_id, oldest, "it is the newest now");
  const gone = listed().at(-1)!.report_id;
  run(contentOf("another", "passed", "passed"));
  t.is(listed().length, limits.conformanceReportsMax);
  t.false(listed().some(({ report_id }) => report_id === gone));
});

test("given results, then the verdict is conformant, partial, non_conformant or not_applicable", (t) => {
  const verdict = (...statuses: CaseResult["status"][]) => contentOf("c", ...statuses).verdict;
  t.is(verdict("passed", "passed"), "conformant");
  t.is(verdict("passed", "not_applicable"), "conformant");
  t.is(verdict("passed", "not_run"), "partial");
  t.is(verdict("not_run", "not_run"), "partial");
  t.is(verdict("failed", "not_run"), "non_conformant");
  t.is(verdict("not_applicable", "not_applicable"), "not_applicable");
});

test("given another environment than the caller's, then its reports are not found, and not allowed to one that is bound", (t) => {
  const { ask, run } = drive();
  const { report_id } = run(contentOf("c", "passed", "failed"));
  const get = (environment_id: string, caller = {}) =>
    ask("ConformanceService.GetReport", { environment_id, report_id }, caller).code;
  const explain = (environment_id: string, caller = {}) =>
    ask("conformance.Explain", { environment_id, facts }, caller).code;
  for (const look of [get, explain]) {
    t.is(look("staging"), undefined);
    t.is(look("staging", { environment: "staging" }), undefined);
    t.is(look("production"), "NOT_FOUND");
    t.is(look("unknown"), "NOT_FOUND");
    t.is(look("staging", { environment: "production" }), "NOT_FOUND");
    t.is(look("staging", { environmentMode: "production_only" }), "PERMISSION_DENIED");
  }
  const total = (caller = {}) => ask("ConformanceService.ListReports", {}, caller).total;
  t.is(total(), 1);
  t.is(total({ environment: "production" }), 0);
  t.is(total({ environmentMode: "production_only" }), 0);
});

test("given two reports of a suite, then the newer is explained against the older", (t) => {
  const { ask, run } = drive();
  run(contentOf("c", "passed", "passed"));
  run(contentOf("c", "passed", "failed"));
  const told = ask("conformance.Explain", { environment_id: "staging", facts });
  t.is((told.failed as readonly Message[]).length, 1);
  t.is((told.changed as readonly Message[]).length, 1);
});
