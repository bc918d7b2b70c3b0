import test from "ava";
import { limits } from "#base";
import { type Interference, MemoryStore, openMemory, type Verdict } from "../storage/memory/index.ts";
import { callerOf, type Fixture, settle, startFixture } from "../test/support/runtime/fixture.ts";
import { cover, notebook } from "../test/support/runtime/notebook.ts";
import { defineActor } from "./actor.ts";
import { shardOf } from "./placement.ts";
import type { PublishedEvent } from "./shard/published.ts";
import { Thread } from "./thread/thread.ts";

test("a message is applied by its target, and an answer that awaits it comes after that", async (t) => {
  const { ask } = await startFixture();
  await ask({ type: "add", amount: 5, send: "b", delivered: true });
  t.like(await ask({ type: "read" }, { key: "b" }), { response: { sum: 5, messages: 1 } });
});

test("messages from many entities to one arrive once each, and their rows go", async (t) => {
  const { ask, world, store } = await startFixture();
  const senders = Array.from({ length: 40 }, (_, i) => `s${i}`);
  for (let round = 0; round < 5; round++)
    await Promise.all(senders.map((key) => ask({ type: "add", amount: 1, send: "sink" }, { key })));
  await settle();
  t.like(await ask({ type: "read" }, { key: "sink" }), { response: { messages: 200, sum: 200 } });
  await world.advance(2_000);
  for (const [name, { keys }] of store.partitions) if (name.includes("~outbox")) t.is(keys.length, 0);
});

test("a message that needs rows is not overtaken by the next one", async (t) => {
  const { ask } = await startFixture();
  const sends = Array.from({ length: 20 }, (_, i) =>
    ask({ type: "add", amount: 1 + i, send: "b", careful: i % 2 === 0, delivered: true }),
  );
  await Promise.all(sends);
  t.like(await ask({ type: "read" }, { key: "b" }), { response: { messages: 20, sum: 210 } });
});

test("a command publishes and the next one sends or announces: nothing of the second leaves with the commit of the first", async (t) => {
  const source = shardOf({ kind: "notebook", tenant: "t", key: "a" }, "key", 8);
  const held: ((verdict: Verdict) => void)[] = [];
  let holds = false;
  const { ask, runtime, world } = await startFixture({
    interference: {
      before: (operation) =>
        holds && operation.type === "append" && operation.shard === source
          ? new Promise<Verdict>((resolve) => held.push(resolve))
          : "proceed",
    },
  });
  const heard: string[] = [];
  runtime.onBroadcast((topic) => heard.push(topic));
  await ask({ type: "add", amount: 1 });
  await ask({ type: "read" }, { key: "b" });
  await settle();
  holds = true;
  const first = ask({ type: "add", amount: 2, publish: true });
  await settle();
  const second = [ask({ type: "add", amount: 4, send: "b" }), ask({ type: "announce", topic: "x" })];
  await settle();
  held.shift()!("proceed");
  t.like(await first, { response: { sum: 3 } });
  await settle();
  t.is(held.length, 1);
  t.like(await ask({ type: "read" }, { key: "b" }), { response: { messages: 0 } });
  held.shift()!({ type: "fail", kind: "unavailable" });
  for (const answer of await Promise.all(second)) t.like(answer, { code: "UNAVAILABLE" });
  holds = false;
  await world.advance(20_000);
  t.like(await ask({ type: "read" }, { key: "b" }), { response: { messages: 0, sum: 0 } });
  t.deepEqual(heard, []);
});

