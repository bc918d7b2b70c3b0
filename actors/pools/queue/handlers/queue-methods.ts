import { limits } from "#base";
import type { PageRequest } from "../../../kit/list.ts";
import { answered, answering } from "../../../kit/methods.ts";
import { itemOwners } from "../../item-owner.ts";
import type { Claim } from "../commands/claimer.ts";
import type { Admission } from "../commands/enqueue.ts";
import type { SettleCommand } from "../commands/settle-batch.ts";
import type { WorkCommand } from "../commands/work-round.ts";
import { type Listener, lostMessage } from "../memory/lost-leases.ts";
import type { ItemState } from "../rows/item.ts";
import type { UnitOfWork } from "../unit/unit-of-work.ts";
import { cancelledMessage, enqueuedMessages, leasedMessages, settledMessages } from "./answers.ts";
import { type Method, type Methods, poolIdOf, readMethod } from "./method.ts";
import { workRound, workWait } from "./questions.ts";
import {
  type ClaimRequest,
  claimOf,
  type EntryRequest,
  enqueueOf,
  type ItemRequest,
  pageOf,
  type SettleRequest,
  settlementsOf,
  settleOf,
} from "./request.ts";

export const queueMethods: Methods = {
  "QueueService.Enqueue": {
    fresh: true,
    command: (request) => enqueueOf(request, [request as ItemRequest], true),
    respond(state, _events, _command, context, answer) {
      const unit = answer as UnitOfWork;
      const [only] = unit.results as readonly Admission[];
      // Counted for a canary, and still a refusal for the caller.
      if (only?.outcome === "refused") return { refused: only.refusal };
      return enqueuedMessages(state, unit, context, true)[0];
    },
  },
  "QueueService.EnqueueBatch": {
    fresh: true,
    command: (request) => enqueueOf(request, (request as { items: ItemRequest[] }).items, false),
    respond: (state, _events, _command, context, answer) => ({
      results: numbered(enqueuedMessages(state, answer as UnitOfWork, context, false)),
    }),
  },
  "QueueService.GetItem": readMethod((request: { queue_item_id: string }) => ({
    type: "get",
    id: request.queue_item_id,
  })),
  "QueueService.AwaitItem": answered((request: AwaitRequest) => ({
    type: "watch",
    poolId: poolIdOf(request),
    id: request.queue_item_id,
    until: request.until ?? "finished",
    waitMs: request.wait_ms ?? 0,
  })),
  [itemOwners.name]: answering(itemOwners, ({ queue_item_ids: ids }) => ({ type: "owners", ids })),
  "QueueService.ListItems": readMethod((request: ListRequest) => ({
    type: "list_items",
    page: pageOf(request),
    states: request.states ?? [],
    key: request.key ?? "",
    filter: request.filter ?? "",
  })),
  "QueueService.Claim": {
    fresh: true,
    command: (request) => claimOf(request as ClaimRequest),
    respond: (state, _events, _command, context, answer) => ({
      items: leasedMessages(state, answer as UnitOfWork, context),
    }),
  },
  "QueueService.SettleBatch": {
    fresh: true,
    command: (request) => ({
      type: "settle",
      poolId: poolIdOf(request),
      entries: settlementsOf((request as { settlements: EntryRequest[] }).settlements),
      single: false,
    }),
    respond: (_state, _events, command, _context, answer) => ({
      results: numbered(settledMessages(answer as UnitOfWork, command as SettleCommand)),
    }),
  },
  [workRound.name]: {
    fresh: true,
    command: (request) => {
      const { settlements, claim } = request as { settlements: EntryRequest[]; claim: ClaimRequest };
      const entries = settlementsOf(settlements);
      return { type: "work", poolId: poolIdOf(request), entries, claim: claimOf(claim) };
    },
    respond: (state, _events, command, context, answer) => ({
      results: numbered(settledMessages(answer as UnitOfWork, command as WorkCommand)),
      items: leasedMessages(state, answer as UnitOfWork, context),
    }),
  },
  [workWait.name]: {
    fresh: true,
    command: (request) => {
      const { first, holds, ...claim } = request as ClaimRequest & { first: number; holds: boolean };
      return { ...claimOf(claim), waitMs: limits.claimWaitMs, first, holds };
    },
    respond: (state, _events, command, context, answer) => ({
      items: leasedMessages(state, answer as UnitOfWork, context),
      ...lostMessage(state, command as Claim & Listener),
    }),
  },
  "QueueService.Complete": settleMethod("complete"),
  "QueueService.Fail": settleMethod("fail"),
  "QueueService.Release": settleMethod("release"),
  "QueueService.Reject": settleMethod("reject"),
  "QueueService.Extend": settleMethod("extend"),
  "QueueService.Cancel": {
    command: (request) => ({
      type: "cancel",
      poolId: poolIdOf(request),
      id: (request as { queue_item_id: string }).queue_item_id,
    }),
    respond: (state, _events, command, context, answer) =>
      cancelledMessage(state, answer as UnitOfWork, (command as { id: string }).id, context),
  },
};

interface AwaitRequest {
  readonly queue_item_id: string;
  readonly until?: "finished" | "started";
  readonly wait_ms?: number;
}

interface ListRequest extends PageRequest {
  readonly states?: readonly ItemState[];
  readonly key?: string;
  readonly filter?: string;
}

/** One settlement by its token. */
function settleMethod(outcome: EntryRequest["outcome"]): Method {
  return {
    fresh: true,
    command: (request) => ({
      type: "settle",
      poolId: poolIdOf(request),
      entries: [settleOf(request as SettleRequest, outcome)],
      single: true,
    }),
    respond: (_state, _events, command, _context, answer) =>
      settledMessages(answer as UnitOfWork, command as SettleCommand)[0],
  };
}

/** Entries of a batch are answered by their place in it. */
function numbered(messages: readonly Record<string, unknown>[]): Record<string, unknown>[] {
  for (let index = 0; index < messages.length; index++) messages[index]!.index = index;
  return messages as Record<string, unknown>[];
}
