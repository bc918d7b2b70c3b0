import type { IntegrationCopy } from "../../notify/outbound/types.ts";
import { Conditions } from "../../notify/resolve.ts";
import type { Sending, UnitOfWork } from "../unit-of-work.ts";
import { variablesOf } from "./plan.ts";
import type { Delivery } from "./record.ts";

/** Serves in_app where a tenant has no integration for it. */
const ownInbox: IntegrationCopy = {
  id: "inbox",
  channel: "in_app",
  name: "inbox",
  providerKey: "inbox",
  connectionId: "",
  priority: 100,
  createdAt: 0,
  condition: "",
  casing: "none",
  onUnknown: "hold",
  metadata: {},
  paceEpoch: 0,
};

/** The integrations that may send this, best first: by priority, then the older one, then the id. */
export function candidatesOf(
  { state, now }: UnitOfWork,
  delivery: Delivery,
  { subscriber, manifest }: Sending,
): readonly IntegrationCopy[] {
  const all = [...state.integrations.values()].filter(({ channel }) => channel === delivery.channel);
  const possible = delivery.channel === "in_app" && all.length === 0 ? [ownInbox] : all;
  const variables = variablesOf(subscriber, manifest, delivery.contextKeys);
  const conditions = new Conditions({ variables, now });
  return possible
    .filter((copy) => fits(copy, delivery) && conditions.holds(copy.condition, copy.channel) === true)
    .sort((a, b) => a.priority - b.priority || a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
}

/** An address may belong to one provider, or to one connection. */
function fits({ providerKey, connectionId }: IntegrationCopy, delivery: Delivery): boolean {
  const { endpointProvider, endpointConnection } = delivery;
  return (
    (endpointProvider === "" || endpointProvider === providerKey) &&
    (endpointConnection === "" || endpointConnection === connectionId)
  );
}
