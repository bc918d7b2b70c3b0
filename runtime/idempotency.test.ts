import test from "ava";
import type { Verdict } from "../storage/memory/index.ts";
import { settle, startFixture } from "../test/support/runtime/fixture.ts";
import { gate } from "../test/support/runtime/gate.ts";

test("the same request twice has one effect, and the second answer is the first one, marked", async (t) => {
  const { ask } = await startFixture();
  const first = await ask({ type: "add", amount: 5 }, { once: "k" });
  const second = await ask({ type: "add", amount: 5 }, { once: "k" });
  t.like(first, { replayed: false });
  t.deepEqual(second, { ...first, replayed: true } as typeof second);
  t.like(await ask({ type: "read" }), { response: { sum: 5 } });
});

test("what is not to be kept of an answer is in the first one only, also after a crash", async (t) => {
  const first = await startFixture();
  const once = { once: "k", omit: ["sum"] };
  const made = await first.ask({ type: "add", amount: 5 }, once);
  t.like(made, { response: { sum: 5, lines: 1 }, replayed: false });
  const kept = (answer: object) => {
    const { response } = answer as { response: { sum?: number; lines?: number } };
    return [response.sum, response.lines];
  };
  t.deepEqual(kept(await first.ask({ type: "add", amount: 5 }, once)), [undefined, 1]);
  const second = await first.restart();
  t.deepEqual(kept(await second.ask({ type: "add", amount: 5 }, once)), [undefined, 1]);
});

test("a second request while the first is not durable yet waits for the same commit", async (t) => {
  const { ask } = await startFixture();
  const [first, second] = await Promise.all([
    ask({ type: "add", amount: 5 }, { once: "k" }),
    ask({ type: "add", amount: 5 }, { once: "k" }),
  ]);
  t.like(first, { replayed: false });
  t.like(second, { replayed: true, response: { sum: 5 } });
});

for (const stored of [false, true])
  test(`a retry after a crash meets its record (${stored ? "from the tables" : "from the journal"})`, async (t) => {
    const first = await startFixture();
    await first.ask({ type: "add", amount: 5 }, { once: "k" });
    if (stored) await first.world.advance(1_000);
    const second = await first.restart();
    t.like(await second.ask({ type: "add", amount: 5 }, { once: "k" }), { replayed: true });
    t.like(await second.ask({ type: "read" }), { response: { sum: 5 } });
  });

test("however long the name of a principal is: its request takes effect once, and its neighbours do not notice", async (t) => {
  const { ask, runtime } = await startFixture();
  const long = "\u20ac".repeat(1_000);
  t.like(await ask({ type: "add", amount: 5 }, { once: `${long}1` }), {
    replayed: false,
    response: { sum: 5 },
  });
  t.like(await ask({ type: "add", amount: 5 }, { once: `${long}1` }), {
    replayed: true,
    response: { sum: 5 },
  });
  t.like(await ask({ type: "add", amount: 5 }, { once: `${long}2` }), {
    replayed: false,
    response: { sum: 10 },
  });
  const [stats] = await runtime.stats();
  t.true(stats!.shards.every(({ failures }) => failures === 0));
});

test("the same key with another body is refused", async (t) => {
  const { ask } = await startFixture();
  await ask({ type: "add", amount: 5 }, { once: "k" });
  t.like(await ask({ type: "add", amount: 6 }, { once: "k", fingerprint: "other" }), {
    code: "IDEMPOTENCY_KEY_REUSED",
  });
  t.like(await ask({ type: "add", amount: 6 }, { once: "k", fingerprint: "other", key: "b" }), {
    response: { sum: 6 },
  });
});

test("a refusal is not kept: the same key may succeed later", async (t) => {
  const { ask } = await startFixture();
  t.like(await ask({ type: "add", amount: -1 }, { once: "k" }), { code: "INVALID_ARGUMENT" });
  t.like(await ask({ type: "add", amount: 1 }, { once: "k" }), { replayed: false, response: { sum: 1 } });
});

test("a retry of a parked request waits with it and gets its answer", async (t) => {
  const { ask, world } = await startFixture();
  const untilMs = world.nowMs + 10_000;
  const first = ask({ type: "await", sum: 5, untilMs }, { once: "k" });
  const second = ask({ type: "await", sum: 5, untilMs }, { once: "k" });
  const other = ask({ type: "await", sum: 5, untilMs }, { once: "k", fingerprint: "other" });
  t.like(await other, { code: "IDEMPOTENCY_KEY_REUSED" });
  await ask({ type: "add", amount: 5 });
  t.like(await first, { replayed: false, response: { sum: 5 } });
  t.like(await second, { replayed: true, response: { sum: 5 } });
});

