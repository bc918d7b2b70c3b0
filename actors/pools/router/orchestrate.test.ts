import test from "ava";
import { startModules } from "../../../test/support/modules.ts";

type Message = Record<string, unknown>;

test("a redirect is followed, and the answer says where it came from", async (t) => {
  const { createPool, inPool, call } = await startModules(t);
  const [first, second] = [await createPool(), await createPool()];
  await inPool(first, "RuleService.CreateRule", { name: "r", action: { redirect: { pool_id: second } } });
  const recipient = await inPool(second, "RecipientService.CreateRecipient", { name: "x" });
  const routed = await call("RoutingService.Route", { pool_id: first });
  t.like(routed, { pool_id: second, recipient_id: recipient.id, redirected_from: [first] });
});

test("rules that send an item round and round are refused after three hops", async (t) => {
  const { createPool, inPool, call } = await startModules(t);
  const [first, second] = [await createPool(), await createPool()];
  await inPool(first, "RuleService.CreateRule", { name: "r", action: { redirect: { pool_id: second } } });
  await inPool(second, "RuleService.CreateRule", { name: "r", action: { redirect: { pool_id: first } } });
  t.like(await call("RoutingService.Route", { pool_id: first }), {
    code: "FAILED_PRECONDITION",
    reason: "REDIRECT_LOOP",
  });
});

test("three hops are allowed", async (t) => {
  const { createPool, inPool, call } = await startModules(t);
  const ids = [await createPool(), await createPool(), await createPool(), await createPool()];
  for (const [index, id] of ids.slice(0, 3).entries())
    await inPool(id, "RuleService.CreateRule", {
      name: "r",
      action: { redirect: { pool_id: ids[index + 1] } },
    });
  await inPool(ids[3]!, "RecipientService.CreateRecipient", { name: "x" });
  t.like(await call("RoutingService.Route", { pool_id: ids[0] }), {
    pool_id: ids[3],
    redirected_from: ids.slice(0, 3),
  });
});

test("a fourth hop is refused", async (t) => {
  const { createPool, inPool, call } = await startModules(t);
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) ids.push(await createPool());
  for (const [index, id] of ids.slice(0, 4).entries())
    await inPool(id, "RuleService.CreateRule", {
      name: "r",
      action: { redirect: { pool_id: ids[index + 1] } },
    });
  await inPool(ids[4]!, "RecipientService.CreateRecipient", { name: "x" });
  t.like(await call("RoutingService.Route", { pool_id: ids[0] }), { reason: "REDIRECT_LOOP" });
  t.like(await call("RoutingService.Route", { pool_id: ids[1] }), { pool_id: ids[4] });
});

test("a key that led to a pool is still free for who asks that pool itself", async (t) => {
  const { createPool, inPool, call } = await startModules(t);
  const [first, second] = [await createPool(), await createPool()];
  await inPool(first, "RuleService.CreateRule", { name: "r", action: { redirect: { pool_id: second } } });
  await inPool(second, "RecipientService.CreateRecipient", { name: "x" });
  const led = await call("RoutingService.Route", { pool_id: first }, "key-1");
  const straight = await call("RoutingService.Route", { pool_id: second }, "key-1");
  t.is(led.pool_id, second);
  t.not(straight.id, led.id);
});

test("with a key a retry follows the first redirect, whatever the rules say by then, and is applied once", async (t) => {
  const { createPool, inPool, call } = await startModules(t);
  const [first, second] = [await createPool(), await createPool()];
  const rule = await inPool(first, "RuleService.CreateRule", {
    name: "r",
    action: { redirect: { pool_id: second } },
  });
  await inPool(first, "RecipientService.CreateRecipient", { name: "local" });
  const away = await inPool(second, "RecipientService.CreateRecipient", { name: "away", capacity: 5 });
  const request = { pool_id: first, reserve: true };
  const once = await call("RoutingService.Route", request, "key-1");
  t.is(once.recipient_id, away.id);
  await inPool(first, "RuleService.DeleteRule", { rule_id: rule.id });
  t.deepEqual(await call("RoutingService.Route", request, "key-1"), once);
  t.is((await inPool(second, "RecipientService.GetRecipient", { recipient_id: away.id })).in_flight, 1);
});

test("a redirect to a pool that is not there, or in another environment, is refused", async (t) => {
  const { createPool, inPool, call } = await startModules(t);
  const first = await createPool();
  const staging = await createPool({}, { environment: "staging" });
  const targets = {
    "01JVVVVVVVVVVVVVVVVVVVVVVV": "REDIRECT_TARGET_MISSING",
    [staging]: "REDIRECT_ENVIRONMENT",
  };
  for (const [pool_id, reason] of Object.entries(targets)) {
    const rule = await inPool(first, "RuleService.CreateRule", {
      name: "r",
      action: { redirect: { pool_id } },
    });
    t.like(await call("RoutingService.Route", { pool_id: first }), { code: "FAILED_PRECONDITION", reason });
    await inPool(first, "RuleService.DeleteRule", { rule_id: rule.id });
  }
});

