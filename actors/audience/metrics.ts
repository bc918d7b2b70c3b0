import type { ModuleParts } from "../parts.ts";
import { fromRow } from "./delivery-row.ts";
import type { Event, State } from "./state.ts";

/** Counts deliveries by the status that they come to, and how long each waited for its first attempt. */
export function countDeliveries({ metrics }: Pick<ModuleParts, "metrics">) {
  return (_state: State, event: Event): void => {
    if (event.type !== "delivery_put") return;
    const { before } = event;
    const after = fromRow(event.after);
    const { channel, providerKey: provider, status, tier } = after;
    if (before?.status === status) return;
    metrics.add("service_notification_deliveries_total", { channel, provider, status });
    if (status === "running" && after.attempt === 1 && after.generation === 1)
      metrics.observe("service_notification_lag_seconds", after.updatedAt - after.createdAt, { tier });
  };
}
