import { isRefusal, limits, type Refusal, refuse } from "#base";
import type { Context, RangeRef } from "#runtime";
import { jobMessage, noJob } from "../../../kit/jobs.ts";
import type { ItemOwner } from "../../item-owner.ts";
import type { PoolView, RouterView } from "../../router.ts";
import { pauseState } from "../commands/control.ts";
import { type Admission, type Enqueue, planEnqueue } from "../commands/enqueue.ts";
import type { JobKind } from "../jobs/job.ts";
import { findGroup } from "../memory/derived.ts";
import { oldestCreatedAt } from "../memory/oldest.ts";
import { type GroupKind, nameOfGroup } from "../rows/group.ts";
import { type HistoryEntry, historyRows } from "../rows/history.ts";
import type { Item } from "../rows/item.ts";
import { depthOf } from "../rows/stats.ts";
import type { State } from "../state.ts";
import { findBody, findItem } from "../unit/find.ts";
import { reachPool } from "../unit/pool.ts";
import { busiest } from "./busiest.ts";
import { GroupViews } from "./group-view.ts";
import { groupMessage, historyMessage, itemMessage, time } from "./message.ts";
import { placeOf, previewPlace } from "./place.ts";
import { Rooms } from "./room.ts";
import { series } from "./series.ts";
import { type Surroundings, type Wait, waitOf } from "./wait.ts";

export type ViewCommand =
  | { readonly type: "get"; readonly id: string }
  | { readonly type: "owners"; readonly ids: readonly string[] }
  | { readonly type: "explain"; readonly id: string }
  | { readonly type: "status" }
  | { readonly type: "sample"; readonly recipients: boolean }
  | { readonly type: "series"; readonly windowMs: number; readonly stepMs: number }
  | { readonly type: "preview"; readonly enqueue: Enqueue }
  | { readonly type: "get_group"; readonly kind: GroupKind; readonly groupId: string }
  | { readonly type: "dead_letter_stats" }
  | { readonly type: "get_job"; readonly id: string; readonly kind?: JobKind };

type Message = Record<string, unknown>;

/** The answer to a question that changes nothing. */
export function view(state: State, command: ViewCommand, context: Context): Message | Refusal {
  const router = context.twin<RouterView>("router");
  const refused = reachPool(router, context);
  if (refused) return refused;
  switch (command.type) {
    case "get": {
      const item = findItem(state, context, command.id);
      if (item === null) return noItem(command.id);
      const rooms = new Rooms(state, router, context.now);
      if (item === undefined) return {};
      const history = historyOf(context, item).map(historyMessage);
      return { ...fullMessage(state, context, item, { far: true, rooms }), history };
    }
    case "owners":
      return { owners: command.ids.map((id) => ownerOf(state, context, id)) };
    case "explain": {
      const item = findItem(state, context, command.id);
      if (item === null) return noItem(command.id);
      return item ? explanation(state, context, item) : {};
    }
    case "preview":
      return preview(state, context, command.enqueue);
    case "status":
      return statusMessage(state, context);
    case "sample":
      return sampled(state, command.recipients, context);
    case "series":
      return series(state, command, context);
    case "get_group": {
      const group = new GroupViews(state, context).find(command.kind, command.groupId);
      if (group === null) return refuse("NOT_FOUND", `there is no ${command.kind} group ${command.groupId}`);
      return group ? groupMessage(router, group) : {};
    }
    case "dead_letter_stats":
      return deadLetterStats(state, context);
    case "get_job": {
      const job = state.jobs.get(command.id);
      const isAsked = job && (command.kind === undefined || command.kind === job.kind);
      return isAsked ? jobMessage(job) : noJob(command.id);
    }
  }
}

function ownerOf(state: State, context: Context, id: string): ItemOwner {
  const item = findItem(state, context, id);
  if (item === null) return { gone: noItem(id) };
  const recipient_id = item?.lease?.recipient || item?.ended?.recipient;
  return { ...(recipient_id && { recipient_id }), ...(item && { item_key: item.key }) };
}

/** The newest first. */
function historyOf(context: Context, item: Item): HistoryEntry[] {
  if (item.history === 0) return [];
  const limit = limits.queueHistoryMax;
  const rows = context.range({ collection: historyRows, prefix: [item.id], limit }) ?? [];
  return rows.map(({ value }) => value).sort((a, b) => b.number - a.number);
}

interface Look {
  /** Also where it stands if that is far behind. */
  readonly far: boolean;
  readonly rooms: Rooms;
}

/** The item with payload, result and why it waits. */
export function fullMessage(state: State, context: Context, item: Item, { far, rooms }: Look): Message {
  const router = context.twin<RouterView>("router");
  const body = findBody(state, context, item) ?? null;
  const result = item.state === "completed" ? context.row({ collection: "result", key: [item.id] }) : null;
  const around = surroundings(state, context, item, far);
  const wait = waitOf(state, router, item, around, context.now, rooms);
  return itemMessage(router, item, { body, wait, ...(result != null && { result }) });
}

function surroundings(state: State, context: Context, item: Item, far: boolean): Surroundings {
  const throttle = item.state === "ready" && item.groups.throttle;
  const throttled = throttle ? findGroup(state, context, nameOfGroup("throttle", throttle)) : null;
  return { throttled, ...placeOf(state, context, item, far) };
}

