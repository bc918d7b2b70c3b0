import { limits } from "#base";
import { batchError } from "../../../kit/batch.ts";
import type { PageRequest } from "../../../kit/list.ts";
import type { DeadLetterCommand, NamedResult } from "../dead-letters/decide.ts";
import type { Purged } from "../dead-letters/purge.ts";
import type { UnitOfWork } from "../unit/unit-of-work.ts";
import { type Method, type Methods, poolIdOf, readMethod } from "./method.ts";
import { purgeStep } from "./questions.ts";
import { pageOf } from "./request.ts";

export const deadLetterMethods: Methods = {
  "DeadLetterService.ListDeadLetters": readMethod(
    (request: PageRequest & { quarantined?: boolean; filter?: string }) => ({
      type: "list_dead_letters",
      page: pageOf(request),
      quarantined: request.quarantined ?? false,
      filter: request.filter ?? "",
    }),
  ),
  "DeadLetterService.GetDeadLetterStats": readMethod(() => ({ type: "dead_letter_stats" })),
  "DeadLetterService.Retry": namedMethod("retry"),
  "DeadLetterService.Quarantine": namedMethod("quarantine"),
  "DeadLetterService.Release": namedMethod("unquarantine"),
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
