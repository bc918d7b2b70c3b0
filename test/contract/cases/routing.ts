import { badVersion, type Case, nobody } from "./case.ts";
import type { World } from "./world.ts";

async function staffed(world: World): Promise<string> {
  const poolId = await world.pool();
  await world.recipient(poolId);
  return poolId;
}

export const cases: readonly Case[] = [
  {
    method: "RoutingService.Route",
    claim: "the only recipient is chosen, with an explanation",
    request: async (world) => ({
      pool_id: await staffed(world),
      key: "k",
      explain: true,
      attributes: { n: 1.5 },
    }),
  },
  {
    method: "RoutingService.Route",
    claim: "a pool without recipients cannot route",
    request: async (world) => ({ pool_id: await world.pool() }),
    refused: "ROUTING_FAILED",
  },
  {
    method: "RoutingService.Route",
    claim: "a pool without an eligible recipient says why for each",
    request: async (world) => ({
      pool_id: await staffed(world),
      explain: true,
      required_labels: { region: "moon" },
    }),
    refused: "ROUTING_FAILED",
  },
  {
    method: "RoutingService.Route",
    claim: "a disabled pool does not route",
    request: async (world) => {
      const pool_id = await staffed(world);
      await world.call("PoolService.SetPoolEnabled", { pool_id, enabled: false });
      return { pool_id };
    },
    refused: "FAILED_PRECONDITION",
  },
  {
    method: "RoutingService.Route",
    claim: "a rule may reject",
    request: async (world) => {
      const pool_id = await staffed(world);
      await world.rule(pool_id, { condition: "true" });
      return { pool_id };
    },
    refused: "FAILED_PRECONDITION",
  },
  {
    method: "RoutingService.RouteBatch",
    claim: "each entry has its own result",
    request: async (world) => ({
      pool_id: await staffed(world),
      routes: [{ key: "a" }, { key: "b", explain: true, required_labels: { region: "moon" } }],
    }),
  },
  {
    method: "RoutingService.RouteBatch",
    claim: "an empty batch is refused",
    request: async (world) => ({ pool_id: await world.pool(), routes: [] }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "RoutingService.RouteStream",
    claim: "every message has its answer",
    request: async (world) => [{ ref: "1", route: { pool_id: await staffed(world), key: "a" } }],
  },
  {
    method: "RoutingService.RouteStream",
    claim: "a message that cannot be routed is answered with an error, and the next with a routing",
    request: async (world) => [
      { ref: "1" },
      { ref: "2", route: { pool_id: await staffed(world), key: "a" } },
    ],
  },
  {
    method: "RoutingService.RouteStream",
    claim: "an unknown version is refused before any message",
    request: () => [],
    headers: badVersion,
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "RoutingService.GetRouting",
    claim: "a decision is found and verified",
    request: async (world) => ({ routing_id: await world.routing(await staffed(world)), verify: true }),
  },
  {
    method: "RoutingService.GetRouting",
    claim: "an unknown one is not found",
    request: () => ({ routing_id: nobody }),
    refused: "NOT_FOUND",
  },
  {
    method: "RoutingService.PreviewRoute",
    claim: "a draft rule in the place of the rules",
    request: async (world) => ({
      pool_id: await staffed(world),
      payload: { paid: true },
      seed: "one",
      draft_rules: [
        { name: "paid", condition: "item.payload.paid", action: { set_priority: { priority: 1 } } },
        { name: "wrong", condition: "item.nothing == 1", action: { reject: { reason: "no" } } },
      ],
    }),
  },
  {
    method: "RoutingService.PreviewRoute",
    claim: "a pool without recipients",
    request: async (world) => ({ pool_id: await world.pool() }),
  },
  {
    method: "RoutingService.PreviewRoute",
    claim: "an unknown pool is not found",
    request: () => ({ pool_id: nobody }),
    refused: "NOT_FOUND",
  },
  {
    method: "OutcomeService.RecordOutcome",
    claim: "an outcome of a decision",
    request: async (world) => ({
      routing_id: await world.routing(await staffed(world)),
      result: "success",
      latency_ms: 12,
      score: 0.5,
    }),
  },
  {
    method: "OutcomeService.RecordOutcome",
    claim: "an outcome of neither routing nor item is refused",
    request: () => ({ result: "success" }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "OutcomeService.RecordOutcomes",
    claim: "each entry has its own result",
    request: async (world) => ({
      outcomes: [
        { routing_id: await world.routing(await staffed(world)), result: "failure" },
        { routing_id: nobody, result: "success" },
      ],
    }),
  },
  {
    method: "OutcomeService.RecordOutcomes",
    claim: "an unknown result is refused with its position",
    request: () => ({ outcomes: [{ routing_id: nobody, result: "perhaps" }] }),
    refused: "INVALID_ARGUMENT",
  },
];

export const decided = `
RoutingService.Route          | POST /api/pools/{pool_id}:route | routing:write | | I
RoutingService.RouteBatch     | POST /api/pools/{pool_id}:route-batch | routing:write | | I
RoutingService.RouteStream    | | routing:write | | stream
RoutingService.PreviewRoute   | POST /api/pools/{pool_id}:preview-route | routing:preview | | N
RoutingService.GetRouting     | GET /api/routings/{routing_id} | routing:read | | R
OutcomeService.RecordOutcome  | POST /api/outcomes | outcome:write | | I
OutcomeService.RecordOutcomes | POST /api/outcomes:batch | outcome:write | | I
`;
