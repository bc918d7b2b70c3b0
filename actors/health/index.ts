/**
 * Owns what is known of a tenant's queues as a whole, and the verdict on its environments. The four entities (meter, tenant, 0–3) keep
 * the last that each queue has told: at the pool's creation, ten seconds after a change, and once a minute while an item waits or is
 * leased. Entity (health, tenant) keeps the report of each environment and period for a slot of 15 seconds.
 *
 * 1. All that ask within a slot get the same report: the first that was offered.
 * 2. A source that is missing, late, ahead of time or contradictory makes the verdict unknown, never better (report/evaluate.ts).
 * 3. A report has integers, codes and names of environments: nothing that a tenant's items, runs or errors say.
 *
 * What can be lost: nothing; a queue tells again what a meter has missed.
 */
import { counted } from "../kit/counted.ts";
import { meterKeys } from "../kit/meter.ts";
import type { Module } from "../module.ts";
import type { ModuleParts } from "../parts.ts";
import { QueueFigures } from "./meter/figures.ts";
import { meterActor } from "./meter/service.ts";
import type { Event, State } from "./meter/state.ts";
import { healthPage } from "./report/handlers/page.ts";

export { runbooks } from "./report/runbooks.ts";

import { healthReport, listScopes } from "./report/handlers/report.ts";
import { healthActor } from "./report/service.ts";

export function health(parts: ModuleParts): Module {
  const figures = new QueueFigures(parts);
  return {
    name: "health",
    actors: [counted(meterActor, (state: State, event: Event) => figures.note(state, event)), healthActor],
    tenantRoots: (tenant) => [
      ...meterKeys.map((key) => ({ kind: "meter", tenant, key })),
      { kind: "health", tenant, key: "" },
    ],
    routes: [healthPage],
    orchestrations: {
      "OperationalHealthService.GetOperationalHealthReport": healthReport(parts),
      "OperationalHealthService.ListScopes": listScopes,
    },
  };
}
