import test from "ava";
import { isRefusal, ulidTimeMs } from "#base";
import type { Interference, Operation, Verdict } from "../storage/memory/index.ts";
import { callerOf, settle, startFixture } from "../test/support/runtime/fixture.ts";
import type { Answer } from "./ask.ts";
import { hashOf } from "./placement.ts";

/** Holds appends until they are let go with a verdict. */
function gate() {
  const held: ((verdict: Verdict) => void)[] = [];
  let closed = false;
  const interference: Interference = {
    before: (operation) =>
      operation.type === "append" && closed
        ? new Promise<Verdict>((resolve) => held.push(resolve))
        : ("proceed" as const),
  };
  return {
    interference,
    close: () => {
      closed = true;
    },
    open: async (verdict: Verdict = "proceed") => {
      closed = false;
      for (const resolve of held.splice(0)) resolve(verdict);
      await settle();
    },
    /** Lets what is held go on and holds what comes next. */
    pass: async (verdict: Verdict = "proceed") => {
      for (const resolve of held.splice(0)) resolve(verdict);
      await settle();
    },
    get held() {
      return held.length;
    },
  };
}

test("commands that arrive in one turn of the loop share an append, one that ended in it does not go ahead of them", async (t) => {
  const disk = gate();
  let appends = 0;
  const { ask } = await startFixture({
    interference: {
      before: (operation) => {
        if (operation.type === "append") appends++;
        return disk.interference.before!(operation);
      },
    },
  });
  await ask({ type: "add", amount: 1 });
  await settle();
  appends = 0;
  disk.close();
  const add = () => ask({ type: "add", amount: 1 });
  const first = add();
  for (let i = 0; i < 10; i++) await undefined;
  const second = add();
  await settle();
  t.is(appends, 1);
  const third = add();
  await settle();
  const opened = disk.open();
  for (let i = 0; i < 10; i++) await undefined;
  const fourth = add();
  await Promise.all([first, second, third, fourth, opened]);
  t.is(appends, 2);
});

test("no answer leaves before its position is durable, a read of undurable state included", async (t) => {
  const disk = gate();
  const { ask } = await startFixture({ interference: disk.interference });
  await ask({ type: "add", amount: 1 });
  disk.close();
  const order: string[] = [];
  const write = ask({ type: "add", amount: 2 }).then((answer) => order.push("write") && answer);
  const read = ask({ type: "read" }).then((answer) => order.push("read") && answer);
  const refused = ask({ type: "add", amount: -1 }).then(() => order.push("refusal"));
  await settle();
  t.deepEqual(order, []);
  t.like(await ask({ type: "read" }, { key: "other" }), { response: { sum: 0 } });
  await disk.open();
  t.like(await write, { response: { sum: 3 } });
  t.like(await read, { response: { sum: 3 } });
  await refused;
  t.deepEqual(order, ["write", "read", "refusal"]);
});

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
  const { shards } = (await runtime.insight())[0]!;
  const opening = shards.filter(({ status }) => status === "opening");
  t.deepEqual(
    opening.map(({ cells }) => cells),
    [0],
    "who was answered is forgotten",
  );
});

test("an error of our own while a shard is taken anew: it is logged and tried again, and nothing is lost", async (t) => {
  const logged: string[] = [];
  for (const broken of ["open", "replay", "watermark"] as const) {
    let fails = 0;
    const { ask, world } = await startFixture({
      logger: { error: (_, text) => void logged.push(text!), warn: () => {}, info: () => {} },
      interference: {
        before(operation) {
          if (operation.type === "append" && fails > 0) return { type: "unknown", applied: true };
          if (operation.type === broken && fails-- > 0) throw new TypeError("not a function");
          return "proceed";
        },
      },
    });
    await ask({ type: "add", amount: 1 });
    fails = 3;
    t.like(await ask({ type: "add", amount: 2 }), { code: "UNAVAILABLE" });
    await world.advance(1_000);
    t.like(await ask({ type: "read" }), { response: { sum: 3 } });
    t.like(await ask({ type: "add", amount: 4 }), { response: { sum: 7 } });
  }
  t.is(logged.filter((text) => text === "a shard could not be read and is tried again").length, 9);
});

