import { isDeepStrictEqual } from "node:util";
import test from "ava";
import { handleOf, isRefusal, Random } from "#base";
import { key } from "../../../../test/support/admission.ts";
import { askerOf } from "../../../../test/support/asker.ts";
import { testCaller } from "../../../../test/support/entity.ts";
import { modules } from "../../../../test/support/module-parts.ts";
import { orchestrate } from "../../../../test/support/orchestrate.ts";
import { QueueBench } from "../../../../test/support/queue.ts";
import { secretOfTenant, tenantsAddress } from "../../../kit/tenants.ts";
import type { CallContext } from "../../../module.ts";
import { createPool } from "../../pool/handlers/create-pool.ts";

test("a key expression that fails for an item refuses the item", (t) => {
  const bench = new QueueBench({ admission: { singleton: { key: "item.attributes.x", mode: "skip" } } });
  t.like(bench.tryEnqueue({ attributes: {} }), { code: "INVALID_ARGUMENT" });
  t.false(isRefusal(bench.tryEnqueue({ attributes: { x: "1" } })));
});

test("a preview says what would happen and changes nothing", (t) => {
  const bench = new QueueBench({
    admission: { singleton: { key, mode: "skip" }, throttle: { key, limit: 1, period_ms: 60_000 } },
  });
  const { item } = bench.enqueue({ key: "k" });
  const before = JSON.stringify(bench.status());
  const skipped = bench.ask("AdmissionService.PreviewAdmission", { key: "k" });
  t.like(skipped, {
    admission: { outcome: "skipped", existing_item_id: item.id },
    explanation: { status: "skipped", constraint_kind: "singleton" },
  });
  const free = bench.ask("AdmissionService.PreviewAdmission", { key: "free" });
  t.like(free, { admission: { outcome: "enqueued" }, explanation: { status: "admitted" } });
  t.is(JSON.stringify(bench.status()), before);
  t.is(bench.claim(5).length, 1);
});

test("a preview and the enqueue after it agree on outcome, reason, time and position", (t) => {
  const modes = [undefined, "skip", "cancel", "keep_latest"];
  for (let seed = 0; seed < 120; seed++) {
    const random = new Random(seed);
    const mode = modes[seed % modes.length];
    const bench = new QueueBench(
      {
        admission: {
          ...(mode && { singleton: { key, mode } }),
          ...(random.chance(0.3) && { throttle: { key: "item.attributes.c", limit: 2, period_ms: 10_000 } }),
          ...(random.chance(0.2) && { debounce: { key, period_ms: 3_000 } }),
          concurrency: random.chance(0.4) ? [{ key, limit: 1 + random.int(2) }] : [],
        },
        ...(random.chance(0.3) && { fairness: { key } }),
        ...(random.chance(0.3) && { sticky: { key } }),
      },
      [{}, { labels: { x: "1" } }],
    );
    bench.pool("RuleService.CreateRule", {
      name: "urgent",
      enabled: true,
      condition: "item.priority == 1",
      action: { restrict: { labels: { x: "1" } } },
    });
    for (let step = 0; step < 30; step++) {
      const act = random.int(10);
      if (act < 2) bench.ask("QueueService.Claim", { recipient_id: bench.recipientIds[random.int(2)] });
      else if (act < 3) bench.driver.advance(random.int(15_000));
      else if (act < 4) bench.driver.restart();
      else agree(bench, random);
    }
  }
  t.pass();
});

function agree(bench: QueueBench, random: Random): void {
  const c = `c${random.int(3)}`;
  const request = { key: `k${random.int(4)}`, attributes: { c }, priority: 1 + random.int(3) };
  const previewed: unknown = bench.ask("AdmissionService.PreviewAdmission", request);
  const { admission, item } = previewed as Admitted;
  const made = bench.enqueue(request) as unknown as Admitted;
  const { wait } = bench.get(made.item.id);
  if (!isDeepStrictEqual([admission.outcome, item.wait], [made.admission.outcome, wait]))
    throw new Error(
      `previewed ${JSON.stringify(item.wait)}, found ${JSON.stringify([made.admission, wait])}`,
    );
}

interface Admitted {
  readonly item: { readonly id: string; readonly wait?: object };
  readonly admission: { readonly outcome: string };
}

test("groups are listed without their keys, explained, and cleared with a reason", (t) => {
  const bench = new QueueBench({
    admission: { singleton: { key, mode: "skip" }, concurrency: [{ key, limit: 1 }] },
  });
  const { item } = bench.enqueue({ key: "secret-key" });
  bench.claim();
  const { admission_groups: groups } = bench.ask("AdmissionService.ListAdmissionGroups") as {
    admission_groups: Record<string, string>[];
  };
  t.deepEqual(groups.map((group) => group.constraint_kind).sort(), ["concurrency", "singleton"]);
  t.notRegex(JSON.stringify(groups), /secret-key/);
  for (const { group_id } of groups) t.regex(group_id!, /^g_[0-9a-f]{32}$/);
  const named = (kind: string) => groups.find((group) => group.constraint_kind === kind)!;
  const { group_id } = named("singleton");
  const request = { constraint_kind: "singleton", group_id, reason: "stuck" };
  t.like(bench.ask("AdmissionService.ClearAdmissionGroup", request), {
    status: "cleared",
    clear_reason: "stuck",
  });
  t.like(bench.ask("AdmissionService.GetAdmissionGroup", request), {
    status: "cleared",
    clear_reason: "stuck",
  });
  t.not(bench.enqueue({ key: "secret-key" }).item.id, item.id);
  const slots = { constraint_kind: "concurrency", group_id: named("concurrency").group_id, reason: "x" };
  t.like(bench.ask("AdmissionService.ClearAdmissionGroup", slots), { code: "FAILED_PRECONDITION" });
});

