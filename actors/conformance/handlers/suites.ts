import { limits, RefusalError, refuse } from "#base";
import { ask } from "../../kit/ask.ts";
import type { PageRequest } from "../../kit/cursor.ts";
import type { Message } from "../../kit/record.ts";
import type { Orchestration } from "../../module.ts";
import type { SuiteFacts } from "../runner.ts";
import { conformanceOf } from "../state.ts";

/** What needs the suites of this build. */
export function suiteDoors(suites: readonly SuiteFacts[]): Readonly<Record<string, Orchestration>> {
  return {
    async "ConformanceService.ListSuites"(request) {
      const { page_size = 0, offset = 0, page_token = "" } = request as PageRequest;
      if (page_token !== "")
        throw new RefusalError(
          refuse("INVALID_ARGUMENT", "page_token is not a cursor of this list", {
            fields: [{ field: "page_token", reason: "is not a cursor of this list" }],
          }),
        );
      const from = Math.max(0, offset);
      const size = page_size <= 0 ? limits.pageSizeDefault : page_size;
      const listed = [...suites, all(suites)].map((suite) => suiteMessage(suite, false));
      return { suites: listed.slice(from, from + size), next_page_token: "", total: listed.length };
    },
    async "ConformanceService.GetSuite"(request) {
      const { suite_id } = request as { readonly suite_id: string };
      const found = [...suites, all(suites)].find(({ id }) => id === suite_id);
      if (!found) throw new RefusalError(refuse("NOT_FOUND", `there is no suite ${suite_id}`));
      return suiteMessage(found, true);
    },
    async "ConformanceService.ExplainReport"(request, call) {
      const to = conformanceOf(call.caller.tenant);
      return ask(call, {
        to,
        method: "Conformance.Explain",
        request: { ...(request as Message), facts: suites },
      });
    },
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
