import type { ExecutionContext } from "ava";
import { runService } from "../process/support.ts";
import { eventually } from "./eventually.ts";

interface Report {
  readonly suite_id: string;
  readonly verdict: string;
  readonly results: readonly { readonly case_id: string; readonly status: string; readonly detail: string }[];
}

/**
 * `service conformance run --suite all` reports every suite that applies as conformant. Suites have 25 s each: on a
 * busy machine they are run again.
 */
export async function certify(
  t: ExecutionContext,
  url: string,
  options: readonly string[] = [],
): Promise<void> {
  const asked = ["conformance", "run", "--suite", "all", "--json", "--url", url, ...options];
  const reports = await eventually("every suite is conformant", async () => {
    const { code, stdout, stderr } = await runService(asked);
    const told = JSON.parse(stdout || "[]") as Report[];
    const failed = told.flatMap(({ results }) => results.filter(({ status }) => status === "failed"));
    if (code === 0) return told;
    t.log(`not conformant: ${stderr}${JSON.stringify(failed)}`);
    return undefined;
  });
  const verdicts = Object.fromEntries(reports.map(({ suite_id, verdict }) => [suite_id, verdict]));
  t.deepEqual(verdicts, {
    runtime: "conformant",
    bridge: "conformant",
    worker_protocol: "conformant",
    admission: "conformant",
    // This build has no MCP endpoint.
    mcp: "not_applicable",
    connector_lifecycle: "conformant",
  });
}
