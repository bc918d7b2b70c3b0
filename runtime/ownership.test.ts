import test from "ava";
import { type Interference, MemoryStore, type Operation, openMemory } from "../storage/memory/index.ts";
import { callerOf, ManualWorld, settle, startFixture } from "../test/support/runtime/fixture.ts";
import { cover, notebook } from "../test/support/runtime/notebook.ts";
import type { Answer } from "./ask.ts";
import { shardOf } from "./placement.ts";
import { Thread } from "./thread/thread.ts";

test("fenced: the old owner never answers from that shard again", async (t) => {
  const first = await startFixture();
  await first.ask({ type: "add", amount: 1 });
  const second = await startFixture({}, first.world, first.store);
  t.like(await first.ask({ type: "add", amount: 1 }), { code: "UNAVAILABLE", reason: "MOVED" });
  t.like(await first.ask({ type: "read" }), { code: "UNAVAILABLE", reason: "MOVED" });
  t.like(await second.ask({ type: "read" }), { response: { sum: 1 } });
});

test("an append with an unknown outcome, after another node took the shard on a later view: it is not taken back", async (t) => {
  let lost = false;
  const before = ({ type }: Operation) =>
    lost && type === "append" ? ({ type: "unknown", applied: false } as const) : "proceed";
  const store = new MemoryStore();
  const world = new ManualWorld();
  const start = (interference: Interference) =>
    new Thread({ storage: openMemory(store, interference), definitions: [notebook, cover], world, limits });
  const limits = { shardCount: 2 };
  const thread = start({ before });
  const ask = (key: string) =>
    new Promise<Answer>((resolve) => {
      const to = { kind: "notebook", tenant: "t", key };
      const request = { command: { type: "add", amount: 1 } };
      const deadlineMs = world.nowMs + 60_000;
      thread.ask({ to, method: "Notebook.Do", request, caller: callerOf("t"), deadlineMs }, resolve);
    });
  let key = "k";
  while (shardOf({ kind: "notebook", tenant: "t", key }, "key", 2) !== 0) key += "k";
  await thread.open([0], 1);
  t.like(await ask(key), { response: { sum: 1 } });
  await start({}).open([0], 2);
  thread.take([1], 2);
  await settle();
  const { epoch } = store.shard(0);
  lost = true;
  t.like(await ask(key), { code: "UNAVAILABLE" });
  lost = false;
  await world.advance(1_000);
  t.is(store.shard(0).epoch, epoch);
  t.deepEqual([...thread.shards.keys()], [1]);
});

test("a confirmed read of an owner that was cut off is not answered from memory", async (t) => {
  const first = await startFixture();
  await first.ask({ type: "add", amount: 1 });
  await startFixture({}, first.world, first.store);
  t.like(await first.ask({ type: "read" }), { response: { sum: 1 } });
  t.like(await first.ask({ type: "read" }, { method: "Notebook.Confirm" }), { reason: "MOVED" });
});

test("where others may take over, a read is confirmed once ownership has not been proven for two seconds", async (t) => {
  const first = await startFixture({ provenMs: () => 0 });
  await first.ask({ type: "add", amount: 1 });
  await startFixture({}, first.world, first.store);
  t.like(await first.ask({ type: "read" }), { response: { sum: 1 } });
  await first.world.advance(2_100);
  t.like(await first.ask({ type: "read" }), { reason: "MOVED" });
});

test("an owner whose recovery took long is no younger for it: its reads are confirmed", async (t) => {
  const { ask, world, store } = await startFixture();
  await ask({ type: "add", amount: 1 });
  let recovered = () => {};
  const held = new Promise<void>((resolve) => {
    recovered = resolve;
  });
  const after = ({ type }: Operation) => (type === "replay" ? held : undefined);
  const slow = startFixture({ provenMs: () => 0, interference: { after } }, world, store);
  await settle();
  const other = await startFixture({}, world, store);
  t.like(await other.ask({ type: "add", amount: 1 }), { response: { sum: 2 } });
  await world.advance(2_100);
  recovered();
  t.like(await (await slow).ask({ type: "read" }), { reason: "MOVED" });
});

test("a read that waited for a commit whose end was heard late is confirmed before it leaves", async (t) => {
  let heard = () => {};
  let late = false;
  const after = ({ type }: Operation) =>
    late && type === "append"
      ? new Promise<void>((resolve) => {
          heard = resolve;
        })
      : undefined;
  const first = await startFixture({ provenMs: () => 0, interference: { after } });
  await first.ask({ type: "add", amount: 1 });
  late = true;
  const change = first.ask({ type: "add", amount: 1 });
  await settle();
  late = false;
  const read = first.ask({ type: "read" });
  await settle();
  const other = await startFixture({}, first.world, first.store);
  t.like(await other.ask({ type: "add", amount: 1 }), { response: { sum: 3 } });
  await first.world.advance(2_100);
  heard();
  t.like(await change, { response: { sum: 2 } });
  t.like(await read, { reason: "MOVED" });
});

test("a refusal tells of the state too: it is confirmed as a read is", async (t) => {
  const refused = { type: "add", amount: -1 } as const;
  const first = await startFixture({ provenMs: () => 0 });
  await first.ask({ type: "add", amount: 1 });
  await startFixture({}, first.world, first.store);
  t.like(await first.ask(refused), { code: "INVALID_ARGUMENT" });
  await first.world.advance(2_100);
  t.like(await first.ask(refused), { reason: "MOVED" });
});
