import test from "ava";
import { isRefusal, limits } from "#base";
import { openMemory, type Verdict } from "../storage/memory/index.ts";
import { eventsOf } from "../test/support/runtime/events.ts";
import { callerOf, type Fixture, settle, startFixture } from "../test/support/runtime/fixture.ts";
import { cover, notebook } from "../test/support/runtime/notebook.ts";
import { defineActor } from "./actor.ts";
import type { EventPage, PublishedEvent } from "./event-page.ts";
import { pollEvents } from "./events.ts";
import { shardOf } from "./placement.ts";
import { EventReaders } from "./thread/event-readers.ts";
import { Thread } from "./thread/thread.ts";

test("a subscriber gets what is published after its cursor, in the order of each shard, and goes on after a restart", async (t) => {
  const first = await startFixture();
  const { signal } = new AbortController();
  const start = new Map(Array.from({ length: 8 }, (_, shard) => [shard, 0]));
  for (let i = 1; i <= 3; i++) await first.ask({ type: "add", amount: i, publish: true });
  const live = take(eventsOf(first.runtime.subscribe({ tenant: "t", cursor: start }, signal)), 5);
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
  const rest = await take(eventsOf(second.runtime.subscribe({ tenant: "t", cursor: cursor }, signal)), 2);
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
  t.is((await runtime.stats())[0]!.shards.find(({ shard }) => shard === book)!.status, "opening");
  const next = take(
    eventsOf(runtime.subscribe({ tenant: "t", cursor: new Map() }, new AbortController().signal)),
    1,
  );
  await settle();
  verdict = "proceed";
  opens();
  await settle();
  await world.advance(6_000);
  await ask({ type: "add", amount: 3, publish: true });
  await world.advance(6_000);
  t.deepEqual((await next)[0]!.payload, { amount: 3 });
});

test("a shard that a thread takes while a subscriber waits there goes on from the cursor", async (t) => {
  const { ask, world, store } = await startFixture();
  await ask({ type: "add", amount: 1, publish: true });
  const thread = new Thread({
    storage: openMemory(store),
    definitions: [notebook, cover],
    world,
    limits: { shardCount: 8 },
  });
  const taken = shardOf({ kind: "notebook", tenant: "t", key: "a" }, "key", 8);
  let found: EventPage | undefined;
  pollEvents(thread, { tenant: "t", cursor: new Map([[taken, 0]]) }, 5_000, (page) => {
    if (!isRefusal(page)) found = page;
  });
  await thread.open([taken], 2);
  await world.advance(6_000);
  t.deepEqual(
    found?.events.map(({ payload }) => payload),
    [{ amount: 1 }],
  );
});

test("events are forgotten after their time, and a cursor before that is told so", async (t) => {
  const fixture = await startFixture();
  await publishOverDays(fixture);
  const { runtime } = fixture;
  const [stats] = await runtime.stats();
  const old = new Map(stats!.shards.map(({ shard }) => [shard, 0]));
  await t.throwsAsync(
    take(eventsOf(runtime.subscribe({ tenant: "t", cursor: old }, new AbortController().signal)), 1),
    {
      message: /CURSOR_EXPIRED/,
    },
  );
});

test("events are forgotten after their time, however often a shard is taken anew", async (t) => {
  let fixture = await startFixture();
  for (let amount = 1; amount <= 60; amount++) {
    await fixture.ask({ type: "add", amount, publish: true });
    await passHours(fixture, 0.5);
    fixture = await fixture.restart();
  }
  await fixture.ask({ type: "add", amount: 61, publish: true });
  await fixture.world.advance(2_000);
  const [stats] = await fixture.runtime.stats();
  const old = new Map(stats!.shards.map(({ shard }) => [shard, 0]));
  await t.throwsAsync(
    take(eventsOf(fixture.runtime.subscribe({ tenant: "t", cursor: old }, new AbortController().signal)), 1),
    {
      message: /CURSOR_EXPIRED/,
    },
  );
});

test("events that are forgotten while they are read: the subscriber is told, not given the next ones", async (t) => {
  let held: Promise<Verdict> | "proceed" = "proceed";
  let goOn = () => {};
  const fixture = await startFixture({
    interference: { before: ({ type }) => (type === "scan" ? held : "proceed") },
  });
  const { ask, world, runtime } = fixture;
  for (const amount of [1, 2]) {
    await ask({ type: "add", amount, publish: true });
    await passHours(fixture, 23);
  }
  const [stats] = await runtime.stats();
  const start = new Map(stats!.shards.map(({ shard }) => [shard, 0]));
  held = new Promise((resolve) => {
    goOn = () => resolve("proceed");
  });
  const found = take(
    eventsOf(runtime.subscribe({ tenant: "t", cursor: start }, new AbortController().signal)),
    1,
  );
  await settle();
  await passHours(fixture, 2);
  held = "proceed";
  goOn();
  await Promise.race([found.catch(() => undefined), world.advance(10_000)]);
  await t.throwsAsync(found, { message: /CURSOR_EXPIRED/ });
});