test("a key has the same group in all pools of a tenant, and another in another tenant", async (t) => {
  const { driver } = new QueueBench();
  for (const actor of modules.find(({ name }) => name === "tenants")!.actors) driver.define(actor);
  // The first question stores the fixed tenants.
  driver.ask(tenantsAddress, secretOfTenant.name, { tenant_id: "" });
  const asker = askerOf(({ to, method, request }) => ({
    response: driver.ask(to, method, request),
    replayed: false,
  }));
  const groupIn = async (tenant: string): Promise<unknown> => {
    const config = { admission: { singleton: { key, mode: "skip" } } };
    const call = { caller: testCaller(tenant), asker } as unknown as CallContext;
    const pool = (await orchestrate(createPool, { name: "p", config }, call)) as { id: string };
    const queue = { kind: "queue", tenant, key: handleOf(pool.id) };
    driver.ask(queue, "QueueService.Enqueue", { pool_id: pool.id, key: "k" });
    const listed = driver.ask(queue, "AdmissionService.ListAdmissionGroups", { pool_id: pool.id });
    return (listed as { admission_groups: { group_id: string }[] }).admission_groups[0]!.group_id;
  };
  const [one, other] = ["01JTENANT00000000000000001", "01JTENANT00000000000000002"] as const;
  const group = await groupIn(one);
  driver.restart();
  t.is(await groupIn(one), group);
  t.not(await groupIn(other), group);
});

test("a group that was cleared says so until it begins anew", (t) => {
  const admission = { throttle: { key, limit: 1, period_ms: 60_000 } };
  const bench = new QueueBench({ lease_seconds: 3_600, admission });
  for (let i = 0; i < 3; i++) bench.enqueue({ key: "k" });
  bench.claim(1);
  const list = (status?: string) =>
    bench.ask("AdmissionService.ListAdmissionGroups", status ? { status } : {}).admission_groups as {
      group_id: string;
    }[];
  const at = { constraint_kind: "throttle", group_id: list()[0]!.group_id };
  bench.ask("AdmissionService.ClearAdmissionGroup", { ...at, reason: "an operator knows better" });
  bench.claim(1);
  t.like(bench.ask("AdmissionService.GetAdmissionGroup", at), { status: "active" });
  bench.ask("AdmissionService.ClearAdmissionGroup", { ...at, reason: "once more" });
  bench.claim(1);
  bench.ask("AdmissionService.ClearAdmissionGroup", { ...at, reason: "for the last one" });
  t.like(bench.ask("AdmissionService.GetAdmissionGroup", at), {
    status: "cleared",
    clear_reason: "for the last one",
  });
  t.is(list("cleared").length, 1);
  bench.enqueue({ key: "k" });
  bench.claim(1);
  t.like(bench.ask("AdmissionService.GetAdmissionGroup", at), { status: "active" });
  bench.driver.advance(60_000);
  t.like(bench.ask("AdmissionService.GetAdmissionGroup", at), { status: "expired" });
});

for (const { limit, admission } of [
  { limit: 1, admission: { throttle: { key, limit: 1, period_ms: 60_000 } } },
  { limit: 0, admission: { singleton: { key, mode: "keep_latest" } } },
]) {
  const [kind] = Object.keys(admission);
  test(`the answer to a clear of a ${kind} shows the group as it then is`, (t) => {
    const bench = new QueueBench({ lease_seconds: 3_600, admission });
    bench.enqueue({ key: "k" });
    bench.claim(1);
    for (let i = 0; i < 4; i++) bench.enqueue({ key: "k" });
    const [group] = bench.ask("AdmissionService.ListAdmissionGroups").admission_groups as [
      { group_id: string },
    ];
    const at = { constraint_kind: kind, group_id: group.group_id };
    const cleared = bench.ask("AdmissionService.ClearAdmissionGroup", { ...at, reason: "stuck" });
    t.like(cleared, { limit, clear_reason: "stuck" });
    t.deepEqual(cleared, bench.ask("AdmissionService.GetAdmissionGroup", at));
  });
}

for (const admission of [
  { throttle: { key, limit: 1, period_ms: 60_000 } },
  { debounce: { key, period_ms: 60_000 } },
  { singleton: { key, mode: "skip" } },
]) {
  const [kind] = Object.keys(admission);
  test(`a ${kind} that is cleared already is answered as it is and publishes no event, until it begins anew`, (t) => {
    const bench = new QueueBench({ lease_seconds: 3_600, admission });
    const begin = () => {
      bench.enqueue({ key: "k" });
      bench.claim(1);
    };
    const told = () => bench.driver.published.filter(({ kind }) => kind === "admission_group.cleared").length;
    begin();
    const [group] = bench.ask("AdmissionService.ListAdmissionGroups").admission_groups as [
      { group_id: string },
    ];
    const at = { constraint_kind: kind, group_id: group.group_id };
    const clear = (reason: string) => bench.ask("AdmissionService.ClearAdmissionGroup", { ...at, reason });
    const first = clear("stuck");
    t.like(first, { status: "cleared", clear_reason: "stuck" });
    bench.driver.advance(1_000);
    t.deepEqual(clear("to be sure"), first);
    t.deepEqual(bench.ask("AdmissionService.GetAdmissionGroup", at), first);
    bench.driver.restart();
    t.deepEqual(clear("after a restart"), first);
    t.is(told(), 1);
    begin();
    t.like(clear("stuck again"), { status: "cleared", clear_reason: "stuck again" });
    t.is(told(), 2);
    const nobody = { ...at, group_id: `g_${"0".repeat(32)}`, reason: "x" };
    t.like(bench.ask("AdmissionService.ClearAdmissionGroup", nobody), { code: "NOT_FOUND" });
  });
}
