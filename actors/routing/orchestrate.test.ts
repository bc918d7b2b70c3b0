import test from "ava";
import { RefusalError, refuse } from "#base";
import { testCaller } from "../../test/support/entity.ts";
import { eventually } from "../../test/support/eventually.ts";
import { startModules } from "../../test/support/modules.ts";
import type { CallContext } from "../module.ts";
import { pools } from "../pools/index.ts";
import { listEntries } from "../shared/pool-lists.ts";
import { routing } from "./index.ts";

type Message = Record<string, unknown>;

test("a pool can be used as soon as it is created, and is listed", async (t) => {
  const { createPool, inPool, call } = await startModules(t);
  const ids: string[] = [];
  for (let i = 0; i < 7; i++) ids.push(await createPool({ name: `p${i}` }));
  t.is((await inPool(ids[0]!, "PoolService.GetPool", {})).name, "p0");
  const first = await call("PoolService.ListPools", { page_size: 4 });
  t.is(first.total, 7);
  const second = await call("PoolService.ListPools", { page_size: 4, page_token: first.next_page_token });
  const listed = [...(first.pools as Message[]), ...(second.pools as Message[])].map(({ id }) => id);
  t.deepEqual(listed, [...ids].sort());
  t.is(second.next_page_token, "");
});

test("a page of pools is cut at four mebibytes and goes on after the cut", async (t) => {
  const { createPool, inPool, call } = await startModules(t);
  const weights = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`${"k".repeat(200)}${i}`, 1]));
  const ids: string[] = [];
  for (let i = 0; i < 24; i++) ids.push(await createPool());
  for (const id of ids)
    await inPool(id, "PoolService.UpdatePool", { config: { fairness: { key: "item.key", weights } } });
  const seen: unknown[] = [];
  let page_token: unknown = "";
  let pages = 0;
  do {
    const page: Message = await call("PoolService.ListPools", { page_size: 100, page_token });
    seen.push(...(page.pools as Message[]).map(({ id }) => id));
    page_token = page.next_page_token;
    pages++;
  } while (page_token !== "");
  t.deepEqual(seen, [...ids].sort());
  t.true(pages > 1, `${pages} pages`);
});

test("a pool that goes while a page is cut takes no other out of the list", async (t) => {
  const { createPool, inPool, context } = await startModules(t);
  const weights = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`${"k".repeat(200)}${i}`, 1]));
  const config = { fairness: { key: "item.key", weights } };
  const ids: string[] = [];
  for (let i = 0; i < 24; i++) ids.push(await createPool({ config }));
  ids.sort();
  const seen: unknown[] = [];
  let page_token: unknown = "";
  do {
    const call = context();
    let asked = 0;
    const ask: CallContext["asker"]["ask"] = async (one) => {
      // The first of the page goes after the page was made and before its cursor is.
      if (one.method === "Directory.List" && ++asked === 2) await gone(ids[seen.length]!);
      return call.asker.ask(one);
    };
    const page = (await pools.orchestrations!["PoolService.ListPools"]!(
      { page_size: 100, page_token },
      { ...call, asker: { ...call.asker, ask } },
    )) as Message;
    seen.push(...(page.pools as Message[]).map(({ id }) => id));
    page_token = page.next_page_token;
  } while (page_token !== "");
  t.deepEqual(seen, ids);

  async function gone(id: string): Promise<void> {
    await inPool(id, "PoolService.DeletePool", {});
    await eventually("the directory knows", async () => {
      const { entries } = await listEntries({ page_size: 100 }, context());
      return entries.some((entry) => entry.id === id) ? undefined : true;
    });
  }
});

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
  const [from, by, to] = [await createPool(), await createPool(), await createPool()];
  const redirect = (poolId: string, condition: string, pool_id: string) =>
    inPool(poolId, "RuleService.CreateRule", { name: "r", condition, action: { redirect: { pool_id } } });
  await redirect(from, "item.key == 'round'", by);
  await redirect(from, "item.key == 'straight'", to);
  await redirect(by, "true", to);
  const { id } = await inPool(to, "RecipientService.CreateRecipient", { name: "x", capacity: 10 });
  const routes = ["straight", "round", "round"].map((key) => ({ key, reserve: true }));
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
    ],
  );
  t.is(new Set(first.map((routing) => routing.id)).size, 3);
  t.deepEqual(await route(), first);
  t.is((await inPool(to, "RecipientService.GetRecipient", { recipient_id: id })).in_flight, 3);
});

test("outcomes of many pools are recorded together, each entry answered in its place", async (t) => {
  const { createPool, inPool, call } = await startModules(t);
  const routings: Message[] = [];
  for (let i = 0; i < 3; i++) {
    const id = await createPool();
    await inPool(id, "RecipientService.CreateRecipient", { name: "x" });
    routings.push(await call("RoutingService.Route", { pool_id: id, reserve: true }));
  }
  const outcomes = [
    ...routings.map(({ id }) => ({ routing_id: id, result: "success" })),
    { routing_id: "01JVVVVVVV00000000VVVVVVVV", result: "success" },
  ];
  const { results } = (await call("OutcomeService.RecordOutcomes", { outcomes })) as { results: Message[] };
  t.deepEqual(
    results.map(({ outcome, error }) => (outcome as Message)?.routing_id ?? (error as Message).error_code),
    [...routings.map(({ id }) => id), "NOT_FOUND"],
  );
  t.like(await call("OutcomeService.RecordOutcome", { routing_id: routings[0]!.id, result: "failure" }), {
    recipient_id: routings[0]!.recipient_id,
  });
});