test("large messages that do not arrive are in memory only as far as their bytes allow, and arrive in order later", async (t) => {
  const text = "x".repeat(100_000);
  const post = defineActor<{ got: number[] }, Posted, Posted>({
    kind: "post",
    placement: "key",
    empty: () => ({ got: [] }),
    resident: [],
    restore: () => undefined,
    decide: (_state, command) => ({ events: [command] }),
    apply(state, { type, number }, rows) {
      if (type === "get") state.got.push(number);
      else rows.send({ kind: "post", tenant: "t", key: "target" }, { number, text });
    },
    onMessage: (message) => ({ type: "get", number: (message as { number: number }).number }),
    methods: { post: { command: (request) => request as Posted, respond: ({ got }) => got } },
  });
  const target = shardOf({ kind: "post", tenant: "t", key: "target" }, "key", 8);
  let holds = true;
  const { runtime, world } = await startFixture({
    definitions: [post],
    interference: {
      before: (operation) =>
        holds && operation.type === "append" && operation.shard === target
          ? { type: "fail", kind: "unavailable" }
          : "proceed",
    },
  });
  const ask = (key: string, request: Posted) =>
    runtime.ask({
      to: { kind: "post", tenant: "t", key },
      method: "post",
      request,
      caller: callerOf("t"),
      deadlineMs: world.nowMs + 600_000,
    });
  const source = ["a", "b", "c"].find(
    (key) => shardOf({ kind: "post", tenant: "t", key }, "key", 8) !== target,
  )!;
  const numbers = Array.from({ length: 100 }, (_, i) => i);
  await Promise.all(numbers.map((number) => ask(source, { type: "send", number })));
  await settle();
  const waiting = (await runtime.insight())[0]!.shards.reduce((sum, shard) => sum + shard.outboxInMemory, 0);
  t.true(waiting > 0 && waiting * text.length < limits.outboxBytesMax * 1.25, `${waiting} in memory`);
  holds = false;
  for (let round = 0; round < 20; round++) await world.advance(5_000);
  const { response } = (await ask("target", { type: "get", number: 100 })) as { response: number[] };
  t.deepEqual(response, [...numbers, 100]);
});

interface Posted {
  readonly type: "send" | "get";
  readonly number: number;
}

test("crash after the commit and before the delivery: the message arrives after the restart, once", async (t) => {
  let cut = true;
  const interference: Interference = {
    // The target's shard cannot be read: the delivery cannot be applied.
    before: (operation) =>
      cut && operation.type === "scan" ? new Promise(() => undefined) : ("proceed" as const),
  };
  const first = await startFixture();
  await first.ask({ type: "read" });
  const second = await first.restart({ interference });
  void second.ask({ type: "add", amount: 5, send: "b" });
  await settle();
  cut = false;
  const third = await second.restart({ interference: {} });
  await third.ask({ type: "add", amount: 5, send: "b", delivered: true });
  const fourth = await third.restart();
  await settle();
  const { response } = (await fourth.ask({ type: "read" }, { key: "b" })) as {
    response: { messages: number; sum: number };
  };
  t.is(response.sum, response.messages * 5);
  t.true(response.messages >= 1);
});

test("a repeat after a crash is not told that its message has arrived while the outbox has not been read", async (t) => {
  const book = (key: string) => shardOf({ kind: "notebook", tenant: "t", key }, "key", 8);
  const awaits = { type: "add", amount: 5, send: "b", delivered: true } as const;
  let targetFails = true;
  let scans = 0;
  let read = () => {};
  const interference: Interference = {
    before(operation) {
      if (operation.type === "append" && operation.shard === book("b") && targetFails)
        return { type: "fail", kind: "unavailable" };
      // A tenure begins with its events, then its outbox.
      if (operation.type === "scan" && operation.shard === book("a") && ++scans === 2)
        return new Promise((resolve) => {
          read = () => resolve("proceed");
        });
      return "proceed";
    },
  };
  t.not(book("a"), book("b"));
  const first = await startFixture({
    interference: {
      before: (operation) => (operation.type === "scan" ? "proceed" : interference.before!(operation)),
    },
  });
  void first.ask(awaits, { once: "k" });
  await settle();
  const { ask, world } = await first.restart({ interference });
  t.like(await ask(awaits, { once: "k" }), { code: "UNAVAILABLE" });
  read();
  targetFails = false;
  await world.advance(10_000);
  t.like(await ask(awaits, { once: "k" }), { replayed: true });
  t.like(await ask({ type: "read" }, { key: "b" }), { response: { messages: 1, sum: 5 } });
});

