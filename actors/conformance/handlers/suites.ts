import { isRefusal, RefusalError, refuse } from "#base";
import { ask } from "../../kit/ask.ts";
import { after, type Bounds, type PageRequest, pageOf } from "../../kit/list.ts";
import type { Orchestration } from "../../module.ts";
import type { Explain } from "../decide.ts";
import type { SuiteFacts } from "../runner.ts";
import { explain } from "../service.ts";

/** What needs the suites of this build. */
export function suiteHandlers(suites: readonly SuiteFacts[]): Readonly<Record<string, Orchestration>> {
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
      const page = pageOf(request as PageRequest, list, (suite) => suiteMessage(suite, false));
      if (isRefusal(page)) throw new RefusalError(page);
      const { values, ...rest } = page;
      return { suites: values, ...rest };
    },
    async "ConformanceService.GetSuite"(request) {
      const { suite_id } = request as { readonly suite_id: string };
      const found = [...suites, all(suites)].find(({ id }) => id === suite_id);
      if (!found) throw new RefusalError(refuse("NOT_FOUND", `there is no suite ${suite_id}`));
      return suiteMessage(found, true);
    },
    "ConformanceService.ExplainReport": (request, call) =>
      ask(call, explain, { request: { ...(request as Omit<Explain, "facts">), facts: suites } }),
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
