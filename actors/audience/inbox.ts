import { isRefusal, limits, refuse } from "#base";
import type { ListInboxRequest, MarkInboxRequest } from "#protos";
import type { Context, Decision, Range } from "#runtime";
import { type Bounds, type List, pageOf } from "../kit/list.ts";
import { messageOf } from "../kit/message.ts";
import type { Message } from "../kit/record.ts";
import type { JsonObject } from "../notify/outbound/types.ts";
import type { Delivery, InboxEntry } from "./deliveries/record.ts";
import { activityOf, rangeOf, refsOf, tables } from "./rows.ts";
import type { Decide, Event, InboxSeen, State } from "./state.ts";
import { noSubscriber, subscribers } from "./subscribers/record.ts";
import { UnitOfWork } from "./unit-of-work.ts";

export interface InboxContent {
  readonly subject: string;
  readonly body: string;
  readonly data: JsonObject;
}

/** In the commit that ends the attempt: a message is there once, whatever happens to the process. */
export function putInInbox(
  unit: UnitOfWork,
  delivery: Delivery,
  { subject, body, data }: InboxContent,
): void {
  const { subscriberId, workflowKey } = delivery;
  const activity = unit.activity(subscriberId);
  const sequence = activity.inboxSequence + 1;
  const after: InboxEntry = {
    id: unit.newId(),
    sequence,
    deliveryId: delivery.id,
    workflowKey,
    subject,
    body,
    data,
    read: false,
    archived: false,
    createdAt: unit.now,
  };
  let { inboxTotal, unread } = activity;
  if (inboxTotal >= limits.inboxMessagesMax) {
    const [entry] = entriesIn({ prefix: [subscriberId], limit: 1 }, unit.context);
    if (entry) {
      unit.events.push({ type: "inbox_dropped", subscriberId, entry });
      inboxTotal--;
      if (!entry.read) unread--;
    }
  }
  unit.events.push({ type: "inbox_put", subscriberId, before: null, after });
  unit.setActivity(subscriberId, {
    ...activity,
    inboxSequence: sequence,
    inboxTotal: inboxTotal + 1,
    unread: unread + 1,
  });
}

export const listInbox: Decide<ListInboxRequest> = (_state, request, context) => {
  const { subscriber_id: id, unread = false } = request;
  context.prefetch(refsOf(id));
  const read = (bounds: Bounds) => {
    const range = rangeOf(id, bounds, true);
    const values = unread ? unreadIn(range, context) : entriesIn(range, context);
    const activity = activityOf(id, context);
    return { values, total: unread ? activity.unread : activity.inboxTotal };
  };
  const scope = [context.address.tenant, "inbox", id, unread];
  const list: List<InboxEntry> = { scope, shape: ["number"], positionOf: ({ sequence }) => [sequence] };
  const page = pageOf(request, { ...list, read }, (entry) => messageOf(entry));
  if (isRefusal(page)) return page;
  if (!subscribers.get(id, context)) return noSubscriber;
  const { values: messages, ...rest } = page;
  return { events: [], answer: { messages, ...rest, unread_count: activityOf(id, context).unread } };
};

function entriesIn(range: Range, context: Context): readonly InboxEntry[] {
  return context.scan(tables.inbox, range).map(({ value }) => value);
}

function unreadIn(range: Range, context: Context): readonly InboxEntry[] {
  const keys = context.scan(tables.unread, range).map(({ key }) => key);
  return context.getMany(tables.inbox, keys).flatMap((entry) => entry ?? []);
}

