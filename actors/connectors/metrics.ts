import type { ModuleParts } from "../parts.ts";
import type { Event, State } from "./connection/state.ts";

/** Counts executions by provider and status, refreshes by how they ended, and events of triggers. Before it is applied. */
export function countConnection({ metrics }: Pick<ModuleParts, "metrics">) {
  return ({ record, triggers }: State, event: Event): void => {
    switch (event.type) {
      case "execution_put":
        if (event.before?.status !== event.after.status)
          metrics.add("service_connector_executions_total", {
            provider: record?.providerKey ?? "",
            status: event.after.status,
          });
        return;
      case "refresh_put":
        if (event.published !== undefined)
          metrics.add("service_connector_refreshes_total", {
            provider: record?.providerKey ?? "",
            result: event.published,
          });
        return;
      case "events_received":
        for (const { delivery } of event.events)
          if (delivery !== "")
            metrics.add("service_connector_trigger_events_total", {
              provider: record?.providerKey ?? "",
              kind: triggers.subscriptions.get(event.id)?.kind ?? "",
            });
        return;
      default:
    }
  };
}
