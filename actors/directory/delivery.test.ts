import test from "ava";
import { testCaller } from "../../test/support/entity.ts";
import { modules } from "../../test/support/module-parts.ts";
import { tenant } from "../../test/support/pool.ts";
import { settle, startFixture } from "../../test/support/runtime/fixture.ts";
import { gate } from "../../test/support/runtime/gate.ts";
import { directoryOf } from "../kit/directory.ts";

test("a create is answered when its pool is stored, not when the directory has its name", async (t) => {
  const held = gate();
  const { runtime, world } = await startFixture({
    definitions: modules.flatMap(({ actors }) => actors),
    interference: held.interference,
  });
  t.teardown(() => runtime.stop());
  held.close();
  let answered = false;
  const created = runtime
    .ask({
      to: directoryOf(tenant, "pool"),
      method: "PoolService.CreatePool",
      request: { name: "p", tenantKey: "key" },
      caller: testCaller(tenant),
      deadlineMs: world.nowMs + 600_000,
    })
    .finally(() => {
      answered = true;
    });
  await settle();
  t.is(held.held, 1, "the name");
  await held.pass();
  t.is(held.held, 1, "the pool");
  t.false(answered);
  await held.open();
  t.like(await created, { response: { name: "p" } });
});
