import { limits, toRfc3339 } from "#base";
import type { EntityMethod } from "#runtime";
import { batchError } from "../shared/batch.ts";
import type { PageRequest } from "../shared/cursor.ts";
import type { RouterView } from "../shared/router.ts";
import type { Claim } from "./commands/claim.ts";
import type { Enqueue } from "./commands/enqueue.ts";
import { type DeadLetterCommand, type NamedResult, named } from "./dead-letters/decide.ts";
import { type Purge, type Purged, planPurge } from "./dead-letters/purge.ts";
import type { Command, SettleCommand, WorkCommand } from "./decide.ts";
import {
  cancelledMessage,
  changed,
  drainedCount,
  enqueuedMessages,
  leasedMessages,
  settledMessages,
} from "./doors/answers.ts";
import {
  type ClaimRequest,
  claimOf,
  type EntryRequest,
  type ItemRequest,
  newItem,
  pageOf,
  type Redirect,
  type SettleRequest,
  settlementsOf,
  settleOf,
  timeMs,
} from "./doors/request.ts";
import { Draft } from "./draft/draft.ts";
import { type Listener, lostMessage } from "./memory/lost-leases.ts";
import { type ListCommand, list } from "./reads/list.ts";
import { jobMessage } from "./reads/message.ts";
import { depthOf, type ViewCommand, view } from "./reads/view.ts";
import type { GroupKind } from "./rows/group.ts";
import type { ItemState } from "./rows/item.ts";
import type { Event, State } from "./state.ts";

type Method = EntityMethod<State, Command, Event>;
interface InPool {
  readonly pool_id: string;
}

/** A method whose answer is read from the state, before and after alike. */
function viewMethod<Request>(make: (request: Request) => ViewCommand): Method {
  return {
    command: (request) => inPool(request, make(request as Request)),
    respond: (state, _events, command, context) => view(state, command as ViewCommand, context, []),
  };
}

function listMethod<Request>(make: (request: Request) => ListCommand): Method {
  return {
    command: (request) => inPool(request, make(request as Request)),
    respond: (state, _events, command, context) => list(state, command as ListCommand, context, []),
  };
}

/** One settlement by its token. */
function settleMethod(outcome: EntryRequest["outcome"]): Method {
  return {
    fresh: true,
    command: (request) =>
      inPool(request, {
        type: "settle",
        entries: [settleOf(request as SettleRequest, outcome)],
        single: true,
      }),
    respond: (state, events, command, context) =>
      settledMessages(state, events, command as SettleCommand, context)[0],
  };
}

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