export const markInbox: Decide<MarkInboxRequest> = (state, request, context) => {
  const { subscriber_id: subscriberId, message_ids: ids, all, as } = request;
  if (all === ids.length > 0) {
    const reason = "exactly one of message_ids and all is given";
    return refuse("INVALID_ARGUMENT", reason, { fields: [{ field: "message_ids", reason }] });
  }
  const unit = new UnitOfWork(state, context);
  context.prefetch(refsOf(subscriberId));
  const entries = all ? newest(subscriberId, as, context) : named(subscriberId, ids, context);
  let activity = unit.activity(subscriberId);
  if (!unit.subscriber(subscriberId)) return noSubscriber;
  let changed = 0;
  for (const before of entries) {
    const after = marked(before, as, context.now);
    if (!after) continue;
    changed++;
    unit.events.push({ type: "inbox_put", subscriberId, before, after });
    const wasUnread = before.read ? 0 : 1;
    const isUnread = after.read || after.archived ? 0 : 1;
    activity = {
      ...activity,
      unread: activity.unread + isUnread - wasUnread,
      inboxTotal: activity.inboxTotal - (after.archived ? 1 : 0),
    };
  }
  if (changed > 0) unit.setActivity(subscriberId, activity);
  return unit.decided({ changed, unread_count: activity.unread });
};

function marked(before: InboxEntry, as: MarkInboxRequest["as"], now: number): InboxEntry | undefined {
  switch (as) {
    case "read":
      return before.read ? undefined : { ...before, read: true, readAt: now };
    case "unread": {
      if (!before.read) return undefined;
      const { readAt: _, ...entry } = before;
      return { ...entry, read: false };
    }
    case "archived":
      return { ...before, archived: true };
  }
}

/** Those that the mark may change: of unread ones there is a list. */
function newest(subscriberId: string, as: MarkInboxRequest["as"], context: Context): readonly InboxEntry[] {
  const range = { prefix: [subscriberId], reverse: true, limit: limits.inboxMarkedMax };
  return as === "read" ? unreadIn(range, context) : entriesIn(range, context);
}

/** One that is not there any more is left out. */
function named(subscriberId: string, ids: readonly string[], context: Context): readonly InboxEntry[] {
  const keys = [...new Set(ids)].map((id) => [subscriberId, id] as const);
  const sequences = context.getMany(tables.inboxIds, keys).flatMap((sequence) => sequence ?? []);
  const entries = sequences.map((sequence) => [subscriberId, sequence] as const);
  return context.getMany(tables.inbox, entries).flatMap((entry) => entry ?? []);
}

export interface Watched {
  readonly messages: readonly Message[];
  readonly seen: InboxSeen;
}

export interface WatchInbox {
  readonly subscriberId: string;
  /** What the watcher knows; absent: it asks where the inbox stands. */
  readonly seen?: InboxSeen;
  readonly waitMs: number;
  /** Once it waits. */
  readonly untilMs?: number;
}

/** Messages after a sequence; waits for a change where there are none. */
export function watchInbox(command: WatchInbox, context: Context): Decision<Event> {
  const { subscriberId, seen, waitMs } = command;
  const limit = limits.inboxWatchedAtOnce;
  context.prefetch(refsOf(subscriberId));
  const after = seen?.sequence ?? activityOf(subscriberId, context).inboxSequence;
  const entries = entriesIn(rangeOf(subscriberId, { after: [after], limit }), context);
  const activity = activityOf(subscriberId, context);
  if (!subscribers.get(subscriberId, context)) return noSubscriber;
  const { untilMs = context.now + waitMs } = command;
  const changed = seen === undefined || entries.length > 0 || activity.unread !== seen.unread;
  if (!changed && !context.expired && context.now < untilMs)
    return { park: { untilMs, command: { type: "watch_inbox", ...command, untilMs } } };
  const sequence =
    entries.length < limit ? Math.max(after, activity.inboxSequence) : entries.at(-1)!.sequence;
  return {
    events: [],
    answer: {
      messages: entries.map((one) => messageOf(one)),
      seen: { sequence, unread: activity.unread },
    },
  };
}

/** Whether the inbox has changed since the watcher looked. */
export function isInboxChanged(state: State, { subscriberId, seen }: WatchInbox): boolean {
  const now = state.inboxes.get(subscriberId);
  return now !== undefined && (now.sequence !== seen?.sequence || now.unread !== seen.unread);
}
