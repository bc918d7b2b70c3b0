import test from "ava";
import { ulidTimeMs } from "#base";
import type { Verdict } from "../storage/memory/index.ts";
import { type Fixture, startFixture } from "../test/support/runtime/fixture.ts";
import { defineActor } from "./actor.ts";
import type { Answer } from "./ask.ts";

const dayMs = 86_400_000;
const idOf = (answer: Answer) => (answer as { response: { id: string } }).response.id;
const fired = async (fixture: Awaited<ReturnType<typeof startFixture>>) =>
  ((await fixture.ask({ type: "read" })) as { response: { fired: string[] } }).response.fired;

test("a timer fires once, when it is due and not before", async (t) => {
  const fixture = await startFixture();
  await fixture.ask({ type: "alarm", id: "x", dueMs: fixture.world.nowMs + 500 });
  await fixture.world.advance(499);
  t.deepEqual(await fired(fixture), []);
  await fixture.world.advance(1);
  t.deepEqual(await fired(fixture), ["x"]);
  await fixture.world.advance(120_000);
  t.deepEqual(await fired(fixture), ["x"]);
  t.deepEqual(await fired(await fixture.restart()), ["x"]);
});

for (const stored of [false, true])
  test(`a timer set before a crash fires after it (${stored ? "from the tables" : "from the journal"})`, async (t) => {
    const first = await startFixture();
    await first.ask({ type: "alarm", id: "x", dueMs: first.world.nowMs + 200_000 });
    if (stored) await first.world.advance(1_000);
    const second = await first.restart();
    await second.world.advance(100_000);
    t.deepEqual(await fired(second), []);
    await second.world.advance(100_001);
    t.deepEqual(await fired(second), ["x"]);
  });

test("a timer that was due during the stop fires at the start", async (t) => {
  const first = await startFixture();
  await first.ask({ type: "alarm", id: "x", dueMs: first.world.nowMs + 500 });
  first.world.nowMs += 50_000;
  const second = await first.restart();
  await second.world.advance(1);
  t.deepEqual(await fired(second), ["x"]);
});

for (const restart of [false, true])
  test(`setting a timer again replaces it, clearing it stops it${restart ? ", also across a restart" : ""}`, async (t) => {
    let fixture = await startFixture();
    const { world } = fixture;
    const start = world.nowMs;
    await fixture.ask({ type: "alarm", id: "moved", dueMs: start + 2_000 });
    await fixture.ask({ type: "alarm", id: "cleared", dueMs: start + 2_000 });
    if (restart) {
      await world.advance(1_000);
      fixture = await fixture.restart();
    }
    await fixture.ask({ type: "alarm", id: "moved", dueMs: start + 4_000 });
    await fixture.ask({ type: "unalarm", id: "cleared" });
    await world.advance(3_000 - (world.nowMs - start));
    t.deepEqual(await fired(fixture), []);
    await world.advance(1_001);
    t.deepEqual(await fired(fixture), ["moved"]);
  });

test("a timer that is due runs at that time or later, though the clock is set back before its turn", async (t) => {
  const fixture = await startFixture();
  const { world } = fixture;
  await fixture.ask({ type: "alarm", id: "x", dueMs: world.nowMs + 500 });
  const later = world.later.bind(world);
  world.later = (step) => {
    world.later = later;
    world.nowMs -= 300;
    later(step);
  };
  await world.advance(500);
  t.deepEqual(await fired(fixture), ["x"]);
  const [stats] = await fixture.runtime.stats();
  const lateMs = stats!.shards.map((shard) => shard.timerLateMs);
  t.true(Math.min(...lateMs) >= 0, `${Math.min(...lateMs)} ms late`);
});

test("a clock that is set ahead takes timers along", async (t) => {
  const fixture = await startFixture();
  const { world } = fixture;
  await fixture.ask({ type: "alarm", id: "x", dueMs: world.nowMs + 50_000 });
  world.nowMs += 40_000;
  await world.advance(9_000);
  t.deepEqual(await fired(fixture), []);
  await world.advance(2_000);
  t.deepEqual(await fired(fixture), ["x"]);
});

