import { hostname } from "node:os";
import { handleOf, limits, refusalError } from "#base";
import type { RunSuiteRequest } from "#protos";
import { ask } from "../../kit/ask.ts";
import { addReceipt, getPack } from "../../kit/evidence.ts";
import { checkKnownEnvironment } from "../../kit/known-environment.ts";
import { isLive } from "../../kit/live-environment.ts";
import type { CallContext, Handler } from "../../module.ts";
import type { ModuleParts } from "../../parts.ts";
import type { Began } from "../decide.ts";
import { sandboxOf } from "../effects/sandbox.ts";
import { type ReportContent, reportOf, type Verdict } from "../record.ts";
import { begin, end } from "../service.ts";

type Parts = Pick<ModuleParts, "settings" | "call" | "contractSha256" | "conformance">;

/** Tests this node, in a tenant that is made for it or, without any effect, in the caller's own. */
export function runSuite(parts: Parts): Handler<"ConformanceService.RunSuite"> {
  return async (asked, call) => {
    check(asked, call, parts);
    if (asked.pack_id !== undefined) await findPack(asked, asked.pack_id, call);
    const sandbox = asked.mode === "sandbox";
    const node = `${hostname()}:${process.pid}`;
    const began = await ask(call, begin, { request: { node, environment: asked.environment_id, sandbox } });
    // Also where nothing comes of it: the next run need not wait, and the sandbox goes.
    const deadline = () => ({ ...call, deadlineMs: call.clock.now() + limits.requestTimeoutMs });
    const ended = (report?: ReportContent) =>
      ask(deadline(), end, { request: { runId: began.runId, sandbox, report } });
    let report: ReportContent;
    try {
      report = await tested(asked, began, call, parts);
    } catch (thrown) {
      await ended();
      throw thrown;
    }
    const answer = await ended(report);
    if (asked.pack_id !== undefined) await giveReceipt(asked, asked.pack_id, report, call);
    return answer;
  };
}

function check({ suite_id, environment_id, mode }: RunSuiteRequest, call: CallContext, parts: Parts): void {
  if (parts.settings["conformance.enabled"] !== true)
    throw refusalError("FAILED_PRECONDITION", "conformance.enabled is false", {
      reason: "CONFORMANCE_DISABLED",
    });
  if (suite_id !== "all" && !parts.conformance.suites.some(({ id }) => id === suite_id))
    throw refusalError("NOT_FOUND", `there is no suite ${suite_id}`);
  checkKnownEnvironment(environment_id, call);
  if (mode === "sandbox" && isLive(parts.settings, call, environment_id))
    throw refusalError("FAILED_PRECONDITION", `${environment_id} is live: only a dry run is allowed`, {
      reason: "LIVE_ENVIRONMENT",
    });
}

async function tested(
  { suite_id: suiteId, environment_id: environment, mode }: RunSuiteRequest,
  began: Began,
  call: CallContext,
  { conformance, contractSha256, call: callAs }: Parts,
): Promise<ReportContent> {
  const { suites } = conformance;
  const headers =
    mode === "sandbox"
      ? await sandboxHeaders(began, environment, { conformance, call: callAs })
      : ownHeaders(call, environment);
  const ids = suiteId === "all" ? suites.map(({ id }) => id) : [suiteId];
  const endMs = call.deadlineMs - limits.conformanceMarginMs;
  const results = await conformance.run(ids, { mode, headers, endMs });
  const methodCount = conformance.methodCount();
  return reportOf(
    { suiteId, environment, mode, contractSha256: contractSha256(), suites: results, methodCount },
    suites,
  );
}

/** As whom a dry run calls: as its caller. */
function ownHeaders({ headers }: CallContext, environment: string): Readonly<Record<string, string>> {
  const own = ["authorization", "x-api-key", "x-tenant-id"].flatMap((name) => {
    const value = headers.get(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(own), "x-environment": environment };
}

async function sandboxHeaders(
  { runId, untilMs }: Began,
  environment: string,
  parts: Pick<Parts, "conformance" | "call">,
): Promise<Readonly<Record<string, string>>> {
  const tenant = await sandboxOf(runId, environment, parts);
  return { "x-api-key": parts.conformance.sandboxKey(tenant, untilMs), "x-environment": environment };
}

async function findPack(
  { environment_id }: RunSuiteRequest,
  pack_id: string,
  call: CallContext,
): Promise<void> {
  await ask(call, getPack, { key: handleOf(pack_id), request: { environment_id, pack_id } });
}

const resultOf: Readonly<Record<Verdict, "passed" | "failed" | "blocked">> = {
  conformant: "passed",
  non_conformant: "failed",
  partial: "blocked",
  not_applicable: "blocked",
};

async function giveReceipt(
  { environment_id, suite_id }: RunSuiteRequest,
  pack_id: string,
  { reportId, contractSha256, verdict }: ReportContent,
  call: CallContext,
): Promise<void> {
  await ask(call, addReceipt, {
    key: handleOf(pack_id),
    request: {
      environment_id,
      pack_id,
      runtime: { report_id: reportId, contract_sha256: contractSha256 },
      result: resultOf[verdict],
      subjects: [{ name: `conformance/${suite_id}`, digest: reportId }],
    },
    step: "receipt",
  });
}
