import { isRefusal } from "#base";
import type { AnyActorDefinition, Decision } from "#runtime";
import { isUnread } from "../../cel/command-budget.ts";
import type { ModuleParts } from "../../parts.ts";
import type { Strategy } from "../router.ts";
import type { Command, decide as decideRouter } from "./decide.ts";
import type { Event } from "./event.ts";
import type { RouteResult } from "./route.ts";
import type { State } from "./state.ts";

const strategies: readonly Strategy[] = [
  "weighted_random",
  "round_robin",
  "least_loaded",
  "two_choice",
  "priority",
  "sticky_hash",
  "longest_idle",
  "skills",
];
const results = ["routed", "redirected", "rejected", "unroutable", "refused"] as const;
type Result = (typeof results)[number];

/**
 * The same entity, with its decisions counted in memory: refusals too, which no commit has. A commit that is lost with its thread may be
 * counted again.
 */
export function countedRoutes(
  definition: AnyActorDefinition,
  { metrics }: Pick<ModuleParts, "metrics">,
): AnyActorDefinition {
  const counts = new Map(strategies.map((strategy) => [strategy, noResults()]));
  for (const [strategy, counted] of counts)
    for (const result of results)
      metrics.counter("service_routes_total", { strategy, result }, () => counted[result]);
  return {
    ...definition,
    decide(state, command, context) {
      const decision = definition.decide(state, command, context);
      if ((command as Command).type === "route")
        for (const result of resultsOf(decision as Decision<Event>))
          counts.get((state as State).strategy)![result]++;
      return decision;
    },
  };
}

/** As `countedRoutes`, for the monitors of one pool. */
export function countingUnroutable(decide: typeof decideRouter): typeof decideRouter {
  return (state, command, context) => {
    const decision = decide(state, command, context);
    if (command.type === "route")
      for (const result of resultsOf(decision)) if (result === "unroutable") state.unroutable++;
    return decision;
  };
}

function noResults(): Record<Result, number> {
  return Object.fromEntries(results.map((result) => [result, 0])) as Record<Result, number>;
}

function resultsOf(decision: Decision<Event>): readonly Result[] {
  if (isRefusal(decision)) {
    if (isUnread(decision) || decision.code === "NOT_FOUND") return [];
    return [resultOf({ type: "refused", refusal: decision })];
  }
  return "answer" in decision ? (decision.answer as readonly RouteResult[]).map(resultOf) : [];
}

function resultOf(
  result: Pick<RouteResult, "type"> & { readonly refusal?: { code: string; reason?: string } },
): Result {
  if (result.type === "routed") return "routed";
  if (result.type === "redirect") return "redirected";
  if (result.refusal?.code === "ROUTING_FAILED") return "unroutable";
  return result.refusal?.reason === "RULE_REJECTED" ? "rejected" : "refused";
}