test("a message that does not arrive: whoever waits for it is told in time, and it arrives later, once", async (t) => {
  const target = shardOf({ kind: "notebook", tenant: "t", key: "b" }, "key", 8);
  let fails = true;
  const { ask, world } = await startFixture({
    interference: {
      before: (operation) =>
        fails && operation.type === "append" && operation.shard === target
          ? { type: "fail", kind: "unavailable" }
          : "proceed",
    },
  });
  const awaits = { type: "add", amount: 5, send: "b", delivered: true } as const;
  const waiting = [ask(awaits, { once: "k" }), ask(awaits, { once: "k" })];
  await settle();
  await world.advance(12_000);
  for (const answer of await Promise.all(waiting))
    t.like(answer, { code: "UNAVAILABLE", retryAfterMs: 1_000 });
  fails = false;
  await world.advance(10_000);
  t.like(await ask(awaits, { once: "k" }), { response: { sum: 5 }, replayed: true });
  t.like(await ask({ type: "read" }, { key: "b" }), { response: { messages: 1, sum: 5 } });
});

test("a target that fails gets the message again until it can take it, and is not overtaken", async (t) => {
  let broken = true;
  const interference: Interference = {
    before: (operation) =>
      broken && operation.type === "append" && operation.shard === failing
        ? { type: "fail", kind: "unavailable" }
        : "proceed",
  };
  let failing = -1;
  const { ask, runtime, world } = await startFixture({ interference });
  await ask({ type: "read" }, { key: "b" });
  failing = (await runtime.actors({ failing: false }))[0]!.shard;
  const sender = ["s0", "s1", "s2", "s3", "s4", "s5"];
  for (const key of sender) {
    const answer = ask({ type: "add", amount: 1, send: "b" }, { key });
    await Promise.race([answer, settle()]);
  }
  broken = false;
  await world.advance(20_000);
  const { response } = (await ask({ type: "read" }, { key: "b" })) as { response: { messages: number } };
  const sent = await Promise.all(sender.map((key) => ask({ type: "read" }, { key })));
  const lines = sent.reduce(
    (sum, answer) => sum + (answer as { response: { lines: number } }).response.lines,
    0,
  );
  t.is(response.messages, lines);
});

test("where messages do not arrive, only so many callers wait for that", async (t) => {
  let target = -1;
  const { ask, runtime, world } = await startFixture({
    limits: { heldRepliesMax: 2 },
    interference: {
      before: (operation) =>
        operation.type === "append" && operation.shard === target
          ? { type: "fail", kind: "unavailable" }
          : "proceed",
    },
  });
  await ask({ type: "read" }, { key: "b" });
  target = (await runtime.actors({ failing: false }))[0]!.shard;
  const key = ["s0", "s1", "s2", "s3"].find(
    (name) => shardOf({ kind: "notebook", tenant: "t", key: name }, "key", 8) !== target,
  )!;
  const send = (once: string) => ask({ type: "add", amount: 1, send: "b", delivered: true }, { key, once });
  const waiting = [send("1"), send("2")];
  await settle();
  t.like(await send("3"), { code: "UNAVAILABLE", retryAfterMs: 1_000 });
  t.like(await send("3"), { code: "UNAVAILABLE", retryAfterMs: 1_000 });
  target = -1;
  await world.advance(10_000);
  for (const answer of await Promise.all(waiting)) t.like(answer, { replayed: false });
  t.like(await send("3"), { replayed: true });
  t.like(await ask({ type: "read" }, { key: "b" }), { response: { messages: 3 } });
});

