import test from "ava";
import { isRefusal } from "#base";
import { PoolBench } from "../../../test/support/pool.ts";
import { packRoute } from "./wire.ts";

test("a router answers in its own environment, whom may see it", (t) => {
  const bench = new PoolBench();
  const [recipient_id] = bench.recipients([{}]) as [string];
  const { routing } = bench.route();
  const routing_id = routing!.id;
  const questions: [string, unknown][] = [
    ["router.Route", [bench.poolId, [packRoute({}, 0)], false, [], "", true]],
    ["RoutingService.GetRouting", { routing_id }],
    ["router.RecordOutcomes", { outcomes: [{ routing_id, result: "success" }], single: true }],
    ["RecipientService.Heartbeat", { recipient_id }],
  ];
  for (const [method, request] of questions) {
    const ask = (caller: object) => bench.driver.ask(bench.at("router"), method, request, { caller });
    t.like(ask({ environment: "staging" }), { code: "NOT_FOUND" }, method);
    t.like(ask({ environmentMode: "non_production_only" }), { code: "PERMISSION_DENIED" }, method);
    for (const seen of [{ environment: "production" }, { environmentMode: "production_only" }])
      t.false(isRefusal(ask(seen)), method);
  }
});
