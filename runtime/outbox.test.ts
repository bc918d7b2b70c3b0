import test from "ava";
import { limits, Random } from "#base";
import { type Interference, MemoryStore, openMemory, type Verdict } from "../storage/memory/index.ts";
import { callerOf, settle, startFixture } from "../test/support/runtime/fixture.ts";
import { cover, notebook } from "../test/support/runtime/notebook.ts";
import { defineActor } from "./actor.ts";
import { shardOf } from "./placement.ts";
import type { RuntimeLimits } from "./thread/limits.ts";
import { Thread } from "./thread/thread.ts";

test("a message is applied by its target, and an answer that awaits it comes after that", async (t) => {
  const { ask } = await startFixture();
  await ask({ type: "add", amount: 5, send: "b", delivered: true });
  t.like(await ask({ type: "read" }, { key: "b" }), { response: { sum: 5, messages: 1 } });
});

test("a message of a type that only the next version knows: it waits, its target goes on, and the next version applies it", async (t) => {
  const older = { ...notebook, onMessage: () => ({ type: "of the next version" }) };
  const first = await startFixture({ definitions: [older, cover] });
  await first.ask({ type: "add", amount: 5, send: "b" });
  await first.world.advance(30_000);
  t.like(await first.ask({ type: "add", amount: 1 }, { key: "b" }), { response: { sum: 1, messages: 0 } });
  const second = await first.restart({ definitions: [notebook, cover] });
  await settle();
  t.like(await second.ask({ type: "read" }, { key: "b" }), { response: { sum: 6, messages: 1 } });
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
  const { post, inMemory, release } = await startPosts();
  const numbers = Array.from({ length: 100 }, (_, i) => i);
  await Promise.all(numbers.map((number) => post("source", { type: "send", number, to: "stuck" })));
  await settle();
  const waiting = await inMemory();
  t.true(waiting * postedText.length < limits.outboxBytesMax * 1.25, `${waiting} in memory`);
  await release();
  t.deepEqual(await post("stuck", { type: "get", number: 100 }), [...numbers, 100]);
});

test("a target takes nothing, and its messages fill the memory of the outbox: the others get theirs, and it gets all of its own later", async (t) => {
  const { post, release } = await startPosts();
  const send = (number: number, to: PostKey) => post("source", { type: "send", number, to });
  for (let number = 0; number < 40; number++) {
    await send(number, "stuck");
    await settle();
  }
  await send(40, "free");
  await settle();
  t.deepEqual(await post("free", { type: "get", number: 0 }), [40, 0]);
  for (let number = 41; number < 60; number++) await send(number, "stuck");
  await send(60, "free");
  await settle();
  t.deepEqual(await post("free", { type: "get", number: 0 }), [40, 0, 60, 0]);
  await release();
  const own = [...Array(60).keys()].filter((number) => number !== 40);
  t.deepEqual(await post("stuck", { type: "get", number: 0 }), [...own, 0]);
});

test("more targets take nothing than may have a place of their own: the others wait for them, and every message arrives once and in order", async (t) => {
  const { post, release } = await startPosts({ outboxCursorsMax: 0 });
  const send = (number: number, to: PostKey) => post("source", { type: "send", number, to });
  for (let number = 0; number < 40; number++) {
    await send(number, "stuck");
    await settle();
  }
  await send(40, "free");
  await settle();
  t.deepEqual(await post("free", { type: "get", number: 0 }), [0]);
  await release();
  t.deepEqual(await post("free", { type: "get", number: 0 }), [0, 40, 0]);
  t.deepEqual(await post("stuck", { type: "get", number: 0 }), [...Array(40).keys(), 0]);
});

for (const seed of ["a", "b", "c", "d"])
  test(`shards that take nothing come and go (seed ${seed}): every message arrives once and in order`, async (t) => {
    const random = new Random(seed);
    const closed = new Set<number>();
    const targets = Array.from({ length: 12 }, (_, i) => `t${i}`);
    const { post, world } = await startPosts({ outboxMessagesMax: 8, outboxCursorsMax: 3 }, closed);
    const sent = new Map(targets.map((key) => [key, [] as number[]]));
    const shards = targets.map((key) => shardOf(addressOf(key), "key", 8));
    const source = shardOf(addressOf("source"), "key", 8);
    for (let number = 1; number <= 300; number++) {
      const to = targets[random.int(targets.length)]!;
      sent.get(to)!.push(number);
      await post("source", { type: "send", number, to });
      if (random.int(10) === 0) closed.clear();
      const shard = shards[random.int(shards.length)]!;
      if (random.int(4) === 0 && shard !== source) closed.add(shard);
      if (random.int(3) === 0) await world.advance(random.int(8_000));
    }
    closed.clear();
    for (let round = 0; round < 40; round++) await world.advance(5_000);
    for (const key of targets)
      t.deepEqual(await post(key, { type: "get", number: 0 }), [...sent.get(key)!, 0], key);
  });

type PostKey = string;

interface Posted {
  readonly type: "send" | "get";
  readonly number: number;
  readonly to?: PostKey;
}

const postedText = "x".repeat(100_000);

/** Entities that send each other large messages; the shard of one of them takes no change until it is released. */
async function startPosts(changed: Partial<RuntimeLimits> = {}, closed?: Set<number>) {
  const definition = defineActor<{ got: number[] }, Posted, Posted>({
    kind: "post",
    placement: "key",
    empty: () => ({ got: [] }),
    resident: ["got"],
    restore: (state, { value }) => state.got.push(...(value as number[])),
    decide: (_state, command) => ({ events: [command] }),
    apply(state, { type, number, to }, rows) {
      if (type === "get") {
        state.got.push(number);
        rows.put("got", [], [...state.got]);
      } else rows.send(addressOf(to!), { number, text: postedText });
    },
    onMessage: (message) => ({ type: "get", number: (message as { number: number }).number }),
    methods: { post: { command: (request) => request as Posted, respond: ({ got }) => [...got] } },
  });
  const closedShards = closed ?? new Set([shardOf(addressOf("stuck"), "key", 8)]);
  const { runtime, world } = await startFixture({
    definitions: [definition],
    limits: changed,
    interference: {
      before: (operation) =>
        operation.type === "append" && closedShards.has(operation.shard)
          ? { type: "fail", kind: "unavailable" }
          : "proceed",
    },
  });
  return {
    world,
    async post(key: PostKey, request: Posted): Promise<number[]> {
      const answer = await runtime.ask({
        to: addressOf(key),
        method: "post",
        request,
        caller: callerOf("t"),
        deadlineMs: world.nowMs + 600_000,
      });
      return (answer as { response: number[] }).response;
    },
    async inMemory(): Promise<number> {
      return (await runtime.stats())[0]!.shards.reduce((sum, shard) => sum + shard.outboxInMemory, 0);
    },
    async release(): Promise<void> {
      closedShards.clear();
      for (let round = 0; round < 20; round++) await world.advance(5_000);
    },
  };
}

/** By these keys the stuck one is alone in its shard. */
function addressOf(post: PostKey) {
  return { kind: "post", tenant: "t", key: post };
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
      // An ownership term begins with its events, then its outbox.
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

test("a message that does not arrive: the caller that waits for it is told in time, and it arrives later, once", async (t) => {
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
    limits: { gatedRepliesMax: 2 },
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
