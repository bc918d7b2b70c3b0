import { isRefusal, toRfc3339 } from "#base";
import type { Context } from "#runtime";
import { batchError } from "../../../kit/batch.ts";
import type { Admission } from "../commands/enqueue.ts";
import type { SettleCommand, SettleResult } from "../commands/settle-batch.ts";
import type { WorkCommand } from "../commands/work-round.ts";
import { itemMessage, leasedMessage, settlementMessage } from "../reads/message.ts";
import { admissionMessage } from "../reads/view.ts";
import type { State } from "../state.ts";
import { findBody, findItem } from "../unit/find.ts";
import type { UnitOfWork } from "../unit/unit-of-work.ts";

type Message = Record<string, unknown>;

/**
 * What became of each entry of an enqueue. A batch tells no payloads: its caller has just sent them, and those of the items
 * it met would make an answer that no client takes.
 */
export function enqueuedMessages(
  state: State,
  unit: UnitOfWork,
  context: Context,
  withBody: boolean,
): Message[] {
  const results = unit.results as readonly Admission[];
  return results.map((result) => admittedMessage(state, unit, context, result, withBody));
}

function admittedMessage(
  state: State,
  unit: UnitOfWork,
  context: Context,
  result: Admission,
  withBody: boolean,
): Message {
  if (result.outcome === "refused") return { error: batchError(result.refusal) };
  const { router } = unit;
  if (result.outcome === "redirected")
    return { redirect_pool_id: result.poolId, redirect_environment: router.environment };
  const change = unit.changeOf(result.id);
  const item = change?.item ?? unit.met(result.id) ?? findItem(state, context, result.id);
  const admission = result.outcome === "enqueued" ? { outcome: "enqueued" } : admissionMessage(result);
  if (!item) return { item: null, admission };
  if (!withBody) return { item: itemMessage(router, item, {}), admission };
  const body = change?.body ?? change?.shown ?? findBody(state, context, item) ?? null;
  return { item: itemMessage(router, item, { body }), admission };
}

export function leasedMessages(state: State, unit: UnitOfWork, context: Context): Message[] {
  const leased: Message[] = [];
  for (const { cause, item, shown } of unit.changes())
    if (cause === "leased")
      leased.push(leasedMessage(unit.router, item, shown ?? findBody(state, context, item) ?? null));
  return leased;
}

/** What became of each entry of a settlement. */
export function settledMessages(unit: UnitOfWork, { entries }: SettleCommand | WorkCommand): Message[] {
  const results = unit.results as readonly SettleResult[];
  return results.map((result, index) => settledMessage(entries[index]!.id, result));
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

export function cancelledMessage(state: State, unit: UnitOfWork, id: string, context: Context): Message {
  const change = unit.changeOf(id);
  const item = change?.item ?? findItem(state, context, id)!;
  // Rows were read before the item moved: its payload is where it was, or goes with the change.
  const body = change?.body ?? change?.shown ?? findBody(state, context, item) ?? null;
  return itemMessage(unit.router, item, { body });
}
