import type { Given } from "../command.ts";
import { table } from "../table.ts";
import type { Terminal } from "../terminal.ts";
import { Client } from "./client.ts";
import { formatOf } from "./output.ts";

interface Report {
  readonly report_id: string;
  readonly suite_id: string;
  readonly verdict: string;
  readonly results: readonly { readonly case_id: string; readonly status: string; readonly detail: string }[];
}

/** `service conformance run --suite all`: a table of what did not pass, and exit code 0 only where it is conformant. */
export async function conformanceRun(given: Given, terminal: Terminal): Promise<number> {
  const { suite = "all", mode = "sandbox", environment, pack, output } = given.flags;
  const environment_id = environment ?? terminal.environment.SWITCHYARD_ENVIRONMENT ?? "staging";
  const format = formatOf(output);
  const client = await Client.of(given, terminal);
  const reports: Report[] = [];
  // Suite by suite: each has the time of a request to itself.
  for (const suite_id of suite === "all" ? await suitesOf(client) : [suite]) {
    const request = { suite_id, environment_id, mode, ...(pack !== undefined && { pack_id: pack }) };
    reports.push(await client.call<Report>("ConformanceService.RunSuite", request));
  }
  terminal.out(format === "json" ? `${JSON.stringify(reports, undefined, 2)}\n` : printed(reports));
  const tested = reports.filter(({ verdict }) => verdict !== "not_applicable");
  const isGood = tested.length > 0 && tested.every(({ verdict }) => verdict === "conformant");
  return isGood ? 0 : 1;
}

async function suitesOf(client: Client): Promise<readonly string[]> {
  const suites = await client.call<readonly { readonly id: string }[]>("ConformanceService.ListSuites", {});
  return suites.map(({ id }) => id).filter((id) => id !== "all");
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
