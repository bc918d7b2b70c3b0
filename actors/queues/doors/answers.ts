import { isRefusal, toRfc3339 } from "#base";
import type { Context } from "#runtime";
import { batchError } from "../../shared/batch.ts";
import type { RouterView } from "../../shared/router.ts";
import { type Admission, type Enqueue, planEnqueue } from "../commands/enqueue.ts";
import { planSettle, type SettleCommand, type SettleResult } from "../commands/settle-batch.ts";
import type { WorkCommand } from "../commands/work-round.ts";
import { Draft } from "../draft/draft.ts";
import { findBody, findItem } from "../draft/find.ts";
import { itemMessage, leasedMessage, settlementMessage } from "../reads/message.ts";
import { admissionMessage } from "../reads/view.ts";
import { type ChangedEvent, changesOf, met } from "../rows/changed.ts";
import type { Event, State } from "../state.ts";

type Message = Record<string, unknown>;

export function changed(events: readonly Event[]): ChangedEvent | undefined {
  for (const event of events) if (event.type === "changed") return event;
  return undefined;
}

/**
 * What became of each entry of an enqueue. A batch tells no payloads: its caller has just sent them, and those of the items
 * it met would make an answer that no client takes.
 */
export function enqueuedMessages(
  state: State,
  events: readonly Event[],
  command: Enqueue,
  context: Context,
): Message[] {
  const event = changed(events);
  const router = context.twin<RouterView>("router");
  if (!event || event.results !== undefined)
    return admissions(state, event, command, context).map((result) =>
      admittedMessage(state, event, context, result, command.single),
    );
  const messages: Message[] = [];
  for (const { cause, item, body } of changesOf(event).values())
    if (cause === "enqueued")
      messages.push({
        item: itemMessage(router, item, command.single ? { body: body ?? null } : {}),
        admission: { outcome: "enqueued" },
      });
  return messages;
}

/** The event says it, or, where nothing changed, the same plan again. */
function admissions(
  state: State,
  event: ChangedEvent | undefined,
  command: Enqueue,
  context: Context,
): readonly Admission[] {
  if (event) return event.results as readonly Admission[];
  const planned = planEnqueue(state, command, context);
  return "results" in planned ? planned.results : [];
}

function admittedMessage(
  state: State,
  event: ChangedEvent | undefined,
  context: Context,
  result: Admission,
  withBody: boolean,
): Message {
  if (result.outcome === "refused") return { error: batchError(result.refusal) };
  const router = context.twin<RouterView>("router");
  if (result.outcome === "redirected")
    return { redirect_pool_id: result.poolId, redirect_environment: router.environment };
  const change = event && changesOf(event).get(result.id);
  const item = change?.item ?? event?.[met]?.get(result.id) ?? findItem(state, context, result.id, []);
  const admission = admissionMessage(result);
  if (!item) return { item: null, admission };
  if (!withBody) return { item: itemMessage(router, item, {}), admission };
  const body = change?.body ?? change?.shown ?? findBody(state, context, item, []) ?? null;
  return { item: itemMessage(router, item, { body }), admission };
}

export function leasedMessages(state: State, events: readonly Event[], context: Context): Message[] {
  const event = changed(events);
  if (!event) return [];
  const router = context.twin<RouterView>("router");
  const leased: Message[] = [];
  for (const { cause, item, shown } of changesOf(event).values())
    if (cause === "leased")
      leased.push(leasedMessage(router, item, shown ?? findBody(state, context, item, []) ?? null));
  return leased;
}

/** What became of each entry of a settlement. */
export function settledMessages(
  state: State,
  events: readonly Event[],
  { entries }: SettleCommand | WorkCommand,
  context: Context,
): Message[] {
  const event = changed(events);
  if (!event)
    return planSettle(new Draft(state, context), entries).map((result, index) =>
      settledMessage(entries[index]!.id, result),
    );
  const changes = changesOf(event);
  const told = event.results as readonly (SettleResult | null)[] | undefined;
  return entries.map(({ id }, index) =>
    settledMessage(id, told?.[index] ?? changes.get(id)!.item.ended!.answer),
  );
}

function settledMessage(id: string, result: SettleResult): Message {
  if (isRefusal(result)) return { queue_item_id: id, error: batchError(result) };
  if (!("leaseExpiresAt" in result)) return settlementMessage(id, result);
  const { leaseExpiresAt, attempts, deliveries } = result;
  return {
    queue_item_id: id,
    state: "leased",
    attempts,
    deliveries,
    lease_expires_at: toRfc3339(leaseExpiresAt),
  };
}

export function cancelledMessage(
  state: State,
  events: readonly Event[],
  id: string,
  context: Context,
): Message {
  const event = changed(events);
  const change = event && changesOf(event).get(id);
  const item = change?.item ?? findItem(state, context, id, [])!;
  // Rows were read before the item moved: its payload is where it was, or goes with the change.
  const body = change?.body ?? change?.shown ?? findBody(state, context, item, []) ?? null;
  return itemMessage(context.twin<RouterView>("router"), item, { body });
}

export function drainedCount(events: readonly Event[]): number {
  const event = changed(events);
  let count = 0;
  for (const { cause } of event ? changesOf(event).values() : []) if (cause === "drained") count++;
  return count;
}
