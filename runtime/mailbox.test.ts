import test from "ava";
import { limits } from "#base";
import type { Interference } from "../storage/memory/index.ts";
import { callerOf, settle, startFixture } from "../test/support/runtime/fixture.ts";
import { defineActor } from "./actor.ts";
import type { Answer } from "./ask.ts";
import { shardOf } from "./placement.ts";

const full = { code: "RATE_LIMITED", reason: "MAILBOX_FULL", retryAfterMs: 1_000 } as const;

test("over the depth of one entity's mailbox the caller is told at once, and another entity is not", async (t) => {
  const { ask } = await startFixture({ limits: { mailboxDepthMax: 3 } });
  const answers = Array.from({ length: 5 }, () => ask({ type: "add", amount: 1 }));
  const other = ask({ type: "add", amount: 1 }, { key: "b" });
  t.like(await answers[3], full);
  t.like(await answers[4], full);
  t.like(await answers[2], { response: { sum: 3 } });
  t.like(await other, { response: { sum: 1 } });
  t.like(await ask({ type: "read" }), { response: { sum: 3 } });
});

test("over the bytes of one entity's mailbox the caller is told at once", async (t) => {
  const { ask } = await startFixture({ limits: { mailboxBytesMax: 10_000 } });
  const text = "x".repeat(6_000);
  const [first, second] = await Promise.all([
    ask({ type: "add", amount: 1, text }),
    ask({ type: "add", amount: 1, text }),
  ]);
  t.like(first, { response: { sum: 1 } });
  t.like(second, full);
});

test("one tenant's share and the thread's are bounded too", async (t) => {
  const { ask } = await startFixture({ limits: { tenantMailboxDepthMax: 2, threadMailboxDepthMax: 4 } });
  const of = (tenant: string, count: number) =>
    Array.from({ length: count }, (_, i) => ask({ type: "read" }, { tenant, key: `k${i}` }));
  const [a, b, c] = [of("a", 3), of("b", 3), of("c", 1)];
  t.like(await a[2], full);
  t.like(await b[2], full);
  t.like(await c[0], full);
  t.like(await b[1], { response: { sum: 0 } });
  t.like(await ask({ type: "read" }, { tenant: "c" }), { response: { sum: 0 } });
});

test("over the bytes of one tenant's share the caller is told at once, and another tenant is not", async (t) => {
  const { ask } = await startFixture({ limits: { tenantMailboxBytesMax: 10_000 } });
  const add = { type: "add", amount: 1, text: "x".repeat(6_000) } as const;
  const [first, second, other] = await Promise.all([
    ask(add, { tenant: "a", key: "k1" }),
    ask(add, { tenant: "a", key: "k2" }),
    ask(add, { tenant: "b", key: "k1" }),
  ]);
  t.like(first, { response: { sum: 1 } });
  t.like(second, full);
  t.like(other, { response: { sum: 1 } });
  t.like(await ask(add, { tenant: "a", key: "k2" }), { response: { sum: 1 } });
});

test("over the bytes of the thread's mailboxes the caller is told at once, whichever tenant it is of", async (t) => {
  const { ask } = await startFixture({ limits: { threadMailboxBytesMax: 10_000 } });
  const add = { type: "add", amount: 1, text: "x".repeat(6_000) } as const;
  const [first, second] = await Promise.all([ask(add, { tenant: "a" }), ask(add, { tenant: "b" })]);
  t.like(first, { response: { sum: 1 } });
  t.like(second, full);
  t.like(await ask(add, { tenant: "b" }), { response: { sum: 1 } });
});

test("a caller that asks again while it is told of a failure, and has no room, leaves its tenant's count as it is", async (t) => {
  const failing = new Set<number>();
  const silent = new Set<number>();
  const interference: Interference = {
    before: (operation) => {
      if (operation.type !== "scan") return "proceed";
      if (failing.has(operation.shard)) return { type: "fail", kind: "unavailable" };
      return silent.has(operation.shard) ? new Promise(() => undefined) : "proceed";
    },
  };
  const { runtime, world } = await startFixture({ interference, limits: { tenantMailboxBytesMax: 10_000 } });
  const answers: Answer[] = [];
  const post = (key: string, length: number, reply = (answer: Answer) => void answers.push(answer)) =>
    runtime.post(
      {
        to: { kind: "notebook", tenant: "t", key },
        method: "Notebook.Do",
        request: { command: { type: "add", amount: 1, text: "x".repeat(length) } },
        caller: callerOf("t"),
        deadlineMs: world.nowMs + 60_000,
      },
      reply,
    );
  const shardOfKey = (key: string) => shardOf({ kind: "notebook", tenant: "t", key }, "key", 8);
  t.not(shardOfKey("a"), shardOfKey("b"));
  failing.add(shardOfKey("a"));
  silent.add(shardOfKey("b"));
  post("b", 5_000);
  post("a", 1, (answer) => {
    answers.push(answer);
    post("a", 6_000);
  });
  await settle();
  post("c", 6_000);
  await settle();
  t.like(answers, [{ code: "UNAVAILABLE" }, full, full]);
  runtime.stop();
});

