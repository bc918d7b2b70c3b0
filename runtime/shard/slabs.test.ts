import test from "ava";
import type { Operation, Verdict } from "../../storage/memory/index.ts";
import { callerOf, settle, startFixture } from "../../test/support/runtime/fixture.ts";
import { type AnyActorDefinition, defineActor } from "../actor.ts";
import { shardOf } from "../placement.ts";
import { WriteBuffer } from "./buffer.ts";
import { keyOf, shardPartition } from "./partition.ts";
import { Slabs } from "./slabs.ts";

const eventBytes = 40_000;
const checkpointBytesMax = 1_024 * 1_024;

/** Large events, small rows: one of its commands fills most of a slab. */
const talker: AnyActorDefinition = defineActor<{ said: number }, string, { text: string }>({
  kind: "talker",
  placement: "key",
  empty: () => ({ said: 0 }),
  resident: [],
  restore: () => undefined,
  decide: (_state, text) => ({ events: [{ text }] }),
  apply: (state, { text }, rows) => rows.put("said", [++state.said], text.length),
  methods: { say: { command: (request) => request as string, respond: ({ said }) => said } },
});

async function startTalkers(before: (operation: Operation) => Verdict | Promise<Verdict>) {
  const limits = { checkpointBytesMax };
  const fixture = await startFixture({ definitions: [talker], limits, interference: { before } });
  const { runtime, world } = fixture;
  const say = (key: string, text: string) =>
    runtime.ask({
      to: { kind: "talker", tenant: "t", key },
      method: "say",
      request: text,
      caller: callerOf("t"),
      deadlineMs: world.nowMs + 600_000,
    });
  const pinned = async () => (await runtime.stats())[0]!.checkpointPinnedBytes;
  return { ...fixture, say, pinned };
}

test("rows that wait for slow tables beside large events keep little more in memory than they are", async (t) => {
  let stored: Verdict | Promise<Verdict> = new Promise(() => undefined);
  const { say, pinned, restart } = await startTalkers(({ type }) => (type === "write" ? stored : "proceed"));
  const text = "x".repeat(eventBytes);
  for (let i = 1; i <= 100; i++) {
    t.like(await say("a", text), { response: i });
    const bytes = await pinned();
    t.true(bytes <= checkpointBytesMax * 1.25, `${bytes} after ${i}`);
  }
  stored = "proceed";
  // From the journal again, and now into the tables.
  const { runtime, world } = await restart({ interference: {} });
  await world.advance(5_000);
  t.is((await runtime.stats())[0]!.checkpointPinnedBytes, 0);
});

test("a shard whose append hangs does not keep what other shards have stored", async (t) => {
  let goOn: (verdict: Verdict) => void = () => {};
  const hanging = new Promise<Verdict>((resolve) => {
    goOn = resolve;
  });
  const hangs = shardOf({ kind: "talker", tenant: "t", key: "a" }, "key", 8);
  const other = ["b", "c", "d", "e"].find(
    (key) => shardOf({ kind: "talker", tenant: "t", key }, "key", 8) !== hangs,
  )!;
  const { say, pinned, world } = await startTalkers((operation) =>
    operation.type === "append" && operation.shard === hangs ? hanging : "proceed",
  );
  const slow: Promise<unknown>[] = [];
  const text = "x".repeat(eventBytes);
  for (let i = 0; i < 100; i++) {
    slow.push(say("a", "short"));
    await say(other, text);
    if (i % 10 === 0) await world.advance(100);
    const bytes = await pinned();
    t.true(bytes <= checkpointBytesMax * 1.25, `${bytes} after ${i}`);
  }
  goOn("proceed");
  await settle();
  t.like((await Promise.all(slow)).at(-1), { response: 100 });
  await world.advance(5_000);
  t.is(await pinned(), 0);
});

test("what a buffer keeps is given back when its layers are stored, and when it is dropped", (t) => {
  const slabs = new Slabs();
  const partition = shardPartition("p");
  const bytes = Buffer.allocUnsafeSlow(1_000);
  const [first, second] = [new WriteBuffer(slabs), new WriteBuffer(slabs)];
  for (const [at, buffer] of [first, second].entries()) {
    buffer.put(partition, keyOf([at]), { bytes, start: at, end: at + 1, seq: 1 });
    buffer.reached(1);
  }
  t.is(slabs.bytes, 1_000);
  const read = first.beginRead();
  first.freeze();
  first.stored(first.nextToStore(1)!);
  first.endRead(read);
  t.is(slabs.bytes, 1_000);
  t.true(second.compact());
  t.is(slabs.bytes, 1);
  t.deepEqual(second.get(partition.text, keyOf([1])), bytes.subarray(1, 2));
  t.false(second.compact());
  second.drop();
  t.is(slabs.bytes, 0);
  second.put(partition, keyOf([2]), { bytes, start: 0, end: 1, seq: 2 });
  t.is(slabs.bytes, 0);
});
