import { handleOfChild, invalid, isRefusal, limits, RefusalError, refusalError } from "#base";
import { batchError } from "../../kit/batch.ts";
import { list } from "../../kit/partitioned.ts";
import type { Handler, Handlers } from "../../module.ts";
import { lengthProblems } from "../../notify/length.ts";
import { observe, redrive } from "../methods.ts";
import { inAudiences, partitions } from "./subscribers.ts";

const service = "NotificationService";

/** Of one transaction in all audiences, or of one subscriber in its own. */
const listDeliveries: Handler<"NotificationService.ListDeliveries"> = async (request, call) => {
  const { transaction_id, subscriber_id } = request;
  const filters = ["transaction_id", "subscriber_id"];
  if ((transaction_id === undefined) === (subscriber_id === undefined)) {
    const reason = "exactly one of transaction_id and subscriber_id is given";
    const fields = filters.map((field) => ({ field, reason }));
    throw refusalError("INVALID_ARGUMENT", reason, { fields });
  }
  const own = subscriber_id === undefined ? [] : [handleOfChild(subscriber_id)];
  const where = own.length === 0 ? partitions : { kind: "audience", count: 1, keys: own };
  return list({ service, many: "Deliveries", collection: { filters } }, where, "descending", request, call);
};

const listDeadLetters: Handler<"NotificationService.ListDeadLetters"> = (request, call) => {
  const of = { service, many: "DeadLetters", collection: { filters: ["status", "channel"] } };
  return list(of, partitions, "descending", request, call);
};

const redriveDeadLetters: Handler<"NotificationService.RedriveDeadLetters"> = async (request, call) => {
  const { dead_letter_ids, accept_duplicate: acceptDuplicate } = request;
  const results = await inAudiences(call, redrive, dead_letter_ids, handleOfChild, (ids) => ({
    ids,
    acceptDuplicate,
  }));
  return {
    results: results.map((result, index) =>
      isRefusal(result) ? { index, error: batchError(result) } : { index, dead_letter: result },
    ),
  };
};

/** Of adapters that have checked what the provider signed: the contract lets only services of the internal plane in. */
const recordObservations: Handler<"NotificationService.RecordObservations"> = async (request, call) => {
  const problems = request.observations.flatMap(({ detail }, index) =>
    lengthProblems(`observations[${index}].detail`, detail, limits.notifyMetadataBytesMax),
  );
  if (problems.length > 0) throw new RefusalError(invalid(...problems.slice(0, limits.fieldErrorsMax)));
  const observations = request.observations.map(({ occurred_at, detail = {}, ...given }) => ({
    deliveryId: given.delivery_id,
    kind: given.kind,
    ...(occurred_at !== undefined && { occurredAt: Date.parse(occurred_at) }),
    providerEventId: given.provider_event_id,
    adapter: given.adapter,
    detail,
  }));
  const keyOf = ({ deliveryId }: { deliveryId: string }) => handleOfChild(deliveryId);
  const results = await inAudiences(call, observe, observations, keyOf, (seen) => ({ seen }));
  return {
    results: results.map((result, index) =>
      isRefusal(result) ? { index, outcome: "", error: batchError(result) } : { index, ...result },
    ),
  };
};

export const deliveryMethods: Handlers = {
  "NotificationService.ListDeliveries": listDeliveries,
  "NotificationService.ListDeadLetters": listDeadLetters,
  "NotificationService.RedriveDeadLetters": redriveDeadLetters,
  "NotificationService.RecordObservations": recordObservations,
};
