import { handleOfChild, isRefusal, limits, RefusalError, refuse } from "#base";
import { batchError } from "../../kit/batch.ts";
import { list } from "../../kit/partitioned.ts";
import type { Message } from "../../kit/record.ts";
import type { Orchestration } from "../../module.ts";
import type { JsonObject } from "../../notify/outbound/types.ts";
import { observe, redrive } from "../methods.ts";
import { byAudience } from "../parts.ts";
import { bytesOf } from "../subscribers/record.ts";
import { inAudiences, partitions } from "./subscribers.ts";

/** Of one transaction in all audiences, or of one subscriber in its own. */
const listDeliveries: Orchestration = async (request, call) => {
  const { transaction_id, subscriber_id } = request as Message & {
    readonly transaction_id?: string;
    readonly subscriber_id?: string;
  };
  if ((transaction_id === undefined) === (subscriber_id === undefined)) {
    const reason = "exactly one of transaction_id and subscriber_id is given";
    const fields = [
      { field: "transaction_id", reason },
      { field: "subscriber_id", reason },
    ];
    throw new RefusalError(refuse("INVALID_ARGUMENT", reason, { fields }));
  }
  const filters = ["transaction_id", "subscriber_id"];
  const of = { service: "NotificationService", many: "Deliveries", collection: { filters } };
  const where =
    subscriber_id === undefined
      ? partitions
      : { kind: "audience", count: 1, keys: [handleOfChild(subscriber_id)] };
  return list(of, where, "descending", request, call);
};

const listDeadLetters: Orchestration = (request, call) =>
  list(
    { service: "NotificationService", many: "DeadLetters", collection: { filters: ["status", "channel"] } },
    partitions,
    "descending",
    request,
    call,
  );

const redriveDeadLetters: Orchestration = async (request, call) => {
  const { dead_letter_ids: ids, accept_duplicate: acceptDuplicate = false } = request as {
    readonly dead_letter_ids: readonly string[];
    readonly accept_duplicate?: boolean;
  };
  const results = await inAudiences(call, redrive, byAudience(ids, handleOfChild), (indexes) => ({
    ids: indexes.map((index) => ids[index]!),
    acceptDuplicate,
  }));
  return {
    results: results.map((result, index) =>
      isRefusal(result) ? { index, error: batchError(result) } : { index, dead_letter: result },
    ),
  };
};

interface NewObservation {
  readonly delivery_id: string;
  readonly kind: string;
  readonly occurred_at?: string;
  readonly provider_event_id: string;
  readonly adapter: string;
  readonly detail?: JsonObject;
}

/** Of adapters that have checked what the provider signed: the contract lets only services of the internal plane in. */
const recordObservations: Orchestration = async (request, call) => {
  const { observations } = request as { readonly observations: readonly NewObservation[] };
  for (const [index, { detail = {} }] of observations.entries())
    if (bytesOf(detail) > limits.notifyMetadataBytesMax) {
      const field = `observations[${index}].detail`;
      const reason = `is longer than ${limits.notifyMetadataBytesMax} bytes as JSON`;
      throw new RefusalError(
        refuse("INVALID_ARGUMENT", `${field} ${reason}`, { fields: [{ field, reason }] }),
      );
    }
  const groups = byAudience(observations, ({ delivery_id }) => handleOfChild(delivery_id));
  const results = await inAudiences(call, observe, groups, (indexes) => ({
    seen: indexes.map((index) => {
      const { occurred_at, detail = {}, ...given } = observations[index]!;
      return {
        deliveryId: given.delivery_id,
        kind: given.kind,
        ...(occurred_at !== undefined && { occurredAt: Date.parse(occurred_at) }),
        providerEventId: given.provider_event_id,
        adapter: given.adapter,
        detail,
      };
    }),
  }));
  return {
    results: results.map((result, index) =>
      isRefusal(result) ? { index, outcome: "", error: batchError(result) } : { index, ...result },
    ),
  };
};

export const deliveryMethods: Readonly<Record<string, Orchestration>> = {
  "NotificationService.ListDeliveries": listDeliveries,
  "NotificationService.ListDeadLetters": listDeadLetters,
  "NotificationService.RedriveDeadLetters": redriveDeadLetters,
  "NotificationService.RecordObservations": recordObservations,
};