test("what waits past its deadline is not run", async (t) => {
  const { ask, world } = await startFixture();
  const deadlineMs = world.nowMs - 1;
  t.like(await ask({ type: "add", amount: 1 }, { deadlineMs }), { code: "TIMEOUT" });
  t.like(await ask({ type: "read" }), { response: { sum: 0 } });
});

test("while the disk is slow no more is decided than fits: the rest waits in bounded mailboxes or is refused", async (t) => {
  let release = () => {};
  const slow = new Promise<void>((resolve) => {
    release = resolve;
  });
  const interference: Interference = {
    before: (operation) => (operation.type === "append" ? slow.then(() => "proceed" as const) : "proceed"),
  };
  const { ask, runtime } = await startFixture({
    interference,
    limits: { batchEntriesMax: 10, mailboxDepthMax: 50, shardCount: 8 },
  });
  const answers: Promise<Answer>[] = [];
  for (let i = 0; i < 200; i++) {
    answers.push(ask({ type: "add", amount: 1 }));
    if (i % 10 === 9) await settle();
  }
  const [stats] = await runtime.stats();
  const undurable = stats!.shards.reduce((sum, shard) => sum + shard.decidedSeq - shard.durableSeq, 0);
  t.true(undurable <= 2 * 10 + 32, `${undurable} are decided and not durable`);
  t.is(stats!.mailboxDepth, 50);
  t.is(
    stats!.shards.reduce((sum, shard) => sum + shard.mailboxDepth, 0),
    50,
  );
  release();
  const settled = await Promise.all(answers);
  const taken = settled.filter((answer) => "response" in answer).length;
  t.is(
    taken + settled.filter((answer) => "refused" in answer && answer.reason === "MAILBOX_FULL").length,
    200,
  );
  t.like(await ask({ type: "read" }), { response: { sum: taken } });
  const [calm] = await runtime.stats();
  t.true(calm!.shards.every((shard) => shard.mailboxDepth === 0 && shard.mailboxBytes === 0));
});

test("a tenant with much waiting does not keep another from running", async (t) => {
  const { ask } = await startFixture();
  await ask({ type: "read" }, { tenant: "busy" });
  await ask({ type: "read" }, { tenant: "calm" });
  const order: string[] = [];
  const busy = Array.from({ length: 1_000 }, () =>
    ask({ type: "read" }, { tenant: "busy" }).then(() => order.push("busy")),
  );
  const calm = ask({ type: "read" }, { tenant: "calm" }).then(() => order.push("calm"));
  await Promise.all([...busy, calm]);
  t.true(order.indexOf("calm") < 100, `the calm tenant came ${order.indexOf("calm")}th`);
});

test("commands that do the work of many do not keep another tenant from running: each counts as many", async (t) => {
  const { ask } = await startFixture();
  await ask({ type: "read" }, { tenant: "busy" });
  await ask({ type: "read" }, { tenant: "calm" });
  const order: string[] = [];
  const busy = Array.from({ length: 30 }, () =>
    ask({ type: "read", spend: 100 * limits.commandSteps }, { tenant: "busy" }).then(() =>
      order.push("busy"),
    ),
  );
  const calm = ask({ type: "read" }, { tenant: "calm" }).then(() => order.push("calm"));
  await Promise.all([...busy, calm]);
  t.true(order.indexOf("calm") < 5, `the calm tenant came ${order.indexOf("calm")}th`);
});

