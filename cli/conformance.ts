import { limits } from "#base";
import { type Client, openClient } from "./client.ts";
import { table } from "./table.ts";
import type { Terminal } from "./terminal.ts";

const own = { suite: { type: "string" }, mode: { type: "string" }, pack: { type: "string" } } as const;

interface Report {
  readonly report_id: string;
  readonly suite_id: string;
  readonly verdict: string;
  readonly results: readonly { readonly case_id: string; readonly status: string; readonly detail: string }[];
}

/** `service conformance run --suite all`: a table of what did not pass, and an exit code by verdict: 0 only where it is conformant. */
export async function conformanceRun(args: readonly string[], terminal: Terminal): Promise<number> {
  const client = openClient(args, terminal, own);
  const { suite = "all", mode = "sandbox", environment = "staging", pack, json } = client.flags;
  const suites = suite === "all" ? await suitesOf(client) : [String(suite)];
  const reports: Report[] = [];
  // Suite by suite: each has the time of a request to itself.
  for (const id of suites) {
    const { data } = await client.call({
      method: "POST",
      path: `/api/runtime-conformance/suites/${encodeURIComponent(id)}:run`,
      body: { environment_id: environment, mode, ...(pack !== undefined && { pack_id: pack }) },
      answerMs: limits.requestTimeoutMs,
    });
    reports.push(data as Report);
  }
  terminal.out(json === true ? `${JSON.stringify(reports, undefined, 2)}\n` : printed(reports));
  const tested = reports.filter(({ verdict }) => verdict !== "not_applicable");
  const isGood = tested.length > 0 && tested.every(({ verdict }) => verdict === "conformant");
  return isGood ? 0 : 1;
}

async function suitesOf(client: Client): Promise<readonly string[]> {
  const { data } = await client.call({ method: "GET", path: "/api/runtime-conformance/suites" });
  return (data as readonly { readonly id: string }[]).map(({ id }) => id).filter((id) => id !== "all");
}

function printed(reports: readonly Report[]): string {
  const counted = reports.map(({ suite_id: suite, verdict, report_id: report, results }) => {
    const count = (status: string) => results.filter((result) => result.status === status).length;
    return {
      suite,
      verdict,
      passed: count("passed"),
      failed: count("failed"),
      not_run: count("not_run"),
      report,
    };
  });
  const failed = reports.flatMap(({ results }) => results.filter(({ status }) => status === "failed"));
  const summary = table(["suite", "verdict", "passed", "failed", "not_run", "report"], counted);
  return failed.length === 0 ? summary : `${summary}\n${table(["case_id", "detail"], failed)}`;
}
