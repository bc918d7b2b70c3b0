import { isRefusal, limits, type Refusal, toRfc3339 } from "#base";
import type { Context, EntityMethod } from "#runtime";
import { batchError } from "../shared/batch.ts";
import type { PageRequest } from "../shared/cursor.ts";
import type { RouterView } from "../shared/router.ts";
import { fromChangeRow } from "./change.ts";
import { type DeadLetterCommand, type NamedResult, named } from "./dead-letters/decide.ts";
import {
  type Command,
  planSettle,
  type SettleCommand,
  type SettleResult,
  type WorkCommand,
} from "./decide.ts";
import { Draft, findBody, findItem } from "./draft.ts";
import { type Admission, type Enqueue, planEnqueue } from "./enqueue.ts";
import type { GroupKind } from "./group.ts";
import type { Body, Item, ItemState } from "./item.ts";
import { type ListCommand, list } from "./list.ts";
import { itemMessage, jobMessage, leasedMessage, settlementMessage } from "./message.ts";
import {
  type ClaimRequest,
  claimOf,
  type ItemRequest,
  newItem,
  pageOf,
  type SettleRequest,
  settleOf,
  timeMs,
} from "./request.ts";
import type { ChangedEvent, Event, State } from "./state.ts";
import { admissionMessage, depthOf, fullMessage, type ViewCommand, view } from "./view.ts";

