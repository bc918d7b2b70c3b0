import { limits } from "#base";
import { batchError } from "../../shared/batch.ts";
import type { PageRequest } from "../../shared/cursor.ts";
import { type DeadLetterCommand, type NamedResult, named } from "../dead-letters/decide.ts";
import { type Purge, type Purged, planPurge } from "../dead-letters/purge.ts";
import { Draft } from "../draft/draft.ts";
import { jobMessage } from "../reads/message.ts";
import { changed } from "./answers.ts";
import { inPool, listMethod, type Method, type Methods, viewMethod } from "./method.ts";
import { pageOf, timeMs } from "./request.ts";

export const deadLetterMethods: Methods = {
  "DeadLetterService.ListDeadLetters": listMethod((request: PageRequest & { quarantined?: boolean }) => ({
    type: "list_dead_letters",
    page: pageOf(request),
    quarantined: request.quarantined ?? false,
  })),
  "DeadLetterService.GetDeadLetterStats": viewMethod(() => ({ type: "dead_letter_stats" })),
  "DeadLetterService.Retry": namedMethod("retry"),
  "DeadLetterService.Quarantine": namedMethod("quarantine"),
  "DeadLetterService.Release": namedMethod("unquarantine"),
  "DeadLetterService.RetryAll": {
    command: (request) => {
      const { key, error_type, failed_before, rate } = request as Record<string, string> & { rate?: number };
      return inPool(request, {
        type: "retry_all",
        filter: { key: key ?? "", errorType: error_type ?? "", failedBefore: timeMs(failed_before) },
        rate: rate ?? 0,
      });
    },
    respond: (_state, events) => {
      for (const event of events) if (event.type === "job_changed") return jobMessage(event.job);
      return {};
    },
  },
  "DeadLetterService.GetRetryAll": viewMethod((request: { operation_id: string }) => ({
    type: "get_retry_all",
    operationId: request.operation_id,
  })),
  /** One step; the orchestration goes on until nothing is left. */
  "DeadLetterService.Purge": {
    command: (request) => {
      const { before, include_quarantined, after } = request as {
        before: number;
        include_quarantined?: boolean;
        after?: string;
      };
      return inPool(request, {
        type: "purge",
        before,
        includeQuarantined: include_quarantined ?? false,
        after: after ?? "",
        most: limits.queueStepMax,
      });
    },
    respond: (state, events, command, context): Purged => {
      const told = changed(events)?.results as Purged | undefined;
      if (told) return told;
      const { purged, more, after } = planPurge(new Draft(state, context), command as Purge);
      return { purged, more, after };
    },
  },
};

function namedMethod(type: "retry" | "quarantine" | "unquarantine"): Method {
  return {
    command: (request) =>
      inPool(request, { type, ids: (request as { queue_item_ids: string[] }).queue_item_ids }),
    respond: (state, events, command, context) => {
      const { ids } = command as Extract<DeadLetterCommand, { ids: readonly string[] }>;
      const results =
        (changed(events)?.results as NamedResult[] | undefined) ??
        named(new Draft(state, context), command as Extract<DeadLetterCommand, { ids: readonly string[] }>);
      return {
        results: results.map((result, index) => ({
          index,
          queue_item_id: ids[index],
          ...(result && { error: batchError(result) }),
        })),
        succeeded: results.filter((result) => result === null).length,
      };
    },
  };
}