test("messages that come again while they wait for their entity are refused, not kept twice", async (t) => {
  const from = { kind: "notebook", tenant: "t", key: "a" };
  const message = { amount: 5, careful: false };
  const delivery = { source: 3, to: { ...from, key: "b" }, messages: [{ number: 1, from, message }] };
  const { world } = await startFixture();
  const thread = new Thread({
    storage: openMemory(new MemoryStore()),
    definitions: [notebook, cover],
    world,
    limits: { shardCount: 1 },
  });
  await thread.open([0], 1);
  const answers: unknown[] = [];
  const deliver = () => thread.deliver(delivery, (refusal) => answers.push(refusal));
  deliver();
  deliver();
  t.is(answers.length, 1);
  t.like(answers[0], { code: "UNAVAILABLE" });
  await settle();
  deliver();
  await settle();
  t.deepEqual(answers.slice(1), [undefined, undefined]);
  thread.stop();
});

test("a broadcast is heard after its commit", async (t) => {
  const { ask, runtime } = await startFixture();
  const heard: unknown[] = [];
  runtime.onBroadcast((topic, payload) => heard.push([topic, payload]));
  await ask({ type: "announce", topic: "news" });
  t.deepEqual(heard, [["news", { from: "a" }]]);
});

test("a listener that throws keeps neither other listeners from hearing nor callers from their answers", async (t) => {
  const logged: string[] = [];
  const { ask, runtime } = await startFixture({
    logger: { error: (_, text) => void logged.push(text!), warn: () => {}, info: () => {} },
  });
  const heard: string[] = [];
  runtime.onBroadcast(() => {
    throw new Error("not today");
  });
  runtime.onBroadcast((topic) => heard.push(topic));
  const answers = await Promise.all([ask({ type: "announce", topic: "x" }), ask({ type: "add", amount: 1 })]);
  t.like(answers, [{ replayed: false }, { response: { sum: 1 } }]);
  t.deepEqual(heard, ["x"]);
  t.deepEqual(logged, ["a listener failed when it was told of a broadcast"]);
});

test("a broadcast whose commit outlived its tenure is heard from the next, and then never again", async (t) => {
  let verdict: Verdict = "proceed";
  const interference: Interference = {
    before: (operation) => (operation.type === "append" ? verdict : "proceed"),
  };
  const first = await startFixture({ interference });
  const heard: unknown[] = [];
  first.runtime.onBroadcast((topic, payload) => heard.push([topic, payload]));
  await first.ask({ type: "read" });
  verdict = { type: "unknown", applied: true };
  const lost = first.ask({ type: "announce", topic: "news" });
  await settle();
  verdict = "proceed";
  t.like(await lost, { refused: true, code: "UNAVAILABLE" });
  await first.world.advance(1_000);
  t.deepEqual(heard, [["news", { from: "a" }]]);
  await first.world.advance(1_000);
  const second = await first.restart({});
  second.runtime.onBroadcast((topic, payload) => heard.push([topic, payload]));
  await second.ask({ type: "read" });
  await second.world.advance(1_000);
  t.is(heard.length, 1);
});

async function take(events: AsyncIterable<PublishedEvent>, count: number): Promise<PublishedEvent[]> {
  const taken: PublishedEvent[] = [];
  for await (const event of events) {
    taken.push(event);
    if (taken.length === count) break;
  }
  return taken;
}

test("a subscriber gets what is published after its cursor, in the order of each shard, and goes on after a restart", async (t) => {
  const first = await startFixture();
  const { signal } = new AbortController();
  const start = new Map(Array.from({ length: 8 }, (_, shard) => [shard, 0]));
  for (let i = 1; i <= 3; i++) await first.ask({ type: "add", amount: i, publish: true });
  const live = take(first.runtime.subscribe(start, signal), 5);
  await settle();
  for (let i = 4; i <= 5; i++) await first.ask({ type: "add", amount: i, publish: true });
  const events = await live;
  t.deepEqual(
    events.map((event) => event.payload),
    [1, 2, 3, 4, 5].map((amount) => ({ amount })),
  );
  t.like(events[0], { kind: "line.added", subject: "a", tenant: "t", index: 0 });
  const cursor = new Map([...start, [events[2]!.shard, events[2]!.seq]]);
  const second = await first.restart();
  const rest = await take(second.runtime.subscribe(cursor, signal), 2);
  t.deepEqual(
    rest.map((event) => event.payload),
    [{ amount: 4 }, { amount: 5 }],
  );
});

