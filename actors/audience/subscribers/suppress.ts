import type { Delivery } from "../deliveries/record.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import { withEndpoint } from "./changed.ts";
import { newEndpoint } from "./endpoints.ts";

/** Deliveries do not use this address again until an endpoint with it is added. */
export function suppress(unit: UnitOfWork, delivery: Delivery, reason: string): void {
  const { endpointId, channel, identity } = delivery;
  const subscriber = unit.subscriber(delivery.subscriberId);
  if (!subscriber || channel === "in_app") return;
  const known = subscriber.endpoints.find((endpoint) =>
    endpointId === ""
      ? endpoint.channel === channel && endpoint.identity === identity
      : endpoint.id === endpointId,
  );
  if (known?.suppressed) return;
  // An address of the profile has no endpoint yet: one is made, because it is the endpoint that says so.
  const endpoint = known ?? newEndpoint({ channel, providerKey: "", identity }, unit.newId(), unit.now);
  const suppressed = { ...endpoint, suppressed: { reason, at: unit.now }, updatedAt: unit.now };
  unit.putSubscriber(withEndpoint(subscriber, known, suppressed, unit, "suppressed", { reason }));
}