type Method = EntityMethod<State, Command, Event>;
type Message = Record<string, unknown>;
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
function settleMethod(outcome: SettleRequest["outcome"]): Method {
  return {
    command: (request) =>
      inPool(request, {
        type: "settle",
        entries: [settleOf({ ...(request as SettleRequest), outcome })],
        single: true,
      }),
    respond: (state, events, command, context) => {
      const [result] = settleResults(state, events, command as SettleCommand, context);
      return settledMessage((command as SettleCommand).entries[0]!.id, result!);
    },
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
    command: (request) => inPool(request, { type: "enqueue", entries: [newItem(request as ItemRequest)] }),
    respond: (state, events, command, context) => {
      const [result] = admissions(state, events, command as Enqueue, context);
      return enqueuedMessage(state, events, context, result!);
    },
  },
  "QueueService.EnqueueBatch": {
    command: (request) =>
      inPool(request, { type: "enqueue", entries: (request as { items: ItemRequest[] }).items.map(newItem) }),
    respond: (state, events, command, context) => ({
      results: admissions(state, events, command as Enqueue, context).map((result, index) =>
        result.outcome === "refused"
          ? { index, error: batchError(result.refusal) }
          : { index, ...enqueuedMessage(state, events, context, result) },
      ),
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
    command: (request) => inPool(request, claimOf(request as ClaimRequest)),
    respond: (state, events, _command, context) => ({ items: leasedMessages(state, events, context) }),
  },
  "QueueService.SettleBatch": {
    command: (request) =>
      inPool(request, {
        type: "settle",
        entries: (request as { settlements: SettleRequest[] }).settlements.map(settleOf),
        single: false,
      }),
    respond: (state, events, command, context) => ({
      results: resultMessages(
        command as SettleCommand,
        settleResults(state, events, command as SettleCommand, context),
      ),
    }),
  },
  /** One round of a Work stream; not in the contract. */
  "QueueService.WorkRound": {
    command: (request) => {
      const { settlements, claim } = request as { settlements: SettleRequest[]; claim: ClaimRequest };
      return inPool(request, { type: "work", entries: settlements.map(settleOf), claim: claimOf(claim) });
    },
    respond: (state, events, command, context) => ({
      results: resultMessages(
        command as WorkCommand,
        settleResults(state, events, command as WorkCommand, context),
      ),
      items: leasedMessages(state, events, context),
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
      const item = changedItem(events, id) ?? findItem(state, context, id, []);
      return fullMessage(state, context, item!, []);
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
      drained: changed(events)?.changes.filter(([cause]) => cause === "drained").length ?? 0,
      remaining_depth: depthOf(state),
    }),
  },
  "AdmissionService.PreviewAdmission": viewMethod((request: ItemRequest) => ({
    type: "preview",
    enqueue: { type: "enqueue", entries: [newItem(request)] },
  })),
  "AdmissionService.ExplainAdmission": viewMethod((request: { queue_item_id: string }) => ({
    type: "explain",
    id: request.queue_item_id,
  })),
  "AdmissionService.ListAdmissionGroups": listMethod(
    (request: PageRequest & { constraint_kind?: GroupKind; status?: string }) => ({
      type: "list_groups",
      page: pageOf(request),
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
      const { before, include_quarantined } = request as { before: number; include_quarantined?: boolean };
      return inPool(request, {
        type: "purge",
        before,
        includeQuarantined: include_quarantined ?? false,
        most: limits.queueStepMax,
      });
    },
    respond: (_state, events) => ({ purged: (changed(events)?.results as number | undefined) ?? 0 }),
  },
};

function inPool<C extends Command>(request: unknown, command: C): Command {
  const { pool_id } = request as InPool;
  return pool_id === undefined ? command : { ...command, poolId: pool_id };
}

function changed(events: readonly Event[]): ChangedEvent | undefined {
  for (const event of events) if (event.type === "changed") return event;
  return undefined;
}

function changedItem(events: readonly Event[], id: string): Item | undefined {
  for (const row of changed(events)?.changes ?? []) {
    const { item } = fromChangeRow(row);
    if (item.id === id) return item;
  }
  return undefined;
}

/** What became of the entries: the event says it, or, where nothing changed, the same plan again. */
function admissions(
  state: State,
  events: readonly Event[],
  command: Enqueue,
  context: Context,
): readonly Admission[] {
  const event = changed(events);
  if (event)
    return (event.results as readonly (Admission | string)[]).map((result) =>
      typeof result === "string" ? { outcome: "enqueued", id: result } : result,
    );
  const planned = planEnqueue(state, command, context);
  return "results" in planned ? planned.results : [];
}

function enqueuedMessage(
  state: State,
  events: readonly Event[],
  context: Context,
  result: Exclude<Admission, { outcome: "refused" }> | Admission,
): Message {
  if (result.outcome === "refused") return { error: batchError(result.refusal) };
  if (result.outcome === "redirected")
    return {
      redirect_pool_id: result.poolId,
      redirect_environment: context.twin<RouterView>("router").environment,
    };
  const fresh = freshItems(events).get(result.id);
  const item = fresh?.item ?? findItem(state, context, result.id, []);
  const body: Body | null = fresh?.body ?? findBody(state, context, result.id, []) ?? null;
  const router = context.twin<RouterView>("router");
  return { item: item ? itemMessage(router, item, { body }) : null, admission: admissionMessage(result) };
}

interface Fresh {
  readonly item: Item;
  readonly body?: Body;
}

/** Items of one event by id; made once for all entries of a batch. */
function freshItems(events: readonly Event[]): ReadonlyMap<string, Fresh> {
  const event = changed(events);
  if (!event) return new Map();
  let items = freshByEvent.get(event);
  if (!items) {
    items = new Map(
      event.changes.map((row) => {
        const { item, body } = fromChangeRow(row);
        return [item.id, { item, ...(body && { body }) }];
      }),
    );
    freshByEvent.set(event, items);
  }
  return items;
}

const freshByEvent = new WeakMap<ChangedEvent, ReadonlyMap<string, Fresh>>();

function leasedMessages(state: State, events: readonly Event[], context: Context): Message[] {
  const router = context.twin<RouterView>("router");
  const leased: Message[] = [];
  for (const row of changed(events)?.changes ?? []) {
    if (row[0] !== "leased") continue;
    const { item } = fromChangeRow(row);
    leased.push(leasedMessage(router, item, findBody(state, context, item.id, []) ?? null));
  }
  return leased;
}

function settleResults(
  state: State,
  events: readonly Event[],
  command: SettleCommand | WorkCommand,
  context: Context,
): readonly SettleResult[] {
  const event = changed(events);
  if (!event) return planSettle(new Draft(state, context), command.entries);
  const items = freshItems(events);
  return (event.results as readonly (SettleResult | null)[]).map(
    (result, index) => result ?? items.get(command.entries[index]!.id)!.item.ended!.answer,
  );
}

function resultMessages(command: SettleCommand | WorkCommand, results: readonly SettleResult[]): Message[] {
  return results.map((result, index) => {
    const { id } = command.entries[index]!;
    if (isRefusal(result)) return { index, queue_item_id: id, error: batchError(result) };
    return { index, ...settledMessage(id, result) };
  });
}

function settledMessage(id: string, result: Exclude<SettleResult, Refusal> | SettleResult): Message {
  if (isRefusal(result)) return { queue_item_id: id, error: batchError(result) };
  if ("leaseExpiresAt" in result)
    return { queue_item_id: id, state: "leased", lease_expires_at: toRfc3339(result.leaseExpiresAt) };
  return settlementMessage(id, result);
}