test("after its time a record is gone, from memory and from the tables", async (t) => {
  const { ask, world, store } = await startFixture();
  await ask({ type: "add", amount: 5 }, { once: "k" });
  await world.advance(1_000);
  const records = () =>
    [...store.partitions].filter(([name, { keys }]) => name.includes("~once") && keys.length > 0);
  t.is(records().length, 2);
  await world.advance(86_400_000 - 2_000);
  t.like(await ask({ type: "add", amount: 5 }, { once: "k" }), { replayed: true });
  await world.advance(3_000);
  t.like(await ask({ type: "add", amount: 5 }, { once: "k" }), { replayed: false });
  await world.advance(30 * 3_600_000);
  t.is(records().length, 0);
});

test("old records are deleted no faster than the disk takes it", async (t) => {
  const disk = gate();
  const { ask, world, runtime, store } = await startFixture({
    limits: { batchEntriesMax: 2, mailboxDepthMax: 5_000 },
    interference: disk.interference,
  });
  await Promise.all(
    Array.from({ length: 4_500 }, (_, i) => ask({ type: "add", amount: 1 }, { once: `k${i}` })),
  );
  await world.advance(1_000);
  disk.close();
  world.nowMs += 26 * 3_600_000;
  // Until the clock is believed.
  await world.advance(60_000);
  const [stats] = await runtime.stats();
  const waiting = stats!.shards.map(({ waitingEntries }) => waitingEntries);
  t.true(Math.max(...waiting) <= 2, `${waiting} entries wait`);
  await disk.open();
  await world.advance(10_000);
  const records = [...store.partitions].filter(([name]) => name.includes("~once"));
  t.deepEqual(
    records.map(([, { keys }]) => keys.length),
    records.map(() => 0),
  );
});

test("records of many hours: each is read twice at most until it is deleted", async (t) => {
  const { ask, world, store } = await startFixture();
  const pass = async (hours: number) => {
    world.nowMs += hours * 3_600_000;
    // Until the clock is believed.
    await world.advance(32_000);
  };
  const hours = 20;
  const perHour = 60;
  for (let hour = 0; hour < hours; hour++) {
    const keys = Array.from({ length: perHour }, (_, i) => `${hour}-${i}`);
    await Promise.all(keys.map((once) => ask({ type: "add", amount: 1 }, { once })));
    await pass(1);
  }
  let reads = 0;
  for (const [name, { values }] of store.partitions) {
    if (!name.includes("~once") || name.includes("~shard")) continue;
    const get = values.get.bind(values);
    values.get = (key) => {
      reads++;
      return get(key);
    };
  }
  for (let hour = 0; hour < 30; hour++) {
    await pass(1);
    await world.advance(65_000);
  }
  t.false([...store.partitions].some(([name, { keys }]) => name.includes("~once") && keys.length > 0));
  t.true(reads <= 2 * hours * perHour, `${reads} reads`);
});

test("many different keys at once each have their effect once", async (t) => {
  const { ask } = await startFixture();
  const keys = Array.from({ length: 300 }, (_, i) => `k${i % 200}`);
  const answers = await Promise.all(keys.map((once) => ask({ type: "add", amount: 1 }, { once })));
  t.is(answers.filter((answer) => "replayed" in answer && answer.replayed).length, 100);
  t.like(await ask({ type: "read" }), { response: { sum: 200 } });
});

test("a repeat that was looked up with its request and runs after that one's record was stored meets the record", async (t) => {
  let gets = Number.NaN;
  let goOn: (verdict: Verdict) => void = () => undefined;
  const { ask, world } = await startFixture({
    interference: {
      // The first read is of the records, the second is what keeps the entity busy between the two.
      before: (operation) =>
        operation.type === "get" && ++gets === 2
          ? new Promise<Verdict>((resolve) => {
              goOn = resolve;
            })
          : "proceed",
    },
  });
  await ask({ type: "read" });
  gets = 0;
  const first = ask({ type: "add", amount: 5 }, { once: "k" });
  const between = ask({ type: "line", number: 99 });
  const repeat = ask({ type: "add", amount: 5 }, { once: "k" });
  await settle();
  t.is(gets, 2);
  t.like(await first, { replayed: false });
  await world.advance(1_000);
  goOn("proceed");
  await between;
  t.like(await repeat, { replayed: true, response: { sum: 5 } });
  t.like(await ask({ type: "read" }), { response: { sum: 5 } });
});

test("a repeat that waited with its parked request and runs after that one's record was stored meets the record", async (t) => {
  // Room for the change that wakes the first and for the first: the repeat waits until the tables have both.
  const { ask, world } = await startFixture({ limits: { batchEntriesMax: 2, checkpointBytesMax: 1_000 } });
  const poll = { type: "await", sum: 5, untilMs: world.nowMs + 10_000 } as const;
  const first = ask(poll, { once: "k" });
  const repeat = ask(poll, { once: "k" });
  await settle();
  await ask({ type: "add", amount: 5, text: "x".repeat(10_000) });
  t.like(await first, { replayed: false });
  t.like(await repeat, { replayed: true });
});