test("a batch answers every entry in its place, over pools and refusals", async (t) => {
  const { createPool, inPool, call } = await startModules(t);
  const [first, second] = [await createPool(), await createPool()];
  const away = {
    name: "r",
    condition: "item.attributes.away == true",
    action: { redirect: { pool_id: second } },
  };
  await inPool(first, "RuleService.CreateRule", away);
  const bad = { name: "b", condition: "item.attributes.bad == true", action: { reject: { reason: "no" } } };
  await inPool(first, "RuleService.CreateRule", bad);
  await inPool(first, "RecipientService.CreateRecipient", { name: "x" });
  await inPool(second, "RecipientService.CreateRecipient", { name: "y" });
  const plain = { attributes: { away: false, bad: false } };
  const routes = [plain, { attributes: { away: true } }, { attributes: { away: false, bad: true } }, plain];
  const { results } = (await call("RoutingService.RouteBatch", { pool_id: first, routes })) as {
    results: Message[];
  };
  t.deepEqual(
    results.map(({ index, routing, error }) => [
      index,
      (routing as Message | undefined)?.pool_id ?? (error as Message).reason,
    ]),
    [
      [0, first],
      [1, second],
      [2, "RULE_REJECTED"],
      [3, first],
    ],
  );
});

test("a batch answers each route by itself, also where there is only one", async (t) => {
  const { createPool, inPool, call } = await startModules(t);
  const pool_id = await createPool();
  await inPool(pool_id, "RecipientService.CreateRecipient", { name: "x", capacity: 1 });
  const large = { cost: 2 };
  for (const routes of [[large], [large, {}]]) {
    const answer = await call("RoutingService.RouteBatch", { pool_id, routes });
    t.like((answer.results as Message[])[0], { index: 0, error: { error_code: "ROUTING_FAILED" } });
    t.is((answer.results as Message[]).length, routes.length);
  }
  t.like(await call("RoutingService.Route", { pool_id, ...large }), { code: "ROUTING_FAILED" });
  await inPool(pool_id, "PoolService.SetPoolEnabled", { enabled: false });
  t.like(await call("RoutingService.RouteBatch", { pool_id, routes: [{}] }), { reason: "POOL_DISABLED" });
});

test("with a key, routes of a batch that come to one pool by different ways are each decided there, once", async (t) => {
  const { createPool, inPool, call } = await startModules(t);
  const [from, by, over, to] = [
    await createPool(),
    await createPool(),
    await createPool(),
    await createPool(),
  ];
  const redirect = (poolId: string, condition: string, pool_id: string) =>
    inPool(poolId, "RuleService.CreateRule", { name: "r", condition, action: { redirect: { pool_id } } });
  await redirect(from, "item.key == 'round'", by);
  await redirect(from, "item.key == 'about'", over);
  await redirect(from, "item.key == 'straight'", to);
  await redirect(by, "true", to);
  await redirect(over, "true", to);
  const { id } = await inPool(to, "RecipientService.CreateRecipient", { name: "x", capacity: 10 });
  const routes = ["straight", "round", "round", "about"].map((key) => ({ key, reserve: true }));
  const route = async () =>
    (
      (await call("RoutingService.RouteBatch", { pool_id: from, routes }, "k1")) as {
        results: { routing: Message }[];
      }
    ).results.map(({ routing }) => routing);
  const first = await route();
  t.deepEqual(
    first.map((routing) => [routing.key, routing.redirected_from]),
    [
      ["straight", [from]],
      ["round", [from, by]],
      ["round", [from, by]],
      ["about", [from, over]],
    ],
  );
  t.is(new Set(first.map((routing) => routing.id)).size, 4);
  t.deepEqual(await route(), first);
  t.is((await inPool(to, "RecipientService.GetRecipient", { recipient_id: id })).in_flight, 4);
});

test("everything is there again after a restart from storage", async (t) => {
  const before = await startModules(t);
  const id = await before.createPool({ strategy: "longest_idle" });
  const made: string[] = [];
  for (let i = 0; i < 3; i++)
    made.push(
      (await before.inPool(id, "RecipientService.CreateRecipient", { name: `${i}`, capacity: 2 }))
        .id as string,
    );
  const routed = await before.call("RoutingService.Route", { pool_id: id, reserve: true });
  before.runtime.stop();
  const after = await startModules(t, before.store);
  const recipient = await after.inPool(id, "RecipientService.GetRecipient", {
    recipient_id: routed.recipient_id,
  });
  t.is(recipient.in_flight, 1);
  const again = await after.ask("router", id.slice(18), "RoutingService.GetRouting", {
    routing_id: routed.id,
    verify: true,
  });
  t.like(again, { id: routed.id, verification: { matches: true, complete: true } });
  t.not((await after.call("RoutingService.Route", { pool_id: id })).recipient_id, routed.recipient_id);
});

test("the routes of a batch share one bound for what they explain, also behind a redirect", async (t) => {
  const { createPool, inPool, call } = await startModules(t);
  const [first, second] = [await createPool(), await createPool()];
  for (let i = 0; i < 20; i++)
    await inPool(second, "RecipientService.CreateRecipient", { name: "r", weight: i % 2 });
  const to = { redirect: { pool_id: second } };
  await inPool(first, "RuleService.CreateRule", { name: "r", condition: "item.key == 'on'", action: to });
  const asking = Array.from({ length: 999 }, (_, i) => ({ key: i === 0 ? "on" : "", explain: true }));
  const { results } = (await call("RoutingService.RouteBatch", {
    pool_id: first,
    routes: [...asking, { key: "on" }],
  })) as { results: { routing?: Message; error?: Message }[] };
  const [told, nobody] = results;
  t.like(told!.routing, { pool_id: second, explanation_left_out: 10 });
  t.is((told!.routing!.explanation as unknown[]).length, 10);
  t.like(nobody!.error, { error_code: "ROUTING_FAILED", explanation: [] });
  t.deepEqual(results[999]!.routing!.explanation, []);
  const alone = await call("RoutingService.Route", { pool_id: first, key: "on", explain: true });
  t.is((alone.explanation as unknown[]).length, 20);
});