test("of many timers that are due at once only so many wait for their entities, and all of them fire", async (t) => {
  const limits = { timersHandedMax: 10, shardCount: 1 };
  let scans: "proceed" | Promise<Verdict> = "proceed";
  let goOn: (verdict: Verdict) => void = () => undefined;
  const first = await startFixture({ limits });
  const { world } = first;
  const keys = Array.from({ length: 100 }, (_, i) => `k${i}`);
  for (const key of keys) await first.ask({ type: "alarm", id: "x", dueMs: world.nowMs + 5_000 }, { key });
  const second = await first.restart({
    limits,
    interference: { before: ({ type }) => (type === "scan" ? scans : "proceed") },
  });
  await world.advance(1_000);
  scans = new Promise((resolve) => {
    goOn = resolve;
  });
  await world.advance(6_000);
  const cells = async () => (await second.runtime.stats())[0]!.shards[0]!.cells;
  t.is(await cells(), 10);
  scans = "proceed";
  goOn("proceed");
  await world.advance(2_000);
  for (const key of keys) t.like(await second.ask({ type: "read" }, { key }), { response: { fired: ["x"] } });
});

test("timers fire in the order of their due times, however many share a window", async (t) => {
  const fixture = await startFixture();
  const { world } = fixture;
  const ids = Array.from({ length: 30 }, (_, i) => `t${String((i * 7) % 30).padStart(2, "0")}`);
  for (const id of ids)
    await fixture.ask({ type: "alarm", id, dueMs: world.nowMs + 1_000 + Number(id.slice(1)) * 10_000 });
  await world.advance(400_000);
  t.deepEqual(await fired(fixture), ids.toSorted());
});

test("timers that were replaced or cleared long before they are due are not kept in memory", async (t) => {
  const fixture = await startFixture({ limits: { mailboxDepthMax: 10_000 } });
  const { ask, world, runtime } = fixture;
  await ask({ type: "alarm", id: "y", dueMs: world.nowMs + 40_000 });
  await Promise.all(
    Array.from({ length: 6_000 }, (_, i) => ask({ type: "alarm", id: "x", dueMs: world.nowMs + 20_000 + i })),
  );
  const [stats] = await runtime.stats();
  const inMemory = Math.max(...stats!.shards.map(({ timersInMemory }) => timersInMemory));
  t.true(inMemory < 3_000, `${inMemory} timers, of which two are pending`);
  await world.advance(25_998);
  t.deepEqual(await fired(fixture), []);
  await world.advance(60_000);
  t.deepEqual(await fired(fixture), ["x", "y"]);
});

test("a timer wakes an entity that was evicted", async (t) => {
  const fixture = await startFixture({ limits: { entityIdleMs: 1_000 } });
  await fixture.ask({ type: "alarm", id: "x", dueMs: fixture.world.nowMs + 30_000 });
  await fixture.world.advance(10_000);
  t.is((await fixture.runtime.stats())[0]!.residentCells, 0);
  await fixture.world.advance(20_001);
  t.deepEqual(await fired(fixture), ["x"]);
});

const total = async ({ runtime }: Fixture, figure: "activations" | "committedBytes") =>
  (await runtime.stats())[0]!.shards.reduce((sum, shard) => sum + shard[figure], 0);

for (const change of ["cleared", "moved"])
  test(`given an entity that was evicted, when its timer is ${change} and it is evicted again, then nothing wakes it at the old time`, async (t) => {
    const fixture = await startFixture({ limits: { entityIdleMs: 1_000 } });
    const { ask, world } = fixture;
    // Further away than the timers in memory.
    const dueMs = world.nowMs + 300_000;
    await ask({ type: "alarm", id: "x", dueMs });
    await world.advance(10_000);
    await ask(
      change === "cleared" ? { type: "unalarm", id: "x" } : { type: "alarm", id: "x", dueMs: dueMs * 2 },
    );
    await world.advance(10_000);
    const before = await total(fixture, "activations");
    await world.advance(400_000);
    t.is(await total(fixture, "activations"), before);
  });

test("a timer that is set to the time it has already writes no rows, and fires once", async (t) => {
  const fixture = await startFixture();
  const alarm = { type: "alarm", id: "x", dueMs: fixture.world.nowMs + 500 } as const;
  const bytes: number[] = [0];
  for (let i = 0; i < 3; i++) {
    await fixture.ask(alarm);
    bytes.push(await total(fixture, "committedBytes"));
  }
  const [first, second, third] = bytes.slice(1).map((sum, i) => sum - bytes[i]!);
  t.true(second! < first!, `${second} bytes after ${first}`);
  t.is(third, second);
  await fixture.world.advance(60_000);
  t.deepEqual(await fired(fixture), ["x"]);
});