test("events that another owner has forgotten are not passed over by the one it has replaced", async (t) => {
  const keepsLonger = { publishedKeptMs: 100 * 3_600_000 };
  const first = await startFixture({ provenMs: () => 0, limits: keepsLonger });
  await publishOverDays(first);
  const [stats] = await first.runtime.stats();
  const start = new Map(stats!.shards.map(({ shard }) => [shard, 0]));
  const second = await startFixture({}, first.world, first.store);
  await first.world.advance(2_000);
  const { signal } = new AbortController();
  await t.throwsAsync(take(eventsOf(second.runtime.subscribe({ tenant: "t", cursor: start }, signal)), 1), {
    message: /CURSOR_EXPIRED/,
  });
  const seen: number[] = [];
  const looked = ({ events }: EventPage) => void seen.push(...events.map(({ seq }) => seq));
  void take(eventsOf(first.runtime.subscribe({ tenant: "t", cursor: start }, signal), looked), 1);
  await first.world.advance(6_000);
  t.deepEqual(seen, []);
});

test("a cursor that is too old is told so, also when the first reads of a new ownership term fail", async (t) => {
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
  const from = { tenant: "t", cursor: new Map([[shard, 0]]) };
  const found = take(eventsOf(runtime.subscribe(from, new AbortController().signal)), 1);
  await Promise.race([found.catch(() => undefined), world.advance(2_000)]);
  await t.throwsAsync(found, { message: /CURSOR_EXPIRED/ });
});

test("given an event that is published while a shard reads which events are kept, then it is read once", async (t) => {
  let goOn = () => {};
  const held = new Promise<Verdict>((resolve) => {
    goOn = () => resolve("proceed");
  });
  const opened = new Set<number>();
  const { ask, runtime } = await startFixture({
    interference: {
      // The first of each shard is of the events that are kept.
      before: (operation) => {
        if (operation.type !== "scan" || opened.has(operation.shard)) return "proceed";
        opened.add(operation.shard);
        return held;
      },
    },
  });
  await ask({ type: "add", amount: 1, publish: true });
  goOn();
  await settle();
  await ask({ type: "add", amount: 2, publish: true });
  const past = (await runtime.pastEvents("t", { sinceMs: 0, limit: 10 })) as readonly PublishedEvent[];
  t.deepEqual(
    past.map(({ payload }) => payload),
    [{ amount: 2 }, { amount: 1 }],
  );
  const cursor = new Map(Array.from({ length: 8 }, (_, shard) => [shard, 0]));
  const read = await take(
    eventsOf(runtime.subscribe({ tenant: "t", cursor }, new AbortController().signal)),
    2,
  );
  t.deepEqual(
    read.map(({ payload }) => payload),
    [{ amount: 1 }, { amount: 2 }],
  );
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
  const events = await take(
    eventsOf(runtime.subscribe({ tenant: "t", cursor: cursor }, new AbortController().signal)),
    200,
  );
  t.true(events.some(({ shard }) => shard === calm));
});

test("a look for events ends when it holds enough bytes of them; the next goes on, and none is missed", async (t) => {
  const text = "x".repeat(100_000);
  const loud = defineActor<null, number, number>({
    kind: "loud",
    placement: "key",
    empty: () => null,
    resident: [],
    restore: () => undefined,
    decide: (_state, number) => ({ events: [number] }),
    apply: (_state, number, rows) => rows.publish("loud.said", "s", { number, text }),
    methods: { say: { command: (request) => request as number, respond: () => null } },
  });
  const { runtime, world } = await startFixture({ definitions: [loud] });
  const say = (key: string, request: number) =>
    runtime.ask({
      to: { kind: "loud", tenant: "t", key },
      method: "say",
      request,
      caller: callerOf("t"),
      deadlineMs: world.nowMs + 60_000,
    });
  const keys = Array.from({ length: 16 }, (_, i) => `k${i}`);
  for (let number = 1; number <= 5; number++) await Promise.all(keys.map((key) => say(key, number)));
  const [stats] = await runtime.stats();
  const start = new Map(stats!.shards.map(({ shard }) => [shard, 0]));
  const pages: number[] = [];
  const looked = ({ events }: EventPage) => void pages.push(events.length);
  const events = await take(
    eventsOf(runtime.subscribe({ tenant: "t", cursor: start }, new AbortController().signal), looked),
    80,
  );
  const pageMax = Math.ceil(limits.eventPageBytesMax / text.length);
  t.true(
    pages.every((count) => count <= pageMax),
    `${pages} events, of which ${pageMax} are enough`,
  );
  t.is(new Set(events.map(({ shard, seq, index }) => `${shard} ${seq} ${index}`)).size, 80);
  const last = new Map<number, number>();
  for (const { shard, seq } of events) {
    t.true(seq > (last.get(shard) ?? 0), "in the order of each shard");
    last.set(shard, seq);
  }
});

