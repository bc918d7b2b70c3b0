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
import { defineActor, type EntityMethod } from "#runtime";
import type { PageRequest } from "../kit/cursor.ts";
import { answered } from "../kit/methods.ts";
import type { TenantPurge } from "../kit/tenant.ts";
import type { Module } from "../module.ts";
import type { ModuleParts } from "../parts.ts";
import { type Command, decide } from "./decide.ts";
import { purgeSandbox } from "./effects.ts";
import { runSuite } from "./handlers/run-suite.ts";
import { suiteDoors } from "./handlers/suites.ts";
import type { ReportContent } from "./report.ts";
import type { SuiteFacts } from "./runner.ts";
import {
  apply,
  conformanceOf,
  type Event,
  empty,
  purgeEffect,
  resident,
  restore,
  type State,
} from "./state.ts";

type Method = EntityMethod<State, Command, Event>;

const methods: Readonly<Record<string, Method>> = {
  "ConformanceService.ListReports": answered((request) => ({
    type: "list",
    request: request as PageRequest,
  })),
  "ConformanceService.GetReport": answered((request) => ({
    type: "get",
    environment: request.environment_id as string,
    reportId: request.report_id as string,
  })),
  "Conformance.Explain": answered((request) => ({
    type: "explain",
    environment: request.environment_id as string,
    ...(request.report_id !== undefined && { reportId: request.report_id as string }),
    facts: request.facts as readonly SuiteFacts[],
  })),
  "Conformance.Begin": answered((request) => ({
    type: "begin",
    node: request.node as string,
    environment: request.environment as string,
    sandbox: request.sandbox as boolean,
  })),
  "Conformance.End": answered((request) => ({
    type: "end",
    runId: request.run_id as string,
    sandbox: request.sandbox as boolean,
    ...(request.report !== undefined && { report: request.report as ReportContent }),
  })),
};

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
        onMessage: (message): Command => message as TenantPurge,
        onEffect: (step): Command => ({ type: "effect", step }),
      }),
    ],
    tenantRoots: (tenant) => [conformanceOf(tenant)],
    orchestrations: {
      "ConformanceService.RunSuite": runSuite(parts),
      ...suiteDoors(suites),
    },
    effects: { [purgeEffect]: purgeSandbox(parts) },
  };
}
