import { digestOf, toRfc3339 } from "#base";
import { Collection } from "../kit/collection.ts";
import type { Message, Stored } from "../kit/record.ts";
import type { RecordState, Resource } from "../kit/resource.ts";
import type { CaseFacts, CaseResult, Mode, SuiteFacts, SuiteResult } from "./runner.ts";

export type Verdict = "conformant" | "partial" | "non_conformant" | "not_applicable";

/** As it is kept: `id` orders by time, `reportId` names the content. */
export interface Report extends Stored {
  readonly reportId: string;
  readonly suiteId: string;
  readonly environment: string;
  readonly mode: Mode;
  readonly verdict: Verdict;
  readonly contractSha256: string;
  readonly results: readonly CaseResult[];
  readonly coverage: { readonly exercised: readonly string[]; readonly methods: number };
  readonly createdBy: string;
}

export type ReportContent = Omit<Report, keyof Stored | "createdBy">;

/** A run that is under way on one node. */
export interface Active {
  readonly runId: string;
  readonly node: string;
  readonly untilMs: number;
  readonly environment: string;
}

export interface State extends RecordState {
  /** By node. */
  readonly active: Map<string, Active>;
}

export const reportRows = new Collection<Report>({
  filters: ["environment"],
  order: "descending",
  unique: { digests: ({ environment, reportId }) => `${environment} ${reportId}` },
});

export const reportResource: Resource<Report, State> = {
  service: "ConformanceService",
  one: "Report",
  many: "Reports",
  store: reportRows,
  messageOf: (report) => reportMessage(report, false),
  after({ after }, _state, rows) {
    if (after === null) return;
    const { id, reportId: digest, environment, suiteId: suite_id, verdict } = after;
    rows.publish("conformance.reported", id, { environment, digest, suite_id, verdict }, environment);
  },
};

export interface Ran {
  readonly suiteId: string;
  readonly environment: string;
  readonly mode: Mode;
  readonly contractSha256: string;
  readonly suites: readonly SuiteResult[];
  /** Of the contract. */
  readonly methodCount: number;
}

/** `all` is made of the suites that apply. The id is that of the content without times and words: equal runs have equal ids. */
export function reportOf(ran: Ran, facts: readonly SuiteFacts[]): ReportContent {
  const { suiteId, environment, mode, contractSha256, methodCount: methods } = ran;
  const applying = ran.suites.filter(({ results }) => !isNotApplicable(results));
  const suites = suiteId === "all" ? applying : ran.suites;
  const results = suites.flatMap((suite) => suite.results);
  const cases = new Map(facts.flatMap((suite) => suite.cases.map((one) => [one.id, one] as const)));
  const exercised = new Set(
    results
      .filter(({ status }) => status === "passed" || status === "failed")
      .flatMap(({ id }) => cases.get(id)?.methods ?? []),
  );
  const coverage = { exercised: [...exercised].sort(), methods };
  const content = {
    suite_id: suiteId,
    contract_sha256: contractSha256,
    environment_id: environment,
    mode,
    results: results.map(({ id, status }) => ({ id, status })),
    coverage,
  };
  const verdict = verdictOf(results, cases);
  return {
    reportId: digestOf(content),
    suiteId,
    environment,
    mode,
    verdict,
    contractSha256,
    results,
    coverage,
  };
}

function isNotApplicable(results: readonly CaseResult[]): boolean {
  return results.every(({ status }) => status === "not_applicable");
}

/** Cases that were not run, as in a dry run, show nothing either way. Without any required case that passed a suite is not conformant. */
function verdictOf(results: readonly CaseResult[], cases: ReadonlyMap<string, CaseFacts>): Verdict {
  if (isNotApplicable(results)) return "not_applicable";
  const required = results.filter(({ id, status }) => cases.get(id)?.required && status !== "not_applicable");
  const has = (wanted: CaseResult["status"]) => required.some(({ status }) => status === wanted);
  if (has("failed")) return "non_conformant";
  if (has("not_run")) return "partial";
  return has("passed") ? "conformant" : "non_conformant";
}

export function reportMessage(report: Report, whole: boolean): Message {
  const { exercised, methods } = report.coverage;
  return {
    report_id: report.reportId,
    suite_id: report.suiteId,
    environment_id: report.environment,
    mode: report.mode,
    verdict: report.verdict,
    contract_sha256: report.contractSha256,
    results: whole ? report.results.map(({ id, status, detail }) => ({ case_id: id, status, detail })) : [],
    coverage: {
      exercised_count: exercised.length,
      method_count: methods,
      exercised_methods: whole ? exercised : [],
    },
    created_by: report.createdBy,
    created_at: toRfc3339(report.createdAt),
  };
}

/** What changed since the report before, and what fails. */
export function explanationOf(
  report: Report,
  before: Report | undefined,
  facts: readonly SuiteFacts[],
): Message {
  const titles = new Map(facts.flatMap(({ cases }) => cases.map(({ id, title }) => [id, title] as const)));
  const told = (results: readonly CaseResult[]) =>
    results.map(({ id, status, detail }) => ({ case_id: id, title: titles.get(id) ?? "", status, detail }));
  const old = new Map(before?.results.map(({ id, status }) => [id, status]));
  const isFailed = ({ status }: CaseResult) => status === "failed";
  const known = (result: CaseResult) => old.has(result.id) && old.get(result.id) !== result.status;
  return {
    report_id: report.reportId,
    verdict: report.verdict,
    ...(before && { compared_with: before.reportId }),
    failed: told(report.results.filter(isFailed)),
    not_run: told(report.results.filter(({ status }) => status === "not_run")),
    changed: told(report.results.filter(known)),
    added: before ? report.results.filter(({ id }) => !old.has(id)).map(({ id }) => id) : [],
    removed: [...old.keys()].filter((id) => !report.results.some((result) => result.id === id)),
  };
}