/** What holds an item, in the words of the admission controls. */
function explanation(state: State, context: Context, item: Item): Message {
  const router = context.twin<RouterView>("router");
  const around = surroundings(state, context, item, true);
  const wait = waitOf(state, router, item, around, context.now, new Rooms(state, router, context.now));
  if (!wait) return { status: item.state };
  return {
    status: wait.kind || wait.until > 0 ? "held" : "waiting",
    reason: wait.reason,
    ...(wait.kind && { constraint_kind: wait.kind }),
    ...(wait.groupId && { group_id: wait.groupId }),
    ...(wait.until > 0 && { retry_after_ms: Math.max(0, wait.until - context.now) }),
    ...time("not_before", wait.until),
    ...(wait.position > 0 && { position: wait.position }),
  };
}

/** Runs the plan of an enqueue and throws it away. */
function preview(state: State, context: Context, enqueue: Enqueue): Message | Refusal {
  const planned = planEnqueue(state, enqueue, context);
  if (isRefusal(planned)) return planned;
  const result = planned.results[0]!;
  if (result.outcome === "refused") return result.refusal;
  const router = context.twin<RouterView>("router");
  if (result.outcome === "redirected")
    return { redirect_pool_id: result.poolId, redirect_environment: router.environment };
  const { unit } = planned;
  const item = unit.item(result.id);
  if (!item) return {};
  const throttled = item.groups.throttle ? unit.group(nameOfGroup("throttle", item.groups.throttle)) : null;
  const place = previewPlace(unit, item);
  const rooms = new Rooms(state, router, context.now);
  const wait = waitOf(state, router, item, { throttled, ...place }, context.now, rooms);
  const body = unit.body(item) ?? null;
  return {
    item: itemMessage(router, item, { body, wait }),
    admission: admissionMessage(result),
    explanation: {
      status: previewStatus(result.outcome, wait),
      ...(wait && { reason: wait.reason }),
      ...((wait?.kind ?? result.kind) && { constraint_kind: wait?.kind ?? result.kind }),
      ...((wait?.groupId ?? result.groupId) && { group_id: wait?.groupId ?? result.groupId }),
      ...(wait && wait.until > 0 && { retry_after_ms: Math.max(0, wait.until - context.now) }),
      ...time("not_before", wait?.until ?? 0),
      ...(wait && wait.position > 0 && { position: wait.position }),
      ...(enqueue.redirectedIn && { redirect_pool_id: router.poolId }),
    },
  };
}

/** What would become of the item itself; one that is not queued is not held either. */
function previewStatus(outcome: Admission["outcome"], wait: Wait | undefined): string {
  if (outcome !== "enqueued" && outcome !== "replaced") return outcome;
  return wait && (wait.kind || wait.until > 0) ? "held" : "admitted";
}

export function admissionMessage(result: {
  outcome: string;
  existingId?: string;
  kind?: string;
  groupId?: string;
}): Message {
  return {
    outcome: result.outcome,
    ...(result.existingId && { existing_item_id: result.existingId }),
    ...(result.kind && { constraint_kind: result.kind }),
    ...(result.groupId && { group_id: result.groupId }),
  };
}

function statusMessage(state: State, context: Context): Message {
  const router = context.twin<RouterView>("router");
  const oldestAt = oldestCreatedAt(state, context);
  const pause = pauseState(state, context.now);
  return {
    pool_id: router.poolId,
    name: context.twin<PoolView>("pool").pool?.name ?? "",
    environment: router.environment,
    depth: depthOf(state),
    by_state: { ...state.counts },
    paused: pause.paused,
    ...time("paused_until", pause.until),
    ...(pause.reason && { pause_reason: pause.reason }),
    oldest_item_age_seconds: ageSeconds(oldestAt, context.now),
    oldest_ready_age_seconds: ageSeconds(state.totals.ages.oldestAt, context.now),
    average_wait_seconds: state.statistics.averageWaitSeconds(context.now),
    throughput_today: state.statistics.throughputToday(context.now),
    leased: state.leases.size,
    dlq_depth: state.counts.dead - state.quarantined,
    held: state.held,
    bytes: state.bytes,
  };
}

function sampled(state: State, recipients: boolean, context: Context): Message {
  const queue = statusMessage(state, context);
  const told = { queue, totals: { ...state.totals.values } };
  return recipients ? { ...told, recipients: busiest(context) } : told;
}

/** `since`: 0: there is none. */
function ageSeconds(since: number, now: number): number {
  return since && Math.max(0, Math.floor((now - since) / 1_000));
}

function deadLetterStats(state: State, context: Context): Message {
  const depth = state.counts.dead - state.quarantined;
  const ref: RangeRef = { collection: "failed", limit: 1 };
  const rows = depth > 0 ? context.range(ref) : [];
  return {
    depth,
    ...time("oldest_failure_at", (rows?.[0]?.key[0] as number | undefined) ?? 0),
    quarantined: state.quarantined,
    max_retries: limits.deadLetterRetriesMax,
  };
}

function noItem(id: string): Refusal {
  return refuse("NOT_FOUND", `there is no item ${id}`);
}