test("outcomes are the same when they are told again, also of an item that is gone by then", async (t) => {
  const { createQueue, inQueue, call } = await startModules(t);
  const { poolId, recipientId } = await createQueue();
  const ids: unknown[] = [];
  for (let i = 0; i < 2; i++) ids.push(((await inQueue(poolId, "QueueService.Enqueue")).item as Message).id);
  const [{ lease_token }] = (
    (await inQueue(poolId, "QueueService.Claim", { recipient_id: recipientId })) as { items: [Message] }
  ).items;
  const outcomes = ids.map((queue_item_id, i) => ({ id: `o${i}`, queue_item_id, result: "success" }));
  const first = await call("OutcomeService.RecordOutcomes", { outcomes }, "k1");
  t.like((first.results as Message[])[0]!.outcome, { queue_item_id: ids[0], recipient_id: recipientId });
  await inQueue(poolId, "QueueService.Reject", { queue_item_id: ids[0], lease_token });
  t.like(await call("DeadLetterService.Purge", { pool_id: poolId }), { purged: 1 });
  t.deepEqual(await call("OutcomeService.RecordOutcomes", { outcomes }, "k1"), first);
  t.deepEqual(await call("OutcomeService.RecordOutcomes", { outcomes }), first);
  const another = { id: "o2", queue_item_id: ids[0], result: "success" };
  t.like(await call("OutcomeService.RecordOutcome", another), { code: "NOT_FOUND" });
});

test("an outcome of an item that is gone is not said to be unknown while its pool cannot be asked", async (t) => {
  const full = refuse("RATE_LIMITED", "full", { reason: "MAILBOX_FULL", retryAfterMs: 100 });
  const ask = async ({ method }: { method: string }) =>
    method === "QueueService.GetItem" ? refuse("NOT_FOUND", "there is no such item") : full;
  const record = routing.orchestrations!["OutcomeService.RecordOutcome"]!;
  const outcome = { id: "o1", queue_item_id: "01JITEM0000000000000000000", result: "success" };
  const call = { caller: testCaller("t"), asker: { ask }, deadlineMs: 0 } as unknown as CallContext;
  const error = await t.throwsAsync(record(outcome, call), { instanceOf: RefusalError });
  t.like((error as RefusalError).refusal, { code: "RATE_LIMITED" });
});

test("a stream answers every request with its ref, whatever pool it names", async (t) => {
  const { createPool, inPool, context } = await startModules(t);
  const [first, second] = [await createPool(), await createPool()];
  for (const id of [first, second]) await inPool(id, "RecipientService.CreateRecipient", { name: "x" });
  async function* requests() {
    for (let i = 0; i < 500; i++) {
      const pool_id = i % 50 === 7 ? "01JVVVVVVVVVVVVVVVVVVVVVVV" : i % 2 === 0 ? first : second;
      yield { ref: `r${i}`, route: { pool_id } };
    }
  }
  const answers = new Map<string, Message>();
  for await (const answer of routing.streams!["RoutingService.RouteStream"]!(requests(), context()))
    answers.set((answer as Message).ref as string, answer as Message);
  t.is(answers.size, 500);
  t.like(answers.get("r7"), { error: { error_code: "NOT_FOUND" } });
  t.is((answers.get("r2")!.routing as Message).pool_id, first);
  t.is((answers.get("r3")!.routing as Message).pool_id, second);
});

test("a stream of large requests is routed in parts that a pool takes", async (t) => {
  const { createPool, inPool, context } = await startModules(t);
  const pool_id = await createPool();
  await inPool(pool_id, "RecipientService.CreateRecipient", { name: "x" });
  const attributes = { text: "x".repeat(1_000_000) };
  let sent = 0;
  let ahead = 0;
  async function* requests() {
    for (; sent < 24; sent++) yield { ref: `${sent}`, route: { pool_id, attributes } };
  }
  const errors: unknown[] = [];
  let answered = 0;
  for await (const answer of routing.streams!["RoutingService.RouteStream"]!(requests(), context())) {
    ahead = Math.max(ahead, sent - answered++);
    if ((answer as Message).error) errors.push((answer as Message).error);
  }
  t.is(answered, 24);
  t.deepEqual(errors, []);
  t.true(ahead < 12, `${ahead} were read ahead`);
});

test("a stream whose sender fails ends with that failure, after answering what came before", async (t) => {
  const { createPool, inPool, context } = await startModules(t);
  const first = await createPool();
  await inPool(first, "RecipientService.CreateRecipient", { name: "x" });
  async function* requests() {
    yield { ref: "a", route: { pool_id: first } };
    throw new Error("gone");
  }
  const seen: unknown[] = [];
  await t.throwsAsync(
    async () => {
      for await (const answer of routing.streams!["RoutingService.RouteStream"]!(requests(), context()))
        seen.push((answer as Message).ref);
    },
    { message: "gone" },
  );
  t.deepEqual(seen, ["a"]);
});

test("a stream whose reader leaves lets its sender go, also one it had held back", async (t) => {
  const { createPool, inPool, context } = await startModules(t);
  const pool_id = await createPool();
  await inPool(pool_id, "RecipientService.CreateRecipient", { name: "x" });
  let sent = 0;
  const released = new Promise<void>((resolve) => {
    async function* requests() {
      try {
        for (; sent < 100_000; sent++) yield { ref: `${sent}`, route: { pool_id } };
      } finally {
        resolve();
      }
    }
    const read = async () => {
      for await (const _ of routing.streams!["RoutingService.RouteStream"]!(requests(), context())) break;
    };
    void read();
  });
  await released;
  t.true(sent < 10_000, `${sent} were read ahead`);
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