test("a timer that sets itself to the time at which it fires, fires again", async (t) => {
  let left = 3;
  const ticking = defineActor<null, "tick", "ticked">({
    kind: "notebook",
    placement: "key",
    empty: () => null,
    resident: [],
    restore: () => {},
    decide: () => ({ events: ["ticked"] }),
    apply(_state, _event, rows) {
      if (left-- > 0) rows.setTimer("tick", rows.now);
    },
    methods: { "Notebook.Do": { command: () => "tick", respond: () => null } },
    onTimer: () => "tick",
  });
  const fixture = await startFixture({ definitions: [ticking] });
  await fixture.ask({ type: "read" });
  await fixture.world.advance(1_000);
  t.is(left, -1);
});

test("a timer whose handling fails is tried again, and other timers go on", async (t) => {
  const fixture = await startFixture();
  await fixture.ask({ type: "alarm", id: "break", dueMs: fixture.world.nowMs + 100 });
  await fixture.ask({ type: "alarm", id: "y", dueMs: fixture.world.nowMs + 1_500 });
  await fixture.world.advance(3_000);
  t.deepEqual(await fired(fixture), ["y"]);
  const [listed] = await fixture.runtime.actors({ failing: true });
  t.true(listed!.failures >= 2);
});

test("the clock is set back a day: a timer fires when it is due by the monotonic clock, and is not looked at again and again", async (t) => {
  const fixture = await startFixture();
  const { world } = fixture;
  await fixture.ask({ type: "alarm", id: "x", dueMs: world.nowMs + 10_000 });
  world.nowMs -= dayMs;
  let set = 0;
  const setTimer = world.setTimer.bind(world);
  world.setTimer = (delayMs, step) => {
    set++;
    return setTimer(delayMs, step);
  };
  await world.advance(9_999);
  t.deepEqual(await fired(fixture), []);
  t.true(set < 200, `${set} timers in ten seconds`);
  await world.advance(1);
  t.deepEqual(await fired(fixture), ["x"]);
  await fixture.ask({ type: "alarm", id: "y", dueMs: world.nowMs + dayMs + 10_000 });
  await world.advance(10_000);
  t.deepEqual(await fired(fixture), ["x", "y"]);
});

test("the clock is set back a day before a restart: timers fire when they are due, counted from the last commit", async (t) => {
  const first = await startFixture();
  const { world } = first;
  await first.ask({ type: "alarm", id: "x", dueMs: world.nowMs + 10_000 });
  world.nowMs -= dayMs;
  const second = await first.restart();
  await world.advance(9_999);
  t.deepEqual(await fired(second), []);
  await world.advance(1);
  t.deepEqual(await fired(second), ["x"]);
});

test("shard time ahead of the clock: it goes on though the shard is taken anew, and counts once when the clock is set right", async (t) => {
  let appends: Verdict = "proceed";
  const first = await startFixture();
  const { world } = first;
  const startMs = world.nowMs;
  await first.ask({ type: "add", amount: 1 });
  world.nowMs -= dayMs;
  const second = await first.restart({
    interference: { before: ({ type }) => (type === "append" ? appends : "proceed") },
  });
  await world.advance(50_000);
  appends = { type: "unknown", applied: false };
  t.like(await second.ask({ type: "add", amount: 1 }), { code: "UNAVAILABLE" });
  appends = "proceed";
  await world.advance(1_000);
  await second.ask({ type: "alarm", id: "x", dueMs: startMs + 60_000 });
  await world.advance(8_000);
  t.deepEqual(await fired(second), []);
  await world.advance(1_000);
  t.deepEqual(await fired(second), ["x"]);
  world.nowMs += dayMs;
  await world.advance(60_000);
  const timeMs = ulidTimeMs(idOf(await second.ask({ type: "add", amount: 1 })));
  t.true(Math.abs(timeMs - world.nowMs) < 1_000, `${timeMs - world.nowMs} ms from the clock`);
});

test("a clock that jumped is told in the log once each way", async (t) => {
  const errors: object[] = [];
  const error = (details: object) => void errors.push(details);
  const { world } = await startFixture({ logger: { info: () => {}, warn: () => {}, error } });
  world.nowMs -= dayMs;
  await world.advance(100_000);
  t.deepEqual(errors, [{ behind_ms: dayMs }]);
  world.nowMs += dayMs;
  await world.advance(10_000);
  world.nowMs += 3_600_000;
  await world.advance(100_000);
  t.deepEqual(errors, [{ behind_ms: dayMs }, { ahead_ms: 3_600_000 }]);
});