test("many messages and timers do not keep a caller from being served, nor do commands that have waited for rows", async (t) => {
  let ran = 0;
  let atFirst = () => {};
  const definition = defineActor<object, "set" | "fired" | "load", "set">({
    kind: "clock",
    placement: "key",
    empty: () => ({}),
    resident: [],
    restore: () => undefined,
    decide(_state, command, context) {
      if (command === "set") return { events: ["set"] };
      const ref = { collection: "rows", key: [1] };
      if (command === "load" && context.row(ref) === undefined) return { events: [] };
      if (++ran === 1) atFirst();
      return { events: [] };
    },
    apply: (_state, _event, rows) => rows.setTimer("t", rows.now + 1_000),
    onTimer: () => "fired",
    methods: {
      "Clock.Do": { command: (request) => request as "set", respond: () => ran },
    },
  });
  const { runtime, world } = await startFixture({ definitions: [definition], limits: { shardCount: 1 } });
  const ask = (tenant: string, key: string, request: string) =>
    runtime.ask({
      to: { kind: "clock", tenant, key },
      method: "Clock.Do",
      request,
      caller: {
        tenant,
        subject: "s",
        owner: "s",
        principalKind: "user",
        requestId: "r",
        environmentMode: "any",
        platform: false,
      },
      deadlineMs: world.nowMs + 60_000,
    });
  const keys = Array.from({ length: 200 }, (_, i) => `k${i}`);
  await ask("calm", "k", "fired");
  for (const begin of [
    async () => {
      await Promise.all(keys.map((key) => ask("busy", key, "set")));
      return () => world.advance(1_000);
    },
    async () => () => Promise.all(keys.map((key) => ask("busy", key, "load"))),
  ]) {
    const act = await begin();
    let calm: Promise<Answer> | undefined;
    ran = 0;
    atFirst = () => {
      calm = ask("calm", "k", "fired");
    };
    await act();
    const { response } = (await calm) as { response: number };
    t.true(response < 40, `the calm tenant came ${response}th`);
  }
});

test("long polls are bounded per entity, tenant and thread, by count and by bytes, and make room when they are answered", async (t) => {
  const bounds = {
    parkedMax: "entity",
    parkedBytesMax: "entity",
    tenantParkedMax: "tenant",
    tenantParkedBytesMax: "tenant",
    threadParkedMax: "server",
    threadParkedBytesMax: "server",
  } as const;
  for (const [name, whose] of Object.entries(bounds)) {
    const { ask, world, runtime } = await startFixture({
      limits: { [name]: name.includes("Bytes") ? 250 : 2 },
    });
    const poll = (key: string, tenant: string, once?: string) =>
      ask({ type: "await", sum: 10, untilMs: world.nowMs + 10_000 }, { key, tenant, ...(once && { once }) });
    // A repeat waits for the same thing, and takes as much room.
    const waiting = [poll("a", "t", "k"), poll("a", "t", "k")];
    await settle();
    t.is((await runtime.stats())[0]!.parked, 2, name);
    const places: Record<typeof whose, readonly [string, string]> = {
      entity: ["a", "t"],
      tenant: ["b", "t"],
      server: ["b", "u"],
    };
    t.like(await poll(...places[whose]), { ...full, detail: `too many requests wait for this ${whose}` });
    if (whose !== "server") waiting.push(poll("b", "u"));
    await settle();
    await ask({ type: "add", amount: 10 });
    await ask({ type: "add", amount: 10 }, { key: "b", tenant: "u" });
    for (const answer of await Promise.all(waiting)) t.like(answer, { response: { sum: 10 } });
    t.is((await runtime.stats())[0]!.parked, 0, name);
    const next = poll("c", "t");
    await settle();
    t.is((await runtime.stats())[0]!.parked, 1);
    await world.advance(11_000);
    t.like(await next, { response: { sum: 0 } });
    t.is((await runtime.stats())[0]!.parked, 0);
  }
});

test("who only watches has a bound of its own, and takes no place of those that wait for work", async (t) => {
  const { ask, world, runtime } = await startFixture({ limits: { parkedMax: 2, watchingMax: 3 } });
  const untilMs = world.nowMs + 10_000;
  const waits = () => ask({ type: "await", sum: 10, untilMs });
  const watches = () => ask({ type: "await", sum: 10, untilMs, watches: true });
  const watching = [watches(), watches(), watches()];
  await settle();
  t.like(await watches(), full);
  const waiting = [waits(), waits()];
  await settle();
  t.like(await waits(), full);
  t.is((await runtime.stats())[0]!.parked, 5);
  await ask({ type: "add", amount: 10 });
  for (const answer of await Promise.all([...watching, ...waiting]))
    t.like(answer, { response: { sum: 10 } });
  t.is((await runtime.stats())[0]!.parked, 0);
});

test("long polls of a shard that is dropped make room", async (t) => {
  let outcome: "proceed" | { type: "unknown"; applied: boolean } = "proceed";
  const { ask, world, runtime } = await startFixture({
    limits: { shardCount: 1, threadParkedMax: 2 },
    interference: { before: ({ type }) => (type === "append" ? outcome : "proceed") },
  });
  const poll = (once?: string) =>
    ask({ type: "await", sum: 10, untilMs: world.nowMs + 10_000 }, { key: "a", ...(once && { once }) });
  const waiting = [poll("k"), poll("k")];
  await settle();
  outcome = { type: "unknown", applied: false };
  t.like(await ask({ type: "add", amount: 1 }, { key: "b" }), { code: "UNAVAILABLE" });
  for (const answer of await Promise.all(waiting)) t.like(answer, { code: "UNAVAILABLE" });
  t.is((await runtime.stats())[0]!.parked, 0);
});
