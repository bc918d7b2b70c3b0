import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { startFixture } from "../../test/support/runtime/fixture.ts";

const runtime = new URL("..", import.meta.url).pathname;

/** Where a bound is the same for all runtimes of a process: see `Fixed` in limits.ts. */
const fixed = [
  "cluster/membership.ts",
  "cluster/suspects.ts",
  "cluster/versions.ts",
  "links/shapes.ts",
  "shard/partition.ts",
  "thread/limits.ts",
  "workers/supervise.ts",
];

test("no file of the runtime reads a bound past the limits it was started with", (t) => {
  const files = readdirSync(runtime, { recursive: true, encoding: "utf8" });
  const readers = files
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .filter((file) =>
      /import \{[^}]*\blimits\b(?! as)[^}]*\} from "#base"/.test(readFileSync(join(runtime, file), "utf8")),
    );
  t.deepEqual(readers.sort(), fixed);
});

test("an answer is replayed for as long as the limits say", async (t) => {
  const { ask, world } = await startFixture({ limits: { idempotencyKeptMs: 10_000 } });
  const once = () => ask({ type: "add", amount: 1 }, { once: "k" });
  await once();
  await world.advance(9_000);
  t.like(await once(), { replayed: true });
  await world.advance(1_001);
  t.like(await once(), { replayed: false, response: { sum: 2 } });
});

test("a command may ask for rows as often as the limits say", async (t) => {
  const { ask } = await startFixture({ limits: { needRoundsMax: 0 } });
  await ask({ type: "add", amount: 1 });
  t.like(await ask({ type: "tail", limit: 1 }), { code: "INTERNAL" });
});

test("timers are in memory for as long before as the limits say", async (t) => {
  const { ask, runtime, world } = await startFixture({ limits: { timerWindowMs: 4_000 } });
  await ask({ type: "alarm", id: "x", dueMs: world.nowMs + 30_000 });
  const inMemory = async () =>
    (await runtime.stats())[0]!.shards.reduce((sum, { timersInMemory }) => sum + timersInMemory, 0);
  t.is(await inMemory(), 0);
  await world.advance(28_500);
  t.is(await inMemory(), 1);
});

test("a look at events brings as many as the limits say", async (t) => {
  const { ask, runtime } = await startFixture({ limits: { eventPageMax: 2 } });
  for (let i = 0; i < 5; i++) await ask({ type: "add", amount: 1, publish: true });
  const start = new Map(Array.from({ length: 8 }, (_, shard) => [shard, 0]));
  const stop = new AbortController();
  const pages: number[] = [];
  let left = 5;
  for await (const { events } of runtime.subscribe({ tenant: "t", cursor: start }, stop.signal)) {
    pages.push(events.length);
    left -= events.length;
    if (left === 0) stop.abort();
  }
  t.deepEqual(pages, [2, 2, 1]);
});
