/**
 * Owns conformance reports: entity (conformance, tenant) has the last 200 of a tenant and knows which runs are under way. The cases
 * and what runs them are in gateway/conformance; a run calls the listeners of its own node.
 *
 * 1. One run of a tenant on a node at a time.
 * 2. The sandbox tenant of a run is purged when the run has ended, and after 15 minutes in any case.
 * 3. Runs with the same results, contract, environment and mode have the same report id.
 *
 * Publishes conformance.reported. A run that is cut off leaves no report.
 */
import { defineActor } from "#runtime";
import type { TenantPurge } from "../kit/tenant.ts";
import type { Module } from "../module.ts";
import type { ModuleParts } from "../parts.ts";
import { type Command, decide } from "./decide.ts";
import { purgeSandbox } from "./effects/sandbox.ts";
import { runSuite } from "./handlers/run-suite.ts";
import { suiteHandlers } from "./handlers/suites.ts";
import { conformanceOf, methods } from "./service.ts";
import { apply, empty, purgeEffect, resident, restore } from "./state.ts";

type Parts = Pick<ModuleParts, "settings" | "call" | "contractSha256" | "conformance">;

export function conformance(parts: Parts): Module {
  const { suites } = parts.conformance;
  return {
    name: "conformance",
    actors: [
      defineActor({
        kind: "conformance",
        placement: "tenant",
        empty,
        resident,
        restore,
        decide,
        apply,
        methods,
        onMessage: (message: TenantPurge): Command => message,
        onEffect: (): Command => ({ type: "effect" }),
      }),
    ],
    tenantRoots: (tenant) => [conformanceOf(tenant)],
    orchestrations: {
      "ConformanceService.RunSuite": runSuite(parts),
      ...suiteHandlers(suites),
    },
    effects: { [purgeEffect]: purgeSandbox(parts) },
  };
}
