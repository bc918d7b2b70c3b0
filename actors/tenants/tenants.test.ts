import test from "ava";
import fc from "fast-check";
import { devTenantId, isRefusal, limits, RefusalError, systemTenantId } from "#base";
import { askerOf } from "../../test/support/asker.ts";
import { EntityDriver, testCaller } from "../../test/support/entity.ts";
import { modules } from "../../test/support/module-parts.ts";
import { orchestrate } from "../../test/support/orchestrate.ts";
import type { FoundTenant, TenantChanges } from "../kit/tenant.ts";
import { changedTenants, findTenant, secretOfTenant, tenantsAddress } from "../kit/tenants.ts";
import type { CallContext } from "../module.ts";

type Message = Record<string, unknown>;

function start() {
  const driver = new EntityDriver(modules.flatMap(({ actors }) => actors));
  const ask = (method: string, request: Message = {}) =>
    driver.ask(tenantsAddress, method, request) as Message;
  const find = (id: string) => ask(findTenant.name, { tenant_id: id }) as unknown as FoundTenant;
  const changes = (since: number) => ask(changedTenants.name, { since }) as unknown as TenantChanges;
  // The fixed tenants are stored by the first question.
  find(devTenantId);
  return { driver, ask, find, changes };
}

/** As a door calls it for an operator. */
function call(driver: EntityDriver, name: string, request: Message): Promise<unknown> {
  const asker = askerOf(({ to, method, request: asked }) => {
    const answer = driver.ask(to, method, asked);
    return isRefusal(answer) ? answer : { response: answer, replayed: false };
  });
  const method = modules.map(({ orchestrations }) => orchestrations?.[name]).find(Boolean)!;
  const context = { caller: testCaller(systemTenantId), asker, may: () => true };
  return orchestrate(method, request, context as unknown as CallContext);
}

test("invariant 1: dev and system are there and active, and stay so", (t) => {
  const { ask, find } = start();
  for (const id of [devTenantId, systemTenantId]) {
    for (const status of ["suspended", "deleted"])
      t.like(
        ask("TenantService.UpdateTenant", { tenant_id: id, name: "n", status, update_mask: ["status"] }),
        {
          code: "FAILED_PRECONDITION",
        },
      );
    t.like(ask("TenantService.DeleteTenant", { tenant_id: id }), { code: "FAILED_PRECONDITION" });
    t.is(find(id).tenant?.status, "active");
  }
});

test("the secret of a tenant is drawn with it, stays, is shown to nobody and goes with the tenant", (t) => {
  const { driver, ask, find } = start();
  const secretOf = (id: string) => ask(secretOfTenant.name, { tenant_id: id }).secret as string;
  const made = ask("TenantService.CreateTenant", { name: "acme", secret: "given" });
  const id = made.id as string;
  const secret = secretOf(id);
  t.regex(secret, /^[\w-]{43}$/);
  t.is(find(id).tenant?.secret, secret);
  const update = { tenant_id: id, name: "other", update_mask: ["name"] };
  const listed = ask("TenantService.ListTenants");
  for (const shown of [made, ask("TenantService.UpdateTenant", update), listed])
    t.false(JSON.stringify(shown).includes(secret));
  driver.restart();
  t.is(secretOf(id), secret);
  const others = [devTenantId, systemTenantId, "", "0000000000000000000000000A"].map(secretOf);
  t.is(new Set([secret, ...others]).size, 5, "also those without a record have one each");
  t.deepEqual([devTenantId, systemTenantId, "", "0000000000000000000000000A"].map(secretOf), others);
  ask("TenantService.DeleteTenant", { tenant_id: id });
  t.not(secretOf(id), secret);
});

test("invariant 3: a deleted tenant stays deleted, and shows only to who asks for deleted ones", (t) => {
  const { driver, ask, find } = start();
  const { id } = ask("TenantService.CreateTenant", { name: "acme" }) as { id: string };
  t.deepEqual(ask("TenantService.DeleteTenant", { tenant_id: id }), { id, deleted: true });
  t.like(ask("TenantService.DeleteTenant", { tenant_id: id }), { code: "NOT_FOUND" });
  const active = { tenant_id: id, status: "active", update_mask: ["status"] };
  t.like(ask("TenantService.UpdateTenant", active), { reason: "TENANT_DELETED" });
  t.like(ask("TenantService.GetTenant", { tenant_id: id, deletedToo: false }), { code: "NOT_FOUND" });
  t.like(ask("TenantService.GetTenant", { tenant_id: id, deletedToo: true }), { status: "deleted" });
  driver.advance(limits.tenantPurgeAfterMs);
  driver.restart();
  t.is(find(id).tenant?.status, "deleted");
});

