import { devTenantId, handleOfChild } from "#base";
import { topicAddress } from "../../../actors/notify/address.ts";
import { getBroadcast } from "../../../actors/notify/methods.ts";
import type { Stage } from "../scenario.ts";
import { type Accepted, quiet } from "./operator.ts";

interface Delivery {
  readonly id: string;
  readonly subscriber_id: string;
  readonly channel: string;
  readonly status: string;
  readonly generation: number;
  readonly dead_letter_id?: string;
  readonly reconciliation_required: boolean;
}

/**
 * Receivers are the members at the cut-off, each once, with their context at that time; and deliveries report what
 * really arrived.
 */
export async function reckonBroadcast(
  stage: Stage,
  { manifest, members }: Accepted,
  arrived: ReadonlyMap<string, readonly number[]>,
  told: Set<string>,
): Promise<void> {
  const { transactionId, topicKey, channels } = manifest;
  const violate = (claim: string) => stage.violate(`${transactionId}: ${claim}`);
  const broadcast = (await stage.demand({
    to: topicAddress(devTenantId, topicKey),
    method: getBroadcast.name,
    request: { transactionId },
  })) as { state: string; expanded: number; sent: number; failed: number; skipped: number } | undefined;
  if (stage.violated || !broadcast) return;
  if (!broadcast.state.startsWith("completed")) return violate(`is ${broadcast.state}`);
  const counts = { sent: 0, failed: 0, skipped: 0 };
  const audiences = new Set([...members.keys()].map((id) => handleOfChild(id)));
  const there = new Set<string>();
  for (const key of audiences) {
    const page = (await stage.demand({
      to: { kind: "audience", tenant: devTenantId, key },
      method: "NotificationService.ListDeliveriesPart",
      request: { filter: { transaction_id: transactionId }, most: 1_000 },
    })) as { values: Delivery[] } | undefined;
    if (stage.violated || !page) return;
    for (const delivery of page.values) {
      const { subscriber_id, channel, status } = delivery;
      const context = members.get(subscriber_id);
      if (!context) return violate(`${subscriber_id} was no member`);
      const whose = `${subscriber_id} ${channel}`;
      if (there.has(whose)) return violate(`${whose} has two deliveries`);
      there.add(whose);
      told.add(`${delivery.id}.1`);
      const isOff = context.includes(quiet);
      if (isOff !== (status === "skipped")) return violate(`${whose} is ${status} with context [${context}]`);
      const wrong = wrongEnd(delivery, arrived.get(`${delivery.id}.1`)?.length ?? 0);
      if (wrong) return violate(`${whose} ${wrong}`);
      counts[status as keyof typeof counts]++;
    }
  }
  const expected = members.size * channels.length;
  if (there.size !== expected) return violate(`${there.size} deliveries of ${expected}`);
  for (const name of ["sent", "failed", "skipped"] as const)
    if (broadcast[name] !== counts[name]) violate(`tells ${broadcast[name]} ${name} of ${counts[name]}`);
}

function wrongEnd({ status, channel, ...delivery }: Delivery, times: number): string | undefined {
  // The provider of the other channel drops repeats.
  if (channel === "sms" && times > 1) return `arrived ${times} times`;
  if (status === "sent") return times > 0 ? undefined : "is sent and never arrived";
  if (status === "skipped") return times === 0 ? undefined : "is skipped and arrived";
  if (status !== "failed") return `is ${status}`;
  if (delivery.dead_letter_id === undefined) return "failed without a dead letter";
  return times === 0 || delivery.reconciliation_required ? undefined : "failed, arrived, and is not flagged";
}