test("a subscriber without a cursor that comes while a shard is opened gets what comes next, not what was", async (t) => {
  let opens = (): void => {};
  const opening = new Promise<Verdict>((resolve) => {
    opens = () => resolve("proceed");
  });
  const book = shardOf({ kind: "notebook", tenant: "t", key: "a" }, "key", 8);
  let verdict: Verdict = "proceed";
  const { ask, runtime, world } = await startFixture({
    interference: {
      before: (operation) => {
        if (operation.type === "append") return verdict;
        return operation.type === "replay" && verdict !== "proceed" ? opening : "proceed";
      },
    },
  });
  await ask({ type: "add", amount: 1, publish: true });
  verdict = { type: "unknown", applied: false };
  t.like(await ask({ type: "add", amount: 2, publish: true }), { code: "UNAVAILABLE" });
  t.is((await runtime.insight())[0]!.shards.find(({ shard }) => shard === book)!.status, "opening");
  const next = take(runtime.subscribe(new Map(), new AbortController().signal), 1);
  await settle();
  verdict = "proceed";
  opens();
  await settle();
  await world.advance(6_000);
  await ask({ type: "add", amount: 3, publish: true });
  await world.advance(6_000);
  t.deepEqual((await next)[0]!.payload, { amount: 3 });
});

/** Three events half a day apart: the first is forgotten by the end. */
async function publishOverDays({ ask, world }: Fixture): Promise<void> {
  for (let amount = 1; amount <= 3; amount++) {
    await ask({ type: "add", amount, publish: true });
    world.nowMs += 13 * 3_600_000;
    // Until the clock is believed.
    await world.advance(32_000);
  }
}

test("events are forgotten after their time, and a cursor before that is told so", async (t) => {
  const fixture = await startFixture();
  await publishOverDays(fixture);
  const { runtime } = fixture;
  const [insight] = await runtime.insight();
  const old = new Map(insight!.shards.map(({ shard }) => [shard, 0]));
  await t.throwsAsync(take(runtime.subscribe(old, new AbortController().signal), 1), {
    message: /CURSOR_EXPIRED/,
  });
});

test("a cursor that is too old is told so, also when the first reads of a new tenure fail", async (t) => {
  const first = await startFixture();
  await publishOverDays(first);
  await first.ask({ type: "read" });
  const { shard } = (await first.runtime.actors({ failing: false }))[0]!;
  let gets = 0;
  const { runtime, world } = await first.restart({
    interference: {
      // The first is of the shard's time, while it is opened.
      before: (operation) =>
        operation.type === "get" && operation.shard === shard && ++gets === 2
          ? { type: "fail", kind: "unavailable" }
          : "proceed",
    },
  });
  const found = take(runtime.subscribe(new Map([[shard, 0]]), new AbortController().signal), 1);
  await Promise.race([found.catch(() => undefined), world.advance(2_000)]);
  await t.throwsAsync(found, { message: /CURSOR_EXPIRED/ });
});

test("a shard with more events than a page holds does not hide those of another", async (t) => {
  const { ask, runtime } = await startFixture();
  const shardOfBook = async (key: string) =>
    (await runtime.actors({ failing: false })).find(({ address }) => address.key === key)!.shard;
  for (const key of ["a", "b"]) await ask({ type: "read" }, { key });
  const [busy, calm] = [await shardOfBook("a"), await shardOfBook("b")].sort((one, other) => other - one);
  const [hot, cold] = (await shardOfBook("a")) === busy ? ["a", "b"] : ["b", "a"];
  t.not(busy, calm);
  await ask({ type: "add", amount: 1, publish: true }, { key: cold! });
  await Promise.all(
    Array.from({ length: 1_000 }, () => ask({ type: "add", amount: 1, publish: true }, { key: hot! })),
  );
  const cursor = new Map([
    [busy!, 0],
    [calm!, 0],
  ]);
  const events = await take(runtime.subscribe(cursor, new AbortController().signal), 200);
  t.true(events.some(({ shard }) => shard === calm));
});
