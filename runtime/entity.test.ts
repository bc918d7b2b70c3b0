import test from "ava";
import { limits } from "#base";
import { callerOf, settle, startFixture } from "../test/support/runtime/fixture.ts";
import { defineActor } from "./actor.ts";
import type { Answer } from "./ask.ts";
import { shardOf } from "./placement.ts";
import { ownShape } from "./row-shape.ts";
import { entityPartition } from "./shard/partition.ts";

for (const where of ["decide", "apply"] as const)
  test(`${where} throws: that command is refused, the entity comes back from its rows, its neighbour goes on`, async (t) => {
    const { ask } = await startFixture();
    await ask({ type: "add", amount: 3 });
    const [broken, after, neighbour] = await Promise.all([
      ask({ type: "break", where }),
      ask({ type: "add", amount: 4 }),
      ask({ type: "add", amount: 1 }, { key: "b" }),
    ]);
    t.like(broken, { code: "INTERNAL" });
    t.like(after, { response: { sum: 7, lines: 2 } });
    t.like(neighbour, { response: { sum: 1 } });
  });

test("respond throws: nothing of the command happened", async (t) => {
  const { ask } = await startFixture();
  await ask({ type: "add", amount: 3 });
  t.like(await ask({ type: "add", amount: 5 }, { method: "Notebook.Break" }), { code: "INTERNAL" });
  t.like(await ask({ type: "read" }), { response: { sum: 3, lines: 1 } });
});

test("a row that cannot be understood: its entity fails, its neighbour goes on", async (t) => {
  const first = await startFixture();
  for (const key of ["a", "b"]) await first.ask({ type: "add", amount: 1 }, { key });
  await first.world.advance(1_000);
  const { ask, runtime } = await first.restart();
  const lines = entityPartition({ kind: "notebook", tenant: "t", key: "a" }, ownShape("lines")).text;
  for (const [name, { values }] of first.store.partitions)
    if (name.endsWith(lines)) for (const value of values.values()) value[0] = 99;
  for (const command of [{ type: "line", number: 1 } as const, { type: "tail", limit: 1 } as const]) {
    t.like(await ask(command), { code: "INTERNAL" });
    t.like(await ask(command, { key: "b" }), { replayed: false });
  }
  t.like(await ask({ type: "read" }), { response: { sum: 1 } });
  t.like((await runtime.actors({ failing: true }))[0], { failures: 2 });
});

test("a command that asks for a row that cannot be is answered once", async (t) => {
  const definition = defineActor<object, null, never>({
    kind: "greedy",
    placement: "key",
    empty: () => ({}),
    resident: [],
    restore: () => undefined,
    decide(_state, _command, context) {
      context.row({ collection: "rows", key: ["x".repeat(2_000)] });
      return { events: [] };
    },
    apply: () => undefined,
    methods: { "Greedy.Do": { command: () => null, respond: () => null } },
  });
  const { runtime, world } = await startFixture({ definitions: [definition] });
  const answers: Answer[] = [];
  const to = { kind: "greedy", tenant: "t", key: "k" };
  const caller = callerOf("t");
  runtime.post(
    { to, method: "Greedy.Do", request: null, caller, deadlineMs: world.nowMs + 1_000 },
    (answer) => answers.push(answer),
  );
  await settle();
  runtime.stop();
  t.is(answers.length, 1);
  t.like(answers[0], { code: "INTERNAL" });
});

test("a request that cannot be read does not restart the entity, however often it comes", async (t) => {
  const { ask, runtime } = await startFixture();
  for (let i = 0; i < 10; i++)
    t.like(await ask({ type: "unreadable" }), { code: "INTERNAL", detail: "the request could not be read" });
  t.like(await ask({ type: "read" }), { response: { sum: 0 } });
  t.is((await runtime.actors({ failing: true })).length, 0);
});

test("an entity that keeps failing is isolated with a clear refusal and listed, and is tried again after a rest", async (t) => {
  const { ask, runtime, world } = await startFixture();
  for (let i = 0; i < 6; i++) await ask({ type: "break", where: "decide" });
  t.like(await ask({ type: "read" }), { code: "UNAVAILABLE", reason: "ENTITY_ISOLATED" });
  const [listed] = await runtime.actors({ failing: true });
  t.like(listed, { status: "isolated", failures: 6, lastFailure: "decide broke" });
  t.like(await ask({ type: "read" }, { key: "b" }), { response: { sum: 0 } });
  await world.advance(61_000);
  t.like(await ask({ type: "read" }), { response: { sum: 0 } });
  t.is((await runtime.actors({ failing: true })).length, 0);
});

