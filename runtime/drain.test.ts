import test from "ava";
import { settle, startFixture } from "../test/support/runtime/fixture.ts";

test("a drain answers what was taken, ends long polls, refuses what comes, and leaves all of it in the tables", async (t) => {
  const { ask, runtime, world, store, restart } = await startFixture();
  const poll = ask({ type: "await", sum: 99, untilMs: world.nowMs + 30_000 });
  await settle();
  const taken = ask({ type: "add", amount: 4 });
  const drained = runtime.drain();
  const late = ask({ type: "add", amount: 1 });
  t.like(await late, { code: "UNAVAILABLE", reason: "DRAINING" });
  t.like(await poll, { code: "UNAVAILABLE", reason: "DRAINING" });
  t.like(await taken, { response: { sum: 4 } });
  await world.advance(1_000);
  await drained;
  for (const [shard, { head }] of store.shards) t.is(store.watermarks.get(shard) ?? 0, head);
  t.like(await (await restart()).ask({ type: "read" }), { response: { sum: 4 } });
});

test("what would wait is told so once a drain has begun, also if it was taken before", async (t) => {
  const { ask, runtime, world } = await startFixture();
  const poll = ask({ type: "await", sum: 99, untilMs: world.nowMs + 30_000 });
  const drained = runtime.drain();
  t.like(await poll, { code: "UNAVAILABLE", reason: "DRAINING" });
  await world.advance(1_000);
  await drained;
});