test.serial(
  "given a busy tenant in the same shards, then a quiet one is woken by its own events and reads no others",
  async (t) => {
    const { ask, runtime, world } = await startFixture();
    const busy = (amount: number) => ask({ type: "add", amount, publish: true }, { tenant: "u" });
    const start = new Map(Array.from({ length: 8 }, (_, shard) => [shard, 0]));
    const stop = new AbortController();
    const pages: EventPage[] = [];
    let wakes = 0;
    const wake = EventReaders.prototype.wake;
    EventReaders.prototype.wake = function (tenant) {
      if (tenant === "t") wakes++;
      wake.call(this, tenant);
    };
    t.teardown(() => {
      EventReaders.prototype.wake = wake;
    });
    const reading = (async () => {
      for await (const page of runtime.subscribe({ tenant: "t", cursor: start }, stop.signal))
        pages.push(page);
    })();
    await settle();
    wakes = 0;
    for (let i = 0; i < 500; i++) await busy(i);
    await ask({ type: "add", amount: 7, publish: true });
    await settle();
    t.is(wakes, 1);
    t.deepEqual(
      pages.flatMap(({ events }) => events.map(({ tenant, payload }) => [tenant, payload])),
      [["t", { amount: 7 }]],
    );
    t.true(pages.length <= 2, `${pages.length} pages`);
    // What other tenants publish moves a quiet reader on: what is kept does not pass it by.
    for (let i = 0; i < 100; i++) await busy(i);
    await world.advance(6_000);
    const head = Math.max(...pages.at(-1)!.positions.map(([, seq]) => seq));
    t.true(head >= 600, `stands at ${head}`);
    stop.abort();
    await ask({ type: "add", amount: 8, publish: true });
    await reading;
  },
);

test("given events of many shards, when they are listed, then the newest come first and each once, page by page", async (t) => {
  const { ask, runtime, world, restart } = await startFixture();
  const keys = Array.from({ length: 10 }, (_, i) => `k${i}`);
  for (let amount = 1; amount <= 20; amount++) {
    for (const key of keys) await ask({ type: "add", amount, publish: true }, { key });
    await ask({ type: "add", amount, publish: true }, { key: "k0", tenant: "u" });
    world.nowMs += amount % 3;
  }
  const list = async (by: typeof runtime) => {
    const seen: PublishedEvent[] = [];
    for (;;) {
      const before = seen.at(-1);
      const page = await by.pastEvents("t", { sinceMs: 0, limit: 7, ...(before && { before }) });
      if (isRefusal(page)) throw new Error(page.detail);
      seen.push(...page);
      if (page.length < 7) return seen;
    }
  };
  const seen = await list(runtime);
  t.is(seen.length, 200);
  t.is(new Set(seen.map(({ shard, seq, index }) => `${shard} ${seq} ${index}`)).size, 200);
  t.true(seen.every(({ atMs, tenant }, i) => tenant === "t" && atMs <= (seen[i - 1]?.atMs ?? atMs)));
  const since = seen[50]!.atMs;
  const recent = await runtime.pastEvents("t", { sinceMs: since, limit: 1_000 });
  t.is((recent as readonly unknown[]).length, seen.filter(({ atMs }) => atMs >= since).length);
  const second = await restart();
  await settle();
  t.deepEqual(await list(second.runtime), seen);
});

async function take(events: AsyncIterable<PublishedEvent>, count: number): Promise<PublishedEvent[]> {
  const taken: PublishedEvent[] = [];
  for await (const event of events) {
    taken.push(event);
    if (taken.length === count) break;
  }
  return taken;
}

/** Three events half a day apart: the first is forgotten by the end. */
async function publishOverDays(fixture: Fixture): Promise<void> {
  for (let amount = 1; amount <= 3; amount++) {
    await fixture.ask({ type: "add", amount, publish: true });
    await passHours(fixture, 13);
  }
}

async function passHours({ world }: Fixture, hours: number): Promise<void> {
  world.nowMs += hours * 3_600_000;
  // Until the clock is believed.
  await world.advance(32_000);
}
