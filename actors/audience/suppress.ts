import { nextRecord } from "../kit/record.ts";
import type { Card, Endpoint } from "./card.ts";
import type { Delivery } from "./delivery.ts";
import type { Told } from "./state.ts";
import type { Work } from "./work.ts";

/** Deliveries do not use this address again until an endpoint with it is added. */
export function suppress(work: Work, delivery: Delivery, reason: string): void {
  const card = work.card(delivery.subscriberId);
  if (!card || delivery.channel === "in_app") return;
  const suppressed = { reason, at: work.now };
  const known = card.endpoints.find((endpoint) => isOf(endpoint, delivery));
  if (known?.suppressed) return;
  // An address of the profile has no endpoint yet: one is made, because it is the endpoint that says so.
  const endpoint: Endpoint = known
    ? { ...known, suppressed, updatedAt: work.now }
    : {
        id: work.newId(),
        channel: delivery.channel,
        providerKey: "",
        identity: delivery.identity,
        verified: false,
        metadata: {},
        lastUsedAt: work.now,
        active: true,
        suppressed,
        createdAt: work.now,
        updatedAt: work.now,
      };
  const others = card.endpoints.filter(({ id }) => id !== endpoint.id);
  const after = nextRecord<Card>(card, { ...card, endpoints: [...others, endpoint] }, work.now)!;
  const payload = {
    external_id: card.externalId,
    endpoint_id: endpoint.id,
    channel: endpoint.channel,
    reason,
  };
  const told: Told[] = [{ about: "endpoint", verb: "suppressed", subject: card.id, payload }];
  work.putCard(card, after, { told });
}

function isOf(endpoint: Endpoint, { endpointId, channel, identity }: Delivery): boolean {
  if (endpointId !== "") return endpoint.id === endpointId;
  return endpoint.channel === channel && endpoint.identity === identity;
}
