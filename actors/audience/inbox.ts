import { isRefusal, limits, refuse } from "#base";
import type { Context, Decision } from "#runtime";
import { type PageRequest, pageBounds, sealCursor } from "../kit/cursor.ts";
import { secretOf } from "../kit/state.ts";
import type { JsonObject } from "../notify/outbound/types.ts";
import { type Delivery, type InboxEntry, inboxMessage } from "./delivery.ts";
import { Reads } from "./reads.ts";
import type { Event, InboxSeen, State } from "./state.ts";
import { Work } from "./work.ts";

export interface InboxContent {
  readonly subject: string;
  readonly body: string;
  readonly data: JsonObject;
}

/** In the commit that ends the attempt: a message is there once, whatever happens to the process. */
export function putInInbox(work: Work, delivery: Delivery, { subject, body, data }: InboxContent): void {
  const { subscriberId, workflowKey } = delivery;
  const activity = work.activity(subscriberId);
  const sequence = activity.inboxSequence + 1;
  const after: InboxEntry = {
    id: work.newId(),
    sequence,
    deliveryId: delivery.id,
    workflowKey,
    subject,
    body,
    data,
    read: false,
    archived: false,
    createdAt: work.now,
  };
  let { inboxTotal, unread } = activity;
  if (inboxTotal >= limits.inboxMessagesMax) {
    const [oldest] = work.reads.range({ collection: "inbox", prefix: [subscriberId], limit: 1 });
    if (oldest) {
      const entry = oldest.value as InboxEntry;
      work.events.push({ type: "inbox_dropped", subscriberId, entry });
      inboxTotal--;
      if (!entry.read) unread--;
    }
  }
  work.events.push({ type: "inbox_put", subscriberId, before: null, after });
  work.setActivity(subscriberId, {
    ...activity,
    inboxSequence: sequence,
    inboxTotal: inboxTotal + 1,
    unread: unread + 1,
  });
}

export interface ListInbox extends PageRequest {
  readonly subscriber_id: string;
  readonly unread?: boolean;
}

export function listInbox(state: State, request: ListInbox, context: Context): Decision<Event> {
  const { subscriber_id: subscriberId, unread = false } = request;
  const scope = [state.tenant, "inbox", subscriberId, unread];
  const bounds = pageBounds(request, state.secret, scope);
  if (isRefusal(bounds)) return bounds;
  const reads = new Reads(context);
  const card = reads.card(subscriberId);
  const activity = reads.activity(subscriberId);
  const to = bounds.after ? { to: [subscriberId, bounds.after[0] as number] } : {};
  const limit = bounds.offset + bounds.size + 1;
  const collection = unread ? "unread" : "inbox";
  const found = reads.range({ collection, prefix: [subscriberId], reverse: true, limit, ...to });
  const rows = found.map(({ key, value }) =>
    unread ? reads.row<InboxEntry>("inbox", subscriberId, key[1] as number) : (value as InboxEntry),
  );
  if (reads.need) return reads.need;
  if (!card) return noSubscriber();
  const shown = rows.slice(bounds.offset, bounds.offset + bounds.size);
  const more = rows.length > bounds.offset + bounds.size;
  const { secret, drawn } = secretOf(state, context);
  return {
    events: more ? drawn : [],
    answer: {
      messages: shown.map((entry) => inboxMessage(entry!)),
      next_page_token: more ? sealCursor(secret, scope, [shown.at(-1)!.sequence]) : "",
      total: unread ? activity.unread : activity.inboxTotal,
      unread_count: activity.unread,
    },
  };
}

export interface MarkInbox {
  readonly subscriber_id: string;
  readonly message_ids: readonly string[];
  readonly all: boolean;
  readonly as: "read" | "unread" | "archived";
}

