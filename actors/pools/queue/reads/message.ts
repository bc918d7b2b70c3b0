import { toRfc3339 as format } from "#base";
import type { RouterView } from "../../router.ts";
import type { HistoryEntry } from "../rows/history.ts";
import type { Body, Item, Lease, Settlement } from "../rows/item.ts";
import type { GroupView } from "./group-view.ts";
import type { Wait } from "./wait.ts";

/** Items of one batch share a few times; making the text is a good part of making the message. */
function toRfc3339(ms: number): string {
  // A prime, so that times a whole number of seconds apart do not meet in one slot.
  const slot = ms % 61;
  if (texts[slot]?.ms !== ms) texts[slot] = { ms, text: format(ms) };
  return texts[slot]!.text;
}

const texts: ({ readonly ms: number; readonly text: string } | undefined)[] = [];

/** Domain to contract: plain objects with proto names. */
type Message = Record<string, unknown>;

export interface ItemParts {
  /** Absent: neither payload nor attributes are told. */
  readonly body?: Body | null;
  readonly result?: unknown;
  readonly wait?: Wait | undefined;
}

export function itemMessage(router: RouterView, item: Item, { body, result, wait }: ItemParts): Message {
  const message: Message = {
    id: item.id,
    pool_id: router.poolId,
    tenant_id: router.tenant,
    environment: router.environment,
    key: item.key,
    payload: body?.payload,
    attributes: body === undefined ? undefined : (body?.attributes ?? {}),
    priority: item.band,
    cost: item.cost,
    dedup_id: item.dedupId,
    state: item.state,
    attempts: item.attempts,
    deliveries: item.deliveries,
    retry_count: item.retries,
    coalesced: item.coalesced,
    quarantined: item.quarantined,
    created_at: toRfc3339(item.createdAt),
    updated_at: toRfc3339(item.updatedAt),
    record_version: item.version,
  };
  if (item.notBefore > 0) message.not_before = toRfc3339(item.notBefore);
  if (item.expiresAt > 0) message.expires_at = toRfc3339(item.expiresAt);
  if (item.finishedAt > 0) message.finished_at = toRfc3339(item.finishedAt);
  if (item.lease) message.lease = leaseMessage(item.lease);
  if (item.traceparent) message.traceparent = item.traceparent;
  if (item.state === "completed" && item.ended) message.completed_by = item.ended.recipient;
  if (item.error)
    message.last_error = {
      message: item.error.message,
      type: item.error.type,
      at: toRfc3339(item.error.at),
    };
  if (result !== undefined) message.result = result;
  if (wait) message.wait = waitMessage(wait);
  return message;
}

function leaseMessage({ recipient, expiresAt, progress }: Lease): Message {
  const message: Message = { recipient_id: recipient, expires_at: toRfc3339(expiresAt) };
  if (progress) message.progress = progress;
  return message;
}

export function historyMessage(entry: HistoryEntry): Message {
  return {
    delivery: entry.delivery,
    recipient_id: entry.recipient,
    ...time("leased_at", entry.leasedAt),
    ...time("ended_at", entry.endedAt),
    outcome: entry.outcome,
    error: entry.error,
    error_type: entry.errorType,
    ...(entry.progress && { progress: entry.progress }),
  };
}

export function leasedMessage(router: RouterView, item: Item, body: Body | null): Message {
  return {
    item: itemMessage(router, item, { body }),
    lease_token: item.lease!.token,
    lease_expires_at: toRfc3339(item.lease!.expiresAt),
  };
}

export function settlementMessage(id: string, answer: Settlement): Message {
  const message: Message = {
    queue_item_id: id,
    state: answer.state,
    attempts: answer.attempts,
    deliveries: answer.deliveries,
    settled_at: toRfc3339(answer.at),
  };
  if (answer.notBefore > 0) message.not_before = toRfc3339(answer.notBefore);
  return message;
}

export function groupMessage(router: RouterView, group: GroupView): Message {
  return {
    constraint_kind: group.kind,
    group_id: group.groupId,
    pool_id: router.poolId,
    environment: router.environment,
    status: group.status,
    in_use: group.inUse,
    limit: group.limit,
    waiting: group.waiting,
    ...time("next_eligible_at", group.nextEligibleAt),
    ...(group.cleared && {
      cleared_at: toRfc3339(group.cleared.at),
      cleared_by: group.cleared.by,
      clear_reason: group.cleared.reason,
    }),
  };
}

export function time(name: string, at: number): Message {
  return at > 0 ? { [name]: toRfc3339(at) } : {};
}

function waitMessage({ reason, until, position }: Wait): Message {
  return { reason, ...time("until", until), ...(position > 0 && { position }) };
}
