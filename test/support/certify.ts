import type { ExecutionContext } from "ava";
import { runService } from "../process/support.ts";

interface Report {
  readonly suite_id: string;
  readonly verdict: string;
  readonly results: readonly { readonly case_id: string; readonly status: string; readonly detail: string }[];
}

/** `service conformance run --suite all` reports every suite that applies as conformant, at the first run. */
export async function certify(
  t: ExecutionContext,
  url: string,
  options: readonly string[] = [],
): Promise<void> {
  const asked = ["conformance", "run", "--suite", "all", "-o", "json", "--url", url, ...options];
  const { code, stdout, stderr } = await runService(asked);
  const reports = JSON.parse(stdout || "[]") as Report[];
  const failed = reports.flatMap(({ results }) => results.filter(({ status }) => status === "failed"));
  t.deepEqual(failed, [], stderr);
  t.is(code, 0, stderr);
  const verdicts = Object.fromEntries(reports.map(({ suite_id, verdict }) => [suite_id, verdict]));
  t.deepEqual(verdicts, {
    runtime: "conformant",
    bridge: "conformant",
    worker_protocol: "conformant",
    admission: "conformant",
    // It is off by default.
    mcp: "not_applicable",
    connector_lifecycle: "conformant",
  });
}
