import { orThrow, refusalError } from "#base";
import { ask } from "../../kit/ask.ts";
import { after, type Bounds, pageOf } from "../../kit/list.ts";
import type { Handlers } from "../../module.ts";
import type { SuiteFacts } from "../runner.ts";
import { explain } from "../service.ts";

/** What needs the suites of this build. */
export function suiteHandlers(suites: readonly SuiteFacts[]): Handlers {
  return {
    async "ConformanceService.ListSuites"(request) {
      const listed = [...suites, all(suites)];
      const list = {
        scope: ["suites"],
        shape: ["number"] as const,
        positionOf: (suite: SuiteFacts) => [listed.indexOf(suite)],
        read: (bounds: Bounds) =>
          after(listed, bounds, (suite, [last]) => listed.indexOf(suite) > Number(last)),
      };
      const page = orThrow(pageOf(request, list, (suite) => suiteMessage(suite, false)));
      const { values, ...rest } = page;
      return { suites: values, ...rest };
    },
    async "ConformanceService.GetSuite"({ suite_id }) {
      const found = [...suites, all(suites)].find(({ id }) => id === suite_id);
      if (!found) throw refusalError("NOT_FOUND", `there is no suite ${suite_id}`);
      return suiteMessage(found, true);
    },
    "ConformanceService.ExplainReport": (request, call) =>
      ask(call, explain, { request: { ...request, facts: suites } }),
  };
}

/** Every case that there is, under one name. */
function all(suites: readonly SuiteFacts[]): SuiteFacts {
  const cases = suites.flatMap((suite) => suite.cases);
  return { id: "all", title: "All suites that apply, one after the other", cases };
}

function suiteMessage({ id, title, cases }: SuiteFacts, whole: boolean) {
  return { id, title, case_count: cases.length, cases: whole ? cases : [] };
}
