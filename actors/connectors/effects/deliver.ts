import { type Refusal, RefusalError } from "#base";
import type { EffectRun } from "#runtime";
import { type Delivery, delivery as deliveryMethod } from "../connection/methods.ts";
import type { Parts } from "../parts.ts";
import type { DeliverResult } from "../subscription/incoming.ts";
import { inside } from "./known.ts";

export interface DeliverBody {
  readonly subscription: string;
  readonly delivery: string;
}

/** Takes an event to its target: with one key in every attempt, so it is there once. */
export async function deliver(parts: Parts, run: EffectRun<DeliverBody>): Promise<DeliverResult> {
  const { subscription: id, delivery } = run.body;
  let given: Delivery;
  try {
    given = await inside(parts, run, deliveryMethod, { id, delivery });
  } catch (error) {
    if (error instanceof RefusalError && error.refusal.code === "NOT_FOUND") return { type: "gone" };
    throw error;
  }
  const { subscription, pending, event, environment } = given;
  const { eventId: event_id, type } = pending;
  const payload = { subscription_id: id, trigger_key: subscription.triggerKey, event_id, type, event };
  const { pool_id, workflow_key } = subscription.target;
  // Ids of events are those of one subscription: another one's may be the same.
  const key = `${id}/${event_id}`;
  const [method, request] =
    pool_id === undefined
      ? ["WorkflowRunService.StartRun", { definition_key: workflow_key, input: payload, run_key: key }]
      : ["QueueService.Enqueue", { pool_id, payload, dedup_id: key }];
  if (pool_id === undefined && workflow_key === undefined) return { type: "delivered" };
  try {
    const { tenant } = run.address;
    const as = { tenant, environment, subject: `connector_trigger:${id}`, key, signal: run.signal };
    await parts.call(method as string, request, as);
    return { type: "delivered" };
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error;
    return { type: "failed", reason: reasonOf(error.refusal) };
  }
}

function reasonOf({ code, reason, detail }: Refusal): string {
  return `${reason ?? code}: ${detail}`.slice(0, 500);
}