test("an error of our own when shards are first opened ends the start", async (t) => {
  const interference: Interference = {
    before: ({ type }) => {
      if (type === "replay") throw new TypeError("not a function");
      return "proceed";
    },
  };
  await t.throwsAsync(startFixture({ interference }), { instanceOf: TypeError });
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

test("what is asked during an append goes with the next one, all together", async (t) => {
  const disk = gate();
  const { ask, runtime } = await startFixture({ interference: disk.interference });
  await ask({ type: "read" });
  disk.close();
  const answers = Array.from({ length: 50 }, () => ask({ type: "add", amount: 1 }));
  await settle();
  const more = Array.from({ length: 50 }, () => ask({ type: "add", amount: 1 }));
  await settle();
  t.is(disk.held, 1);
  await disk.pass();
  t.is(disk.held, 1);
  await disk.open();
  await Promise.all([...answers, ...more]);
  const [insight] = await runtime.insight();
  t.is(
    insight!.shards.reduce((sum, shard) => sum + shard.commits, 0),
    2,
  );
});

test("an answer is what was true when it was decided, also if the state has moved on since", async (t) => {
  const disk = gate();
  const { ask, world } = await startFixture({ interference: disk.interference });
  await ask({ type: "alarm", id: "x", dueMs: world.nowMs + 10 });
  disk.close();
  const early = ask({ type: "add", amount: 1 });
  await settle();
  await world.advance(20);
  const late = ask({ type: "read" });
  await disk.open();
  t.like(await early, { response: { sum: 1, fired: [] } });
  t.like(await late, { response: { fired: ["x"] } });
});

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

test("a caller that asks again the moment it is refused is answered, by the tenure that follows", async (t) => {
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

test("fenced: the old owner never answers from that shard again", async (t) => {
  const first = await startFixture();
  await first.ask({ type: "add", amount: 1 });
  const second = await startFixture({}, first.world, first.store);
  t.like(await first.ask({ type: "add", amount: 1 }), { code: "UNAVAILABLE", reason: "MOVED" });
  t.like(await first.ask({ type: "read" }), { code: "UNAVAILABLE", reason: "MOVED" });
  t.like(await second.ask({ type: "read" }), { response: { sum: 1 } });
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

test("after a crash everything acknowledged is there, from the journal alone and from tables and journal", async (t) => {
  const first = await startFixture();
  for (let i = 0; i < 10; i++) await first.ask({ type: "add", amount: 1 });
  const second = await first.restart();
  t.like(await second.ask({ type: "read" }), { response: { sum: 10, lines: 10 } });
  await second.world.advance(1_000);
  for (let i = 0; i < 10; i++) await second.ask({ type: "add", amount: 1 });
  const third = await second.restart();
  t.like(await third.ask({ type: "tail", limit: 3 }), { response: [20, 19, 18] });
  t.like(await third.ask({ type: "read" }), { response: { sum: 20 } });
});

test("a clock that jumps an hour ahead commits nothing until it has run steadily for a while", async (t) => {
  const { ask, world } = await startFixture();
  await ask({ type: "add", amount: 1 });
  world.nowMs += 3_600_000;
  t.like(await ask({ type: "add", amount: 1 }), { code: "UNAVAILABLE", reason: "CLOCK" });
  t.like(await ask({ type: "read" }), { response: { sum: 1 } });
  await world.advance(31_000);
  const answer = await ask({ type: "add", amount: 1 });
  t.false(isRefusal(answer));
});

test("shard time does not go back with the clock, nor over a restart", async (t) => {
  const first = await startFixture();
  const timeOf = (answer: Answer) => ulidTimeMs((answer as { response: { id: string } }).response.id);
  const before = timeOf(await first.ask({ type: "add", amount: 1 }));
  first.world.nowMs -= 3_600_000;
  t.is(timeOf(await first.ask({ type: "add", amount: 1 })), before);
  await first.world.advance(1_000);
  const second = await first.restart();
  t.is(timeOf(await second.ask({ type: "add", amount: 1 })), before);
});
