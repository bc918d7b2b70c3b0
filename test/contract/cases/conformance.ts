import { badVersion, type Case } from "./case.ts";
import type { World } from "./world.ts";

const environment_id = "staging";
const run = { suite_id: "all", environment_id, mode: "dry_run" };

async function reported(world: World): Promise<{ environment_id: string; report_id: string }> {
  const { report_id } = await world.call<{ report_id: string }>("ConformanceService.RunSuite", run);
  return { environment_id, report_id };
}

const unknown = { environment_id, report_id: `sha256:${"0".repeat(64)}` };

/** The service of these tests runs no conformance suites; test/api/conformance.test.ts covers that. */
export const cases: readonly Case[] = [
  { method: "ConformanceService.ListSuites", claim: "the suites", request: () => ({}) },
  {
    method: "ConformanceService.ListSuites",
    claim: "a forged cursor is refused",
    request: () => ({ page_token: "nonsense" }),
    refused: "INVALID_ARGUMENT",
  },
  { method: "ConformanceService.GetSuite", claim: "all cases", request: () => ({ suite_id: "all" }) },
  {
    method: "ConformanceService.GetSuite",
    claim: "an unknown suite is refused",
    request: () => ({ suite_id: "moon" }),
    refused: "NOT_FOUND",
  },
  { method: "ConformanceService.RunSuite", claim: "a dry run", request: () => run },
  {
    method: "ConformanceService.RunSuite",
    claim: "a sandbox in a live environment is refused",
    request: () => ({ ...run, environment_id: "production", mode: "sandbox" }),
    refused: "FAILED_PRECONDITION",
  },
  {
    method: "ConformanceService.ListReports",
    claim: "reports of an environment",
    request: async (world) => {
      await reported(world);
      return { environment_id };
    },
  },
  {
    method: "ConformanceService.ListReports",
    claim: "an API version that is too old is refused",
    request: () => ({}),
    headers: badVersion,
    refused: "INVALID_ARGUMENT",
  },
  { method: "ConformanceService.GetReport", claim: "a report", request: reported },
  {
    method: "ConformanceService.GetReport",
    claim: "a report that is not there",
    request: () => unknown,
    refused: "NOT_FOUND",
  },
  {
    method: "ConformanceService.ExplainReport",
    claim: "the newest report",
    request: async (world) => {
      await reported(world);
      return { environment_id };
    },
  },
  {
    method: "ConformanceService.ExplainReport",
    claim: "a report that is not there",
    request: () => unknown,
    refused: "NOT_FOUND",
  },
];

export const decided = `
ConformanceService.ListSuites    | GET /api/runtime-conformance/suites | conformance:read | | R C
ConformanceService.GetSuite      | GET /api/runtime-conformance/suites/{suite_id} | conformance:read | | R
ConformanceService.RunSuite      | POST /api/runtime-conformance/suites/{suite_id}:run | conformance:write | | I
ConformanceService.ListReports   | GET /api/runtime-conformance/reports | conformance:read | | R C
ConformanceService.GetReport     | GET /api/runtime-conformance/reports/{environment_id}/{report_id} | conformance:read | | R
ConformanceService.ExplainReport | POST /api/runtime-conformance/reports/{environment_id}:explain | conformance:preview | | N
`;