test("an entity that rests is listed with the end of its rest, any other with none", async (t) => {
  const { ask, runtime, world } = await startFixture();
  const ends = async () =>
    (await runtime.actors({ failing: false })).map(({ isolatedUntilMs }) => isolatedUntilMs);
  for (let i = 0; i < 5; i++) await ask({ type: "break", where: "decide" });
  t.deepEqual(await ends(), [undefined, undefined], "it failed, and its twin with it");
  await ask({ type: "break", where: "decide" });
  const untilMs = world.nowMs + limits.entityIsolatedMs;
  t.deepEqual(await ends(), [untilMs, untilMs]);
});

test("an isolated entity is tried again after its rest, also if the clock was set back meanwhile", async (t) => {
  const { ask, runtime, world } = await startFixture();
  for (let i = 0; i < 6; i++) await ask({ type: "break", where: "decide" });
  world.nowMs -= 3_600_000;
  const [listed] = await runtime.actors({ failing: true });
  t.like(listed, { status: "isolated", failures: 6, isolatedUntilMs: world.nowMs + limits.entityIsolatedMs });
  await world.advance(61_000);
  t.like(await ask({ type: "read" }), { response: { sum: 0 } });
  t.is((await runtime.actors({ failing: true })).length, 0);
});

test("an entity that failed is listed as failing for a minute", async (t) => {
  const { ask, runtime, world } = await startFixture();
  await ask({ type: "break", where: "decide" });
  const failing = async () => (await runtime.actors({ failing: true })).map(({ failures }) => failures);
  t.deepEqual(await failing(), [1, 1], "with its twin");
  await world.advance(61_000);
  await ask({ type: "read" });
  t.deepEqual(await failing(), []);
});

test("actors are listed by kind and by tenant, and no more of them than asked for", async (t) => {
  const { ask, runtime } = await startFixture();
  for (const tenant of ["one", "two"])
    for (const key of ["a", "b"]) await ask({ type: "read" }, { tenant, key });
  const list = async (filter: { kind?: string; tenant?: string; max?: number }) =>
    (await runtime.actors({ failing: false, ...filter })).map(({ address }) => address);
  const covers = await list({ kind: "cover", tenant: "two" });
  t.deepEqual(covers.map(({ key }) => key).sort(), ["a", "b"]);
  t.true(covers.every(({ kind, tenant }) => kind === "cover" && tenant === "two"));
  t.is((await list({ kind: "cover" })).length, 4);
  t.is((await list({ max: 3 })).length, 3);
  t.deepEqual(await list({ tenant: "three" }), []);
});

test("twins share a shard and change in one commit", async (t) => {
  const { ask, restart } = await startFixture();
  await ask({ type: "both", amount: 5 });
  t.like(await ask({ type: "read" }, { kind: "cover", method: "Cover.Read" }), {
    response: { title: "sum 5", sum: 5 },
  });
  const again = await restart();
  t.like(await again.ask({ type: "read" }, { kind: "cover", method: "Cover.Read" }), {
    response: { title: "sum 5", sum: 5 },
  });
  const address = { tenant: "t", key: "k" };
  t.is(shardOf({ kind: "a", ...address }, "key", 256), shardOf({ kind: "b", ...address }, "key", 256));
});

test("a command that needs rows gets them from the tables, and those written since from the buffer", async (t) => {
  const first = await startFixture();
  await first.ask({ type: "add", amount: 1, text: "stored" });
  await first.world.advance(1_000);
  const second = await first.restart();
  await second.ask({ type: "add", amount: 2, text: "buffered" });
  t.like(await second.ask({ type: "line", number: 1 }), { response: { text: "stored" } });
  t.like(await second.ask({ type: "line", number: 2 }), { response: { text: "buffered" } });
  t.deepEqual(await second.ask({ type: "line", number: 3 }), { response: null, replayed: false });
  t.deepEqual(await second.ask({ type: "tail", limit: 5 }), { response: [2, 1], replayed: false });
});

