import test from "ava";
import type { Verdict } from "../storage/memory/index.ts";
import { callerOf, settle, startFixture } from "../test/support/runtime/fixture.ts";
import { gate } from "../test/support/runtime/gate.ts";
import type { Answer } from "./ask.ts";
import { shardOf } from "./placement.ts";

for (const applied of [true, false])
  test(`append with unknown outcome, ${applied ? "applied" : "not applied"}: the caller is told, and what the journal says counts`, async (t) => {
    const disk = gate();
    const { ask } = await startFixture({ interference: disk.interference });
    await ask({ type: "add", amount: 1 });
    disk.close();
    const doubtful = ask({ type: "add", amount: 10 }, { once: "ten" });
    await settle();
    await disk.open({ type: "unknown", applied });
    t.like(await doubtful, { code: "UNAVAILABLE" });
    t.like(await ask({ type: "add", amount: 10 }, { once: "ten" }), { replayed: applied });
    t.like(await ask({ type: "read" }), { response: { sum: 11, lines: 2 } });
  });

test("a caller that asks again the moment it is refused is answered, by the ownership term that follows", async (t) => {
  const disk = gate();
  const { ask, runtime, world } = await startFixture({ interference: disk.interference });
  await ask({ type: "add", amount: 1 });
  disk.close();
  const to = { kind: "notebook", tenant: "t", key: "a" };
  const caller = callerOf("t");
  const again = new Promise<Answer>((resolve) => {
    const read = { to, method: "Notebook.Do", caller, deadlineMs: world.nowMs + 60_000 };
    runtime.post({ ...read, request: { command: { type: "add", amount: 2 } } }, () =>
      runtime.post({ ...read, request: { command: { type: "read" } } }, resolve),
    );
  });
  await settle();
  await disk.open({ type: "unknown", applied: true });
  t.like(await again, { response: { sum: 3 } });
});

test("full disk: writes are refused and say so, reads go on, and later writes are taken again", async (t) => {
  const disk = gate();
  const { ask, world } = await startFixture({ interference: disk.interference });
  await ask({ type: "add", amount: 1 });
  disk.close();
  const write = ask({ type: "add", amount: 2 });
  await settle();
  await disk.open({ type: "fail", kind: "full" });
  t.like(await write, { code: "UNAVAILABLE", reason: "STORAGE_FULL" });
  t.like(await ask({ type: "read" }), { response: { sum: 1 } });
  t.like(await ask({ type: "add", amount: 2 }), { reason: "STORAGE_FULL" });
  await world.advance(1_500);
  t.like(await ask({ type: "add", amount: 2 }), { response: { sum: 3 } });
});

test("full disk and a clock that was set back: the store is tried once a second, not for every write", async (t) => {
  let full = false;
  let tried = 0;
  const { ask, world } = await startFixture({
    interference: {
      before(operation) {
        if (operation.type !== "append" || !full) return "proceed";
        tried++;
        return { type: "fail", kind: "full" };
      },
    },
  });
  await ask({ type: "add", amount: 1 });
  world.nowMs -= 3_600_000;
  full = true;
  for (let i = 0; i < 10; i++) t.like(await ask({ type: "add", amount: 1 }), { reason: "STORAGE_FULL" });
  t.is(tried, 1);
  await world.advance(1_100);
  full = false;
  t.like(await ask({ type: "add", amount: 1 }), { response: { sum: 2 } });
});

test("a shard that is lost takes along what waited for the tables: entities of others that waited for them go on", async (t) => {
  const disk = gate();
  let goOn = () => {};
  let write: "proceed" | Promise<Verdict> = "proceed";
  const { ask, world } = await startFixture({
    limits: { checkpointBytesMax: 1_000 },
    interference: {
      before: (operation) => (operation.type === "write" ? write : disk.interference.before!(operation)),
    },
  });
  const add = { type: "add", amount: 1, text: "x".repeat(5_000) } as const;
  const shardOfKey = (key: string) => shardOf({ kind: "notebook", tenant: "t", key }, "key", 8);
  const other = ["b", "c", "d", "e"].find((key) => shardOfKey(key) !== shardOfKey("a"))!;
  await ask({ type: "read" }, { key: other });
  await ask({ type: "read" });
  write = new Promise((resolve) => {
    goOn = () => resolve("proceed");
  });
  await ask(add);
  disk.close();
  const second = ask(add);
  await settle();
  const third = ask(add);
  await settle();
  await disk.pass();
  t.like(await second, { response: { sum: 2 } });
  const waiting = ask({ type: "read" }, { key: other });
  await settle();
  await disk.open({ type: "fail", kind: "fenced" });
  t.like(await third, { code: "UNAVAILABLE" });
  goOn();
  write = "proceed";
  await world.advance(5_000);
  t.like(await Promise.race([waiting, settle()]), { response: { sum: 0 } });
});
