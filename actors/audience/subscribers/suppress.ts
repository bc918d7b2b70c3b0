import { nextRecord } from "../../kit/record.ts";
import type { Delivery } from "../deliveries/record.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import { putEvent } from "./changed.ts";
import type { Endpoint, Subscriber } from "./record.ts";

/** Deliveries do not use this address again until an endpoint with it is added. */
export function suppress(unit: UnitOfWork, delivery: Delivery, reason: string): void {
  const subscriber = unit.subscriber(delivery.subscriberId);
  if (!subscriber || delivery.channel === "in_app") return;
  const suppressed = { reason, at: unit.now };
  const known = subscriber.endpoints.find((endpoint) => isOf(endpoint, delivery));
  if (known?.suppressed) return;
  // An address of the profile has no endpoint yet: one is made, because it is the endpoint that says so.
  const endpoint: Endpoint = known
    ? { ...known, suppressed, updatedAt: unit.now }
    : {
        id: unit.newId(),
        channel: delivery.channel,
        providerKey: "",
        identity: delivery.identity,
        verified: false,
        metadata: {},
        lastUsedAt: unit.now,
        active: true,
        suppressed,
        createdAt: unit.now,
        updatedAt: unit.now,
      };
  const others = subscriber.endpoints.filter(({ id }) => id !== endpoint.id);
  const after = nextRecord<Subscriber>(
    subscriber,
    { ...subscriber, endpoints: [...others, endpoint] },
    unit.now,
  )!;
  const { id: endpoint_id, channel } = endpoint;
  const published = { about: "endpoint", verb: "suppressed", endpoint_id, channel, reason } as const;
  unit.putSubscriber(putEvent(subscriber, after, published));
}

function isOf(endpoint: Endpoint, { endpointId, channel, identity }: Delivery): boolean {
  if (endpointId !== "") return endpoint.id === endpointId;
  return endpoint.channel === channel && endpoint.identity === identity;
}