test("a range delete hides older rows and not the ones put after it, in the buffer, in the tables and after a crash", async (t) => {
  const first = await startFixture();
  for (let i = 0; i < 3; i++) await first.ask({ type: "add", amount: 1 });
  await first.world.advance(1_000);
  await first.ask({ type: "clear" });
  const expected = { response: [0], replayed: false };
  t.deepEqual(await first.ask({ type: "tail", limit: 9 }), expected);
  const second = await first.restart();
  t.deepEqual(await second.ask({ type: "tail", limit: 9 }), expected);
  await second.world.advance(1_000);
  t.deepEqual(await second.ask({ type: "tail", limit: 9 }), expected);
  t.deepEqual(await (await second.restart()).ask({ type: "tail", limit: 9 }), expected);
});

test("a parked command is woken by the change it waits for", async (t) => {
  const { ask, world } = await startFixture();
  const untilMs = world.nowMs + 10_000;
  const order: string[] = [];
  const late = ask({ type: "await", sum: 10, untilMs }).then((answer) => order.push("late") && answer);
  const early = ask({ type: "await", sum: 5, untilMs }).then((answer) => order.push("early") && answer);
  await settle();
  await ask({ type: "add", amount: 5 });
  t.like(await early, { response: { sum: 5 } });
  await ask({ type: "add", amount: 5 });
  t.like(await late, { response: { sum: 10 } });
  t.deepEqual(order, ["early", "late"]);
});

test("a parked command that is replaced waits and runs again as what replaced it", async (t) => {
  const { ask, world } = await startFixture();
  await ask({ type: "add", amount: 2 });
  const waiting = ask({ type: "await", sum: 5, untilMs: world.nowMs + 10_000 });
  await settle();
  await ask({ type: "add", amount: 3 });
  t.like(await waiting, { response: { sum: 5, since: 2 } });
});

test("a parked command whose time is over runs with `expired`", async (t) => {
  const { ask, world } = await startFixture();
  const waiting = ask({ type: "await", sum: 10, untilMs: world.nowMs + 1_000 });
  await world.advance(999);
  const order: string[] = [];
  void waiting.then(() => order.push("answered"));
  await settle();
  t.deepEqual(order, []);
  await world.advance(1);
  t.like(await waiting, { response: { sum: 0 } });
});

test("a parked command whose caller goes away frees its place", async (t) => {
  const { ask, world } = await startFixture({ limits: { parkedMax: 1 } });
  const untilMs = world.nowMs + 10_000;
  const abort = new AbortController();
  const left = ask({ type: "await", sum: 10, untilMs }, { signal: abort.signal });
  await settle();
  t.like(await ask({ type: "await", sum: 10, untilMs }), { code: "RATE_LIMITED", reason: "MAILBOX_FULL" });
  abort.abort();
  t.like(await left, { code: "CANCELLED" });
  const next = ask({ type: "await", sum: 10, untilMs });
  await settle();
  await ask({ type: "add", amount: 10 });
  t.like(await next, { response: { sum: 10 } });
});

test("idle entities are evicted over the cap and come back as they were", async (t) => {
  const { ask, runtime, world } = await startFixture({ limits: { residentEntitiesMax: 10 } });
  for (let i = 0; i < 50; i++) {
    await ask({ type: "add", amount: i }, { key: `book ${i}` });
    await world.advance(10);
  }
  const [stats] = await runtime.stats();
  t.true(stats!.residentCells <= 11);
  for (let i = 0; i < 50; i++)
    t.like(await ask({ type: "read" }, { key: `book ${i}` }), { response: { sum: i } });
});

test("entities without use for long leave memory, also where the clock was set back meanwhile", async (t) => {
  const { ask, runtime, world } = await startFixture();
  const residents = async () => (await runtime.stats())[0]!.residentCells;
  await ask({ type: "add", amount: 1 });
  await world.advance(302_000);
  t.is(await residents(), 0);
  t.like(await ask({ type: "read" }), { response: { sum: 1 } });
  world.nowMs -= 3_600_000;
  await world.advance(limits.entityIdleMs - 2_000);
  t.is(await residents(), 1);
  await world.advance(4_000);
  t.is(await residents(), 0);
  t.like(await ask({ type: "read" }), { response: { sum: 1 } });
});

test("an unknown kind or method is refused", async (t) => {
  const { ask } = await startFixture();
  t.like(await ask({ type: "read" }, { kind: "nothing" }), { code: "UNIMPLEMENTED" });
  t.like(await ask({ type: "read" }, { method: "constructor" }), { code: "UNIMPLEMENTED" });
});
