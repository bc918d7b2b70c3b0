import anyTest, { type TestFn } from "ava";
import { World } from "./cases/world.ts";
import { tenantA, tenantB, testProviders } from "./support/auth.ts";
import { type Doors, doorsOf } from "./support/clients.ts";
import { send } from "./support/rest-client.ts";
import { probeContract, startTestService, type TestService } from "./support/service.ts";

const test = anyTest as TestFn<{ service: TestService; doors: Doors }>;

test.before(async (t) => {
  const service = await startTestService({ runtime: true, providers: testProviders });
  t.context = { service, doors: doorsOf(service) };
});

test.after.always(async (t) => {
  for (const door of Object.values(t.context.doors ?? {})) door.close?.();
  await t.context.service?.close();
});

test("given ids in lower case in path, query and body, every door finds what they name", async (t) => {
  for (const [name, door] of Object.entries(t.context.doors)) {
    if (name.startsWith("internal")) continue;
    const world = new World(door);
    const pool_id = await world.pool();
    const recipient_id = await world.recipient(pool_id);
    const lower = { pool_id: pool_id.toLowerCase(), recipient_id: recipient_id.toLowerCase() };
    const pool = await world.call<{ id: string }>("PoolService.GetPool", { pool_id: lower.pool_id });
    t.is(pool.id, pool_id, name);
    const groups = { pool_id: lower.pool_id };
    t.truthy(await world.call("AdmissionService.ListAdmissionGroups", groups), name);
    const rule = await world.call<{ action: { restrict: { recipient_ids: string[] } } }>(
      "RuleService.CreateRule",
      {
        pool_id: lower.pool_id,
        name: "r",
        condition: "true",
        action: { restrict: { recipient_ids: [lower.recipient_id] } },
      },
    );
    t.deepEqual(rule.action.restrict.recipient_ids, [recipient_id], name);
    await world.item(lower.pool_id);
    const { items } = await world.call<{ items: { item: { pool_id: string } }[] }>(
      "QueueService.Claim",
      lower,
    );
    t.is(items[0]?.item.pool_id, pool_id, name);
  }
});

test("given the same key with ids in either case, the second request is a repeat of the first", async (t) => {
  for (const door of [t.context.doors.grpc, t.context.doors["rest-uws"], t.context.doors["connect-json"]]) {
    const pool_id = await new World(door).pool();
    const method = probeContract.byName.get("PoolService.SetPoolEnabled")!;
    const key = { "idempotency-key": `k-${door.name.replaceAll(" ", "")}` };
    await door.unary(method, { pool_id, enabled: false }, key);
    const again = await door.unary(method, { pool_id: pool_id.toLowerCase(), enabled: false }, key);
    t.true(again.ok, door.name);
    t.is(again.headers.get("idempotent-replayed"), "true", door.name);
  }
});

test("given an id in the path and the same in the body in another case, they agree", async (t) => {
  const pool_id = await new World(t.context.doors.grpc).pool();
  const body = JSON.stringify({ pool_id: pool_id.toLowerCase(), enabled: true });
  const path = `/api/pools/${pool_id}:set_enabled`;
  t.is((await send(t.context.service.ports.uws, "POST", path, body, {})).status, 200);
});

test("given X-Tenant-ID in lower case, every door accepts it", async (t) => {
  const service = await startTestService({ settings: { authEnabled: true }, providers: testProviders });
  const doors = doorsOf(service);
  const echo = probeContract.byName.get("ProbeService.Echo")!;
  try {
    for (const door of [doors.grpc, doors["rest-uws"], doors["connect-json"], doors["grpc-web"]]) {
      const as = (who: string, tenant: string) =>
        door.unary(
          echo,
          { name: "a" },
          { authorization: `Bearer ${who}`, "x-tenant-id": tenant.toLowerCase() },
        );
      t.like(await as("operator", tenantA), { ok: true, message: { tenant_id: tenantA } }, door.name);
      t.like(await as("platform", tenantB), { ok: true, message: { tenant_id: tenantB } }, door.name);
      t.false((await as("operator", tenantB)).ok, door.name);
    }
  } finally {
    for (const door of Object.values(doors)) door.close?.();
    await service.close();
  }
});