test("given settings that were stored before they were checked, then they are read, others change beside them, and they can be removed", async (t) => {
  const { driver, ask } = start();
  const stored = { colour: "red", depth: { of: 2, by: 3 }, "notification.retention_days": "9" };
  const { id } = ask("TenantService.CreateTenant", { name: "acme", settings: stored }) as { id: string };
  const update = (settings: Message, mask: string[]) =>
    call(driver, "TenantService.UpdateTenant", { tenant_id: id, settings, update_mask: mask });
  const zone = { "notification.timezone": "Asia/Kathmandu" };
  t.like(await update(zone, ["settings.`notification.timezone`"]), { settings: { ...stored, ...zone } });
  t.like(await update({ depth: {} }, ["settings.depth.of"]), { settings: { depth: { by: 3 } } });
  const days = ["settings.`notification.retention_days`"];
  for (const [settings, mask] of [
    [{ colour: "green" }, ["settings.colour"]],
    [{ depth: { of: 1 } }, ["settings.depth.of"]],
    [{ "notification.retention_days": "10" }, days],
    [{ colour: "green" }, []],
  ] as const) {
    const refused = await t.throwsAsync(update(settings, [...mask]), { instanceOf: RefusalError });
    t.is(refused?.refusal.code, "INVALID_ARGUMENT");
  }
  t.like(await update({ "notification.retention_days": 10 }, days), {
    settings: { colour: "red", "notification.retention_days": 10 },
  });
  const removed = (await update({}, ["settings.colour", "settings.depth"])) as { settings: Message };
  t.deepEqual(removed.settings, { ...zone, "notification.retention_days": 10 });
  t.deepEqual(((await update({}, ["settings"])) as { settings: Message }).settings, {});
});

const step = fc.oneof(
  fc.record({ type: fc.constant("create" as const) }),
  fc.record({ type: fc.constant("rename" as const), index: fc.nat(20) }),
  fc.record({ type: fc.constant("suspend" as const), index: fc.nat(20) }),
  fc.record({ type: fc.constant("delete" as const), index: fc.nat(20) }),
  fc.record({ type: fc.constant("read" as const) }),
  fc.record({ type: fc.constant("restart" as const) }),
);

test("invariants 2 and 4: a thread that follows the changes misses none, and the total is what a walk returns", (t) => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const { driver, ask, find, changes } = start();
      const made: string[] = [];
      let head = find(devTenantId).head;
      const unread = new Set<string>();
      const read = () => {
        const answer = changes(head);
        t.deepEqual([...answer.ids].sort(), [...unread].sort());
        head = answer.head;
        unread.clear();
      };
      let name = 0;
      for (const one of steps) {
        const tenant_id = "index" in one && made.length > 0 ? made[one.index % made.length]! : undefined;
        if (one.type === "create") {
          made.push((ask("TenantService.CreateTenant", { name: `n${name++}` }) as { id: string }).id);
          unread.add(made.at(-1)!);
        } else if (one.type === "read") read();
        else if (one.type === "restart") driver.restart();
        else if (tenant_id !== undefined) {
          const before = find(tenant_id).head;
          const mask = one.type === "rename" ? "name" : "status";
          if (one.type === "delete") ask("TenantService.DeleteTenant", { tenant_id });
          else
            ask("TenantService.UpdateTenant", {
              tenant_id,
              name: `n${name++}`,
              status: "suspended",
              update_mask: [mask],
            });
          if (find(tenant_id).head > before) unread.add(tenant_id);
        }
      }
      read();
      let total = 0;
      let walked = 0;
      for (let page_token = ""; ; ) {
        const page = ask("TenantService.ListTenants", { page_size: 3, page_token });
        walked += (page.tenants as unknown[]).length;
        total = page.total as number;
        page_token = page.next_page_token as string;
        if (page_token === "") break;
      }
      t.is(walked, total);
    }),
    { numRuns: 50 },
  );
});
