import test from "ava";
import { quietTelemetry, testSettings } from "../../../test/contract/support/parts.ts";
import { loadContract } from "../../contract/index.ts";
import type { Call } from "../call.ts";
import { concurrency } from "./concurrency.ts";

const contract = loadContract();

function stageWith(concurrentRequestsPerTenantMax: number) {
  const settings = { ...testSettings, concurrentRequestsPerTenantMax };
  const { methods, roles } = contract;
  return concurrency({
    plane: "external",
    methods,
    roles,
    settings,
    providers: {},
    telemetry: quietTelemetry,
  });
}

function callOf(tenant: string, limit?: number): Call {
  const limits = limit === undefined ? {} : { concurrency: limit };
  return { method: contract.byName.get("PoolService.GetPool")!, tenant, tenantFacts: { limits } } as Call;
}

test("given a tenant with a limit of its own, then that one holds in the place of the installation's", (t) => {
  const stage = stageWith(1);
  const [a, b] = [callOf("A", 2), callOf("B")];
  stage.enter!(a, {});
  stage.enter!(a, {});
  t.throws(() => stage.enter!(a, {}), { message: /requests of this tenant/ });
  stage.enter!(b, {});
  t.throws(() => stage.enter!(b, {}), { message: /requests of this tenant/ });
  stage.leave!(a, { atMs: 0 });
  t.notThrows(() => stage.enter!(a, {}));
});

test("given a limit that is taken away while a call is under way, then what it counted is counted back", (t) => {
  const stage = stageWith(0);
  const limited = callOf("A", 1);
  stage.enter!(limited, {});
  stage.enter!(callOf("A"), {});
  stage.leave!(limited, { atMs: 0 });
  t.notThrows(() => stage.enter!(callOf("A", 1), {}));
});
