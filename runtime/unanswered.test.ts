import test from "ava";
import { isRefusal } from "#base";
import type { Verdict } from "../storage/memory/index.ts";
import { settle, startFixture } from "../test/support/runtime/fixture.ts";
import { gate } from "../test/support/runtime/gate.ts";
import { hashOf } from "./placement.ts";

test("a store that does not answer: callers are told in time, and what was decided counts once it is stored", async (t) => {
  const disk = gate();
  const { ask, world } = await startFixture({ interference: disk.interference });
  const once = { once: "s" };
  await ask({ type: "add", amount: 1 });
  disk.close();
  const answers = [
    ask({ type: "add", amount: 2 }, once),
    ask({ type: "read" }),
    ask({ type: "add", amount: 3, send: "b", delivered: true }),
  ];
  await settle();
  await world.advance(12_000);
  for (const answer of await Promise.all(answers)) t.like(answer, { code: "UNAVAILABLE", refused: true });
  const again = ask({ type: "add", amount: 2 }, once);
  await settle();
  await disk.open();
  t.like(await again, { response: { sum: 3 }, replayed: true });
  t.like(await ask({ type: "read" }), { response: { sum: 6 } });
  t.like(await ask({ type: "read" }, { key: "b" }), { response: { sum: 3, messages: 1 } });
});

test("a thread that stood still for longer than a store may take does not blame the store", async (t) => {
  const disk = gate();
  const { ask, world } = await startFixture({ interference: disk.interference });
  await ask({ type: "add", amount: 1 });
  disk.close();
  const answer = ask({ type: "add", amount: 2 });
  await settle();
  // Its timers come first when it goes on, and what the disk has written meanwhile after them.
  world.monotonicMs += 15_000;
  world.nowMs += 15_000;
  await world.advance(0);
  await disk.open();
  t.like(await answer, { response: { sum: 3 } });
});

test("a store that cannot be opened: callers are told in time, and leave nothing behind", async (t) => {
  let broken = false;
  const { ask, world, runtime } = await startFixture({
    interference: {
      before(operation) {
        if (!broken) return "proceed";
        return operation.type === "append" ? { type: "unknown", applied: true } : new Promise(() => {});
      },
    },
  });
  await ask({ type: "add", amount: 1 });
  broken = true;
  t.like(await ask({ type: "add", amount: 2 }), { code: "UNAVAILABLE" });
  const waiting = ask({ type: "read" });
  await settle();
  await world.advance(12_000);
  t.like(await waiting, { code: "UNAVAILABLE", refused: true });
  for (let round = 0; round < 3; round++) {
    const others = neighbours(`${round}/`).map((key) => ask({ type: "read" }, { key }));
    await settle();
    await world.advance(12_000);
    for (const answer of await Promise.all(others)) t.true(isRefusal(answer));
  }
  const { shards } = (await runtime.stats())[0]!;
  const opening = shards.filter(({ status }) => status === "opening");
  t.deepEqual(
    opening.map(({ cells }) => cells),
    [0],
    "who was answered is forgotten",
  );
});

test("a store that does not answer: a command that had begun, or waited inside its entity, is told too", async (t) => {
  const disk = gate();
  const reads: ((verdict: Verdict) => void)[] = [];
  let holdsReads = false;
  const { ask, world } = await startFixture({
    limits: { batchEntriesMax: 1 },
    interference: {
      before: (operation) =>
        operation.type === "get" && holdsReads
          ? new Promise<Verdict>((resolve) => reads.push(resolve))
          : disk.interference.before!(operation),
    },
  });
  await ask({ type: "add", amount: 1 });
  const poll = { type: "await", sum: 99, untilMs: world.nowMs + 1_000 } as const;
  const waiting = [ask(poll, { once: "p" }), ask(poll, { once: "p" })];
  await settle();
  disk.close();
  void ask({ type: "add", amount: 1 });
  await settle();
  holdsReads = true;
  const begun = ask({ type: "line", number: 99 });
  await settle();
  void ask({ type: "add", amount: 1 }, { key: neighbours("n")[0]! });
  await settle();
  for (const goOn of reads.splice(0)) goOn("proceed");
  holdsReads = false;
  await world.advance(12_000);
  for (const answer of await Promise.all([...waiting, begun])) t.like(answer, { code: "UNAVAILABLE" });
  await disk.open();
  const again = ask(poll, { once: "p" });
  await ask({ type: "add", amount: 99 });
  t.like(await again, { replayed: false });
});

test("a store that does not answer: a repeat is told, and the next one still waits with the request that is parked", async (t) => {
  const disk = gate();
  const { ask, world } = await startFixture({
    limits: { batchEntriesMax: 1 },
    interference: disk.interference,
  });
  const poll = { type: "await", sum: 5, untilMs: world.nowMs + 60_000 } as const;
  const first = ask(poll, { once: "p" });
  await settle();
  disk.close();
  for (const key of neighbours("n").slice(0, 3)) void ask({ type: "add", amount: 1 }, { key });
  await settle();
  const repeat = ask(poll, { once: "p" });
  await settle();
  await world.advance(12_000);
  t.like(await repeat, { code: "UNAVAILABLE" });
  await disk.open();
  const again = ask(poll, { once: "p" });
  await settle();
  t.like(await ask({ type: "add", amount: 5 }), { response: { sum: 5 } });
  t.like(await Promise.all([first, again]), [{ replayed: false }, { replayed: true }]);
});

test("tables that do not answer a read: callers are told in time, and the entity answers again later", async (t) => {
  let reads: "proceed" | Promise<Verdict> = "proceed";
  const { ask, world } = await startFixture({
    interference: {
      before: ({ type }) => (type === "get" || type === "scan" ? reads : "proceed"),
    },
  });
  await ask({ type: "add", amount: 1 });
  reads = new Promise(() => undefined);
  const answers = [
    ask({ type: "line", number: 99 }),
    ask({ type: "read" }),
    ask({ type: "read" }, { key: "b" }),
    ask({ type: "add", amount: 1 }, { key: "c", once: "k" }),
  ];
  await settle();
  await world.advance(12_000);
  const [line, read, ...others] = await Promise.all(answers);
  for (const answer of [line, ...others]) t.like(answer, { code: "UNAVAILABLE", retryAfterMs: 1_000 });
  t.like(read, { response: { sum: 1 } });
  reads = "proceed";
  t.like(await ask({ type: "line", number: 1 }), { response: { amount: 1 } });
  t.like(await ask({ type: "add", amount: 1 }, { key: "c", once: "k" }), { replayed: false });
});

test("tables that take no writes: once commits wait for them, callers are told in time", async (t) => {
  const held = new Promise<Verdict>(() => undefined);
  const { ask, world } = await startFixture({
    limits: { checkpointBytesMax: 1_000 },
    interference: { before: ({ type }) => (type === "write" ? held : "proceed") },
  });
  await ask({ type: "add", amount: 1, text: "x".repeat(10_000) });
  const waiting = ask({ type: "add", amount: 1 });
  await settle();
  await world.advance(12_000);
  t.like(await waiting, { code: "UNAVAILABLE" });
});

/** Keys of the shard that has the notebook "a". */
function neighbours(prefix: string): string[] {
  const shard = (key: string) => hashOf({ kind: "notebook", tenant: "t", key }) % 8;
  return Array.from({ length: 100 }, (_, i) => `${prefix}${i}`).filter((key) => shard(key) === shard("a"));
}
