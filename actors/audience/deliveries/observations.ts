import { isRefusal, limits, type Refusal, refuse } from "#base";
import type { GetDeliveryRequest, ListObservationsRequest } from "#protos";
import { type Bounds, type List, listed, pageOf } from "../../kit/list.ts";
import type { Message } from "../../kit/record.ts";
import type { JsonObject } from "../../notify/outbound/types.ts";
import { rangeOf, tables } from "../rows.ts";
import type { Decide } from "../state.ts";
import { suppress } from "../subscribers/suppress.ts";
import { UnitOfWork } from "../unit-of-work.ts";
import { settle } from "./dispatch.ts";
import { type Delivery, deliveryMessage, type Observation, observationMessage } from "./record.ts";
import { fromRow } from "./row.ts";

export interface Observed {
  readonly deliveryId: string;
  readonly kind: string;
  readonly occurredAt?: number;
  readonly providerEventId: string;
  readonly adapter: string;
  readonly detail: JsonObject;
}

/** What an observation says of a delivery only rises. */
const ranks = ["", "deferred", "delivered", "opened", "clicked", "bounced", "unsubscribed", "complained"];
const arrived = new Set(["delivered", "opened", "clicked"]);

export const observe: Decide<{ readonly seen: readonly Observed[] }> = (state, { seen }, context) => {
  const unit = new UnitOfWork(state, context);
  const known = new Set<string>();
  const observed = seen.map(({ deliveryId, providerEventId }) => [deliveryId, providerEventId]);
  context.prefetch(observed.map((key) => ({ collection: tables.observed, key })));
  unit.prefetch(seen.map(({ deliveryId }) => deliveryId));
  const results = seen.map((observed) => observeOne(unit, observed, known));
  return unit.decided(results);
};

function observeOne(unit: UnitOfWork, observed: Observed, known: Set<string>): Message | Refusal {
  const { deliveryId, kind, providerEventId, adapter, detail } = observed;
  const delivery = unit.delivery(deliveryId);
  const before = unit.context.get(tables.observed, [deliveryId, providerEventId]);
  if (!delivery) return noDelivery;
  const event = `${deliveryId}\u0000${providerEventId}`;
  if (before !== null || known.has(event)) return { outcome: "known" };
  if (delivery.observations >= limits.observationsMax)
    return refuse("FAILED_PRECONDITION", `a delivery has at most ${limits.observationsMax} observations`, {
      reason: "LIMIT_REACHED",
    });
  known.add(event);
  const observation: Observation = {
    seq: delivery.observations + 1,
    kind,
    occurredAt: observed.occurredAt ?? unit.now,
    providerEventId,
    adapter,
    detail,
    recordedAt: unit.now,
  };
  const after = withObservation(unit, delivery, observation);
  unit.put(delivery, after);
  unit.events.push({ type: "observed", delivery: after, observation });
  const reason = suppressedBy(kind, detail);
  if (reason) suppress(unit, delivery, reason);
  return { outcome: "recorded" };
}

function withObservation(unit: UnitOfWork, delivery: Delivery, { kind, seq }: Observation): Delivery {
  const rises = ranks.indexOf(kind) > ranks.indexOf(delivery.observationState);
  const after = { ...delivery, observations: seq, ...(rises && { observationState: kind }) };
  // Its outcome was unknown; this observation shows that it arrived.
  if (delivery.status !== "failed" || !delivery.reconciliationRequired || !arrived.has(kind)) return after;
  settle(unit, delivery, "resolved");
  return { ...after, failure: null, status: "sent", reconciliationRequired: false, sentAt: unit.now };
}

function suppressedBy(kind: string, { hard }: JsonObject): string | undefined {
  if (kind === "bounced") return hard === true ? "hard_bounce" : undefined;
  if (kind === "complained") return "complaint";
  return kind === "unsubscribed" ? "unsubscribe" : undefined;
}

export const listObservations: Decide<ListObservationsRequest> = (_state, request, context) => {
  const { delivery_id: id } = request;
  context.prefetch([{ collection: tables.deliveries, key: [id] }]);
  const read = (bounds: Bounds) => {
    const values = context.scan(tables.observations, rangeOf(id, bounds)).map(({ value }) => value);
    const row = context.get(tables.deliveries, [id]);
    return { values, total: row ? fromRow(row).observations : 0 };
  };
  const scope = [context.address.tenant, "observations", id];
  const list: List<Observation> = { scope, shape: ["number"], positionOf: ({ seq }) => [seq] };
  const page = pageOf(request, { ...list, read }, observationMessage);
  const isThere = isRefusal(page) || context.get(tables.deliveries, [id]);
  return isThere ? listed("observations", page) : noDelivery;
};

export const getDelivery: Decide<GetDeliveryRequest> = (_state, { delivery_id }, context) => {
  const row = context.get(tables.deliveries, [delivery_id]);
  return row ? { events: [], answer: deliveryMessage(fromRow(row)) } : noDelivery;
};

const noDelivery = refuse("NOT_FOUND", "there is no such delivery");