export const methods: Readonly<Record<string, Method>> = {
  "QueueService.Enqueue": {
    fresh: true,
    command: (request) => inPool(request, enqueueOf(request, [request as ItemRequest], true)),
    respond: (state, events, command, context) =>
      enqueuedMessages(state, events, command as Enqueue, context)[0],
  },
  "QueueService.EnqueueBatch": {
    fresh: true,
    command: (request) =>
      inPool(request, enqueueOf(request, (request as { items: ItemRequest[] }).items, false)),
    respond: (state, events, command, context) => ({
      results: numbered(enqueuedMessages(state, events, command as Enqueue, context)),
    }),
  },
  "QueueService.GetItem": viewMethod((request: { queue_item_id: string }) => ({
    type: "get",
    id: request.queue_item_id,
  })),
  "QueueService.ListItems": listMethod((request: PageRequest & { states?: ItemState[]; key?: string }) => ({
    type: "list_items",
    page: pageOf(request),
    states: request.states ?? [],
    key: request.key ?? "",
  })),
  "QueueService.Claim": {
    fresh: true,
    command: (request) => inPool(request, claimOf(request as ClaimRequest)),
    respond: (state, events, _command, context) => ({ items: leasedMessages(state, events, context) }),
  },
  "QueueService.SettleBatch": {
    fresh: true,
    command: (request) =>
      inPool(request, {
        type: "settle",
        entries: settlementsOf((request as { settlements: EntryRequest[] }).settlements),
        single: false,
      }),
    respond: (state, events, command, context) => ({
      results: numbered(settledMessages(state, events, command as SettleCommand, context)),
    }),
  },
  /** One round of a Work stream; not in the contract. */
  "QueueService.WorkRound": {
    fresh: true,
    command: (request) => {
      const { settlements, claim } = request as { settlements: EntryRequest[]; claim: ClaimRequest };
      return inPool(request, { type: "work", entries: settlementsOf(settlements), claim: claimOf(claim) });
    },
    respond: (state, events, command, context) => ({
      results: numbered(settledMessages(state, events, command as WorkCommand, context)),
      items: leasedMessages(state, events, context),
    }),
  },
  /** What a Work stream waits for: items, and the leases its worker loses; not in the contract. */
  "QueueService.WorkWait": {
    fresh: true,
    command: (request) => {
      const { first, ...claim } = request as ClaimRequest & { first: number };
      return inPool(request, { ...claimOf(claim), waitMs: limits.claimWaitMs, first });
    },
    respond: (state, events, command, context) => ({
      items: leasedMessages(state, events, context),
      ...lostMessage(state, command as Claim & Listener),
    }),
  },
  "QueueService.Complete": settleMethod("complete"),
  "QueueService.Fail": settleMethod("fail"),
  "QueueService.Release": settleMethod("release"),
  "QueueService.Reject": settleMethod("reject"),
  "QueueService.Extend": settleMethod("extend"),
  "QueueService.Cancel": {
    command: (request) =>
      inPool(request, { type: "cancel", id: (request as { queue_item_id: string }).queue_item_id }),
    respond: (state, events, command, context) => {
      const { id } = command as { id: string };
      return cancelledMessage(state, events, id, context);
    },
  },
  "QueueControlService.GetQueueStatus": viewMethod(() => ({ type: "status" })),
  "QueueControlService.PauseQueue": {
    command: (request) => {
      const { until, reason } = request as { until?: string; reason?: string };
      return inPool(request, { type: "pause", untilMs: timeMs(until), reason: reason ?? "" });
    },
    respond: (state, _events, _command, context) => view(state, { type: "status" }, context, []),
  },
  "QueueControlService.ResumeQueue": {
    command: (request) => inPool(request, { type: "resume" }),
    respond: (state, _events, _command, context) => view(state, { type: "status" }, context, []),
  },
  /** One step; the orchestration goes on until it has drained as many as were asked for. */
  "QueueControlService.DrainQueue": {
    command: (request) => {
      const { max_items } = request as { max_items: number };
      return inPool(request, { type: "drain", most: Math.min(max_items, limits.queueStepMax) });
    },
    respond: (state, events) => ({
      drained: drainedCount(events),
      remaining_depth: depthOf(state),
    }),
  },
  "AdmissionService.PreviewAdmission": viewMethod((request: ItemRequest) => ({
    type: "preview",
    enqueue: enqueueOf(request, [request], true),
  })),
  "AdmissionService.ExplainAdmission": viewMethod((request: { queue_item_id: string }) => ({
    type: "explain",
    id: request.queue_item_id,
  })),
  "AdmissionService.ListAdmissionGroups": listMethod(
    (request: PageRequest & { constraint_kind?: GroupKind; status?: string; environment?: string }) => ({
      type: "list_groups",
      page: pageOf(request),
      environment: request.environment ?? "",
      kind: request.constraint_kind ?? "",
      status: request.status ?? "",
    }),
  ),
  "AdmissionService.GetAdmissionGroup": viewMethod(
    (request: { constraint_kind: GroupKind; group_id: string }) => ({
      type: "get_group",
      kind: request.constraint_kind,
      groupId: request.group_id,
    }),
  ),
  "AdmissionService.ClearAdmissionGroup": {
    command: (request) => {
      const { constraint_kind, group_id, reason } = request as Record<string, string>;
      return inPool(request, {
        type: "clear_group",
        kind: constraint_kind as GroupKind,
        groupId: group_id!,
        reason: reason ?? "",
      });
    },
    respond: (_state, _events, command, context) => {
      const { kind, groupId, reason } = command as Extract<Command, { type: "clear_group" }>;
      const { poolId, environment } = context.twin<RouterView>("router");
      return {
        constraint_kind: kind,
        group_id: groupId,
        pool_id: poolId,
        environment,
        status: "cleared",
        cleared_at: toRfc3339(context.now),
        cleared_by: context.caller?.subject ?? "",
        clear_reason: reason,
      };
    },
  },
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

function enqueueOf(request: unknown, items: readonly ItemRequest[], single: boolean): Enqueue {
  const { redirected_in = "" } = request as Redirect;
  return { type: "enqueue", entries: items.map(newItem), single, redirectedIn: redirected_in };
}

function inPool<C extends Command>(request: unknown, command: C): Command {
  const { pool_id } = request as InPool;
  if (pool_id === undefined) return command;
  // Nobody else has the command yet.
  (command as { poolId?: string }).poolId = pool_id;
  return command;
}

/** Entries of a batch are answered by their place in it. */
function numbered(messages: readonly Record<string, unknown>[]): Record<string, unknown>[] {
  for (let index = 0; index < messages.length; index++) messages[index]!.index = index;
  return messages as Record<string, unknown>[];
}
