import { limits } from "#base";
import { batchError } from "../../../kit/batch.ts";
import type { PageRequest } from "../../../kit/list.ts";
import type { DeadLetterCommand, NamedResult } from "../dead-letters/decide.ts";
import type { Purged } from "../dead-letters/purge.ts";
import { jobMessage } from "../reads/message.ts";
import type { UnitOfWork } from "../unit/unit-of-work.ts";
import { type Method, type Methods, poolIdOf, readMethod } from "./method.ts";
import { purgeStep } from "./questions.ts";
import { pageOf, timeMs } from "./request.ts";

export const deadLetterMethods: Methods = {
  "DeadLetterService.ListDeadLetters": readMethod((request: PageRequest & { quarantined?: boolean }) => ({
    type: "list_dead_letters",
    page: pageOf(request),
    quarantined: request.quarantined ?? false,
  })),
  "DeadLetterService.GetDeadLetterStats": readMethod(() => ({ type: "dead_letter_stats" })),
  "DeadLetterService.Retry": namedMethod("retry"),
  "DeadLetterService.Quarantine": namedMethod("quarantine"),
  "DeadLetterService.Release": namedMethod("unquarantine"),
  "DeadLetterService.RetryAll": {
    command: (request) => {
      const { key, error_type, failed_before, rate } = request as Record<string, string> & { rate?: number };
      return {
        type: "retry_all",
        poolId: poolIdOf(request),
        filter: { key: key ?? "", errorType: error_type ?? "", failedBefore: timeMs(failed_before) },
        rate: rate ?? 0,
      };
    },
    respond: (_state, events) => {
      for (const event of events) if (event.type === "job_changed") return jobMessage(event.job);
      return {};
    },
  },
  "DeadLetterService.GetRetryAll": readMethod((request: { operation_id: string }) => ({
    type: "get_retry_all",
    operationId: request.operation_id,
  })),
  [purgeStep.name]: {
    command: (request) => {
      const { before, include_quarantined, after } = request as {
        before: number;
        include_quarantined?: boolean;
        after?: string;
      };
      return {
        type: "purge",
        poolId: poolIdOf(request),
        before,
        includeQuarantined: include_quarantined ?? false,
        after: after ?? "",
        most: limits.queueStepMax,
      };
    },
    respond: (_state, _events, _command, _context, answer) => (answer as UnitOfWork).results as Purged,
  },
};

function namedMethod(type: "retry" | "quarantine" | "unquarantine"): Method {
  return {
    command: (request) => {
      const { queue_item_ids: ids } = request as { queue_item_ids: string[] };
      return { type, poolId: poolIdOf(request), ids };
    },
    respond: (_state, _events, command, _context, answer) => {
      const { ids } = command as Extract<DeadLetterCommand, { ids: readonly string[] }>;
      const results = (answer as UnitOfWork).results as NamedResult[];
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