export function markInbox(state: State, request: MarkInbox, context: Context): Decision<Event> {
  const { subscriber_id: subscriberId, message_ids: ids = [], all = false, as } = request;
  if (all === ids.length > 0) {
    const reason = "exactly one of message_ids and all is given";
    return refuse("INVALID_ARGUMENT", reason, { fields: [{ field: "message_ids", reason }] });
  }
  const work = new Work(state, context);
  const { reads } = work;
  const card = reads.card(subscriberId);
  const entries = all ? newest(work, subscriberId, as) : named(work, subscriberId, ids);
  let activity = work.activity(subscriberId);
  if (reads.need) return reads.need;
  if (!card) return noSubscriber();
  let changed = 0;
  for (const before of entries) {
    const after = marked(before, as, context.now);
    if (!after) continue;
    changed++;
    work.events.push({ type: "inbox_put", subscriberId, before, after });
    const wasUnread = before.read ? 0 : 1;
    const isUnread = after.read || after.archived ? 0 : 1;
    activity = {
      ...activity,
      unread: activity.unread + isUnread - wasUnread,
      inboxTotal: activity.inboxTotal - (after.archived ? 1 : 0),
    };
  }
  if (changed > 0) work.setActivity(subscriberId, activity);
  return work.decided({ changed, unread_count: activity.unread });
}

function marked(before: InboxEntry, as: MarkInbox["as"], now: number): InboxEntry | undefined {
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
function newest({ reads }: Work, subscriberId: string, as: MarkInbox["as"]): readonly InboxEntry[] {
  const range = { prefix: [subscriberId], reverse: true, limit: limits.inboxMarkedMax } as const;
  if (as !== "read")
    return reads.range({ collection: "inbox", ...range }).map(({ value }) => value as InboxEntry);
  const rows = reads.range({ collection: "unread", ...range });
  return rows.flatMap(({ key }) => reads.row<InboxEntry>("inbox", subscriberId, key[1] as number) ?? []);
}

/** One that is not there any more is left out. */
function named({ reads }: Work, subscriberId: string, ids: readonly string[]): readonly InboxEntry[] {
  const sequences = [...new Set(ids)].map((id) => reads.row<number>("inbox_ids", subscriberId, id));
  return sequences.flatMap((sequence) =>
    sequence === null ? [] : (reads.row<InboxEntry>("inbox", subscriberId, sequence) ?? []),
  );
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
export function watchInbox(_state: State, command: WatchInbox, context: Context): Decision<Event> {
  const { subscriberId, seen, waitMs } = command;
  const reads = new Reads(context);
  const card = reads.card(subscriberId);
  const activity = reads.activity(subscriberId);
  const after = seen?.sequence ?? activity.inboxSequence;
  const rows = reads.range({
    collection: "inbox",
    prefix: [subscriberId],
    from: [subscriberId, after + 1],
    limit: limits.inboxWatchedAtOnce,
  });
  if (reads.need) return reads.need;
  if (!card) return noSubscriber();
  const { untilMs = context.now + waitMs } = command;
  const changed = seen === undefined || rows.length > 0 || activity.unread !== seen.unread;
  if (!changed && !context.expired && context.now < untilMs)
    return { park: { untilMs, command: { type: "watch_inbox", ...command, untilMs } } };
  const sequence =
    rows.length < limits.inboxWatchedAtOnce
      ? Math.max(after, activity.inboxSequence)
      : (rows.at(-1)!.value as InboxEntry).sequence;
  return {
    events: [],
    answer: {
      messages: rows.map(({ value }) => inboxMessage(value as InboxEntry)),
      seen: { sequence, unread: activity.unread },
    },
  };
}

/** Whether the inbox has changed since the watcher looked. */
export function isInboxChanged(state: State, { subscriberId, seen }: WatchInbox): boolean {
  const now = state.inboxes.get(subscriberId);
  return now !== undefined && (now.sequence !== seen?.sequence || now.unread !== seen.unread);
}

export function noSubscriber() {
  return refuse("NOT_FOUND", "there is no such subscriber");
}
