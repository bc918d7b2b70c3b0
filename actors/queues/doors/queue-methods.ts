import { limits } from "#base";
import type { PageRequest } from "../../shared/cursor.ts";
import type { Claim } from "../commands/claim.ts";
import type { Enqueue } from "../commands/enqueue.ts";
import type { SettleCommand } from "../commands/settle-batch.ts";
import type { WorkCommand } from "../commands/work-round.ts";
import { type Listener, lostMessage } from "../memory/lost-leases.ts";
import type { ItemState } from "../rows/item.ts";
import { cancelledMessage, enqueuedMessages, leasedMessages, settledMessages } from "./answers.ts";
import { inPool, listMethod, type Method, type Methods, viewMethod } from "./method.ts";
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
  /** Who has each of these items; not in the contract. */
  "QueueService.GetHolders": viewMethod((request: { queue_item_ids: readonly string[] }) => ({
    type: "holders",
    ids: request.queue_item_ids,
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
      const { first, holds, ...claim } = request as ClaimRequest & { first: number; holds: boolean };
      return inPool(request, { ...claimOf(claim), waitMs: limits.claimWaitMs, first, holds });
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
};

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

/** Entries of a batch are answered by their place in it. */
function numbered(messages: readonly Record<string, unknown>[]): Record<string, unknown>[] {
  for (let index = 0; index < messages.length; index++) messages[index]!.index = index;
  return messages as Record<string, unknown>[];
}
