import test from "ava";
import { limits, refuse } from "#base";
import { eventually } from "../../../test/support/eventually.ts";
import { startModules } from "../../../test/support/modules.ts";
import { orchestrate } from "../../../test/support/orchestrate.ts";
import { listDirectory, listEntries } from "../../kit/entity-list.ts";
import type { CallContext } from "../../module.ts";
import { pools } from "../index.ts";

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

test("if_absent answers with the pool that is there, as it is now, and says that it made none", async (t) => {
  const { createPool, inPool, call } = await startModules(t);
  const id = await createPool({ name: "support", description: "first" });
  await inPool(id, "RecipientService.CreateRecipient", { name: "ada" });
  const request = { name: "support", description: "second", if_absent: true };
  const there = await call("PoolService.CreatePool", request, "key");
  t.like(there, { id, description: "first", created: false, record_version: 1 });
  t.is((there.recipient_ids as string[]).length, 1);
  t.like(await call("PoolService.CreatePool", request, "key"), { id, created: false });
  const made = await call("PoolService.CreatePool", { ...request, name: "sales" }, "other");
  t.true(made.created);
  t.like(await call("PoolService.CreatePool", { ...request, name: "sales" }, "other"), { id: made.id });
  t.like(await call("PoolService.CreatePool", { name: "plain" }), { created: undefined });
});

test("queues are listed by the names of their pools", async (t) => {
  const { createPool, call } = await startModules(t);
  const ids = new Map<string, string>();
  for (const name of ["mail", "mailing", "maintenance"]) ids.set(name, await createPool({ name }));
  for (const [request, expected] of [
    [{ name: "mail" }, ["mail"]],
    [{ name_prefix: "mail" }, ["mail", "mailing"]],
    [{ name_prefix: "none" }, []],
  ] as const) {
    const { queues, total } = await call("QueueControlService.ListQueues", request);
    t.deepEqual(
      (queues as Message[]).map(({ name }) => name),
      expected,
    );
    t.is(total, undefined);
    const { pools } = await call("PoolService.ListPools", request);
    t.deepEqual(
      (pools as Message[]).map(({ id }) => id),
      expected.map((name) => ids.get(name)),
    );
  }
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
      if (one.method === listDirectory.name && ++asked === 2) await gone(ids[seen.length]!);
      return call.asker.ask(one);
    };
    const page = (await orchestrate(
      pools.orchestrations!["PoolService.ListPools"]!,
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

test("large pools are asked until an answer is full, and one that is away in between is told once", async (t) => {
  const entries = Array.from({ length: 300 }, (_, i) => ({
    id: `${"0".repeat(18)}${10_000_000 + i}`,
    name: `p${i}`,
  }));
  const away = entries[1]!.id;
  const cuts: unknown[] = [];
  let asked = 0;
  const ask: CallContext["asker"]["ask"] = async ({ method, request }) => {
    if (method === listDirectory.name) {
      const { cut_after } = request as Message;
      if (cut_after !== undefined) cuts.push((cut_after as Message).id);
      return { response: { entries, next_page_token: "next", total: 300 }, replayed: false };
    }
    asked++;
    const { pool_id } = request as Message;
    return pool_id === away
      ? refuse("UNAVAILABLE", "moves")
      : { response: { id: pool_id, name: "x".repeat(2 ** 20) }, replayed: false };
  };
  const call = { caller: { tenant: "t" }, asker: { ask } } as unknown as CallContext;
  const page = (await orchestrate(
    pools.orchestrations!["PoolService.ListPools"]!,
    { page_size: 300 },
    call,
  )) as Message;
  t.deepEqual(
    (page.pools as Message[]).map(({ id }) => id),
    [0, 2, 3].map((i) => entries[i]!.id),
  );
  t.deepEqual(
    (page.unavailable as Message[]).map(({ pool_id }) => pool_id),
    [away],
  );
  t.deepEqual(cuts, [entries[3]!.id]);
  t.true(asked <= limits.poolsAskedAtOnce, `${asked} pools were asked`);
});
