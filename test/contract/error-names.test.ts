import anyTest, { type TestFn } from "ava";
import { nobody } from "./cases/case.ts";
import { doorsOf } from "./support/clients.ts";
import { send } from "./support/rest-client.ts";
import { probeContract, startTestService, type TestService } from "./support/service.ts";

const test = anyTest as TestFn<{ service: TestService }>;

test.before(async (t) => {
  t.context = { service: await startTestService({ runtime: true }) };
});

test.after.always((t) => t.context.service.close());

const lists: readonly [query: string, field: string, detail: RegExp][] = [
  ["limit=x", "limit", /^limit must be an integer$/],
  ["cursor=forged", "cursor", /^cursor /],
  ["cursor=a&offset=1", "offset", /^offset must not be combined with cursor$/],
  ["offset=10001", "offset", /^offset must be at most 10000; go further with cursor$/],
  ["offset=x", "offset", /^offset must be an integer$/],
];

for (const [query, field, detail] of lists)
  test(`GET /api/pools?${query} is refused, and the error uses the field names of REST`, async (t) => {
    for (const port of [t.context.service.ports.uws, t.context.service.ports.node]) {
      const { status, text } = await send(port, "GET", `/api/pools?${query}`, undefined, {});
      t.is(status, 400);
      const problem = JSON.parse(text) as { detail: string; errors: { field: string }[] };
      t.deepEqual(
        problem.errors.map((error) => error.field),
        [field],
      );
      t.regex(problem.detail, detail);
      t.notRegex(text, /page_/);
    }
  });

test("given a wrong page, the errors of RPC use the field names of RPC", async (t) => {
  const doors = doorsOf(t.context.service);
  const method = probeContract.byName.get("PoolService.ListPools")!;
  const outcome = await doors.grpc.unary(method, { page_token: "forged" });
  t.is(outcome.ok ? undefined : outcome.error.fields[0]?.field, "page_token");
  for (const door of Object.values(doors)) door.close?.();
});

test("given a wrong field, Connect JSON names it in the spelling of ProtoJSON, and keeps the caller's own map keys", async (t) => {
  const { uws } = t.context.service.ports;
  const told = async (service: string, body: object) => {
    const { status, text } = await send(uws, "POST", `/service.api.${service}`, JSON.stringify(body), {});
    t.is(status, 400, text);
    return (JSON.parse(text) as { message: string }).message;
  };
  t.is(await told("PoolService/GetPool", { poolId: "x" }), "poolId must be a ULID");
  t.is(
    await told("PoolService/CreatePool", { name: "p", config: { leaseSeconds: 0 } }),
    "config.leaseSeconds must be at least 1",
  );
  t.is(
    await told("RuleService/CreateRule", {
      pool_id: nobody,
      name: "r",
      action: { restrict: { recipient_ids: ["x"] } },
    }),
    "action.restrict.recipientIds[0] must be a ULID",
  );
  t.is(
    await told("PoolService/CreatePool", {
      name: "p",
      config: { fairness: { key: "1", weights: { lease_seconds: 0 } } },
    }),
    'config.fairness.weights["lease_seconds"] must be at least 1',
  );
  t.is(
    await told("PoolService/CreatePool", { name: "p", lease_seconds: 1 }),
    "lease_seconds is not a field of this message",
  );
});
