import test from "ava";
import { isRefusal, ulidTimeMs } from "#base";
import { settle, startFixture } from "../test/support/runtime/fixture.ts";
import { gate } from "../test/support/runtime/gate.ts";
import type { Answer } from "./ask.ts";

test("commands that arrive in one iteration of the event loop share an append, one that ended in it does not go ahead of them", async (t) => {
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
  const [stats] = await runtime.stats();
  t.is(
    stats!.shards.reduce((sum, shard) => sum + shard.commits, 0),
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

test("a start whose clock is behind what is stored says by how much", async (t) => {
  const warned: { details: object; text: string }[] = [];
  const warn = (details: object, text: string) => void warned.push({ details, text });
  const logger = { info: () => {}, warn, error: () => {} };
  const first = await startFixture({ logger });
  await first.ask({ type: "add", amount: 1 });
  const second = await first.restart();
  t.deepEqual(warned, []);
  second.world.nowMs -= 3_600_000;
  await second.restart();
  t.is(warned.length, 1);
  t.like(warned[0], { details: { ahead_ms: 3_600_000 } });
  t.regex(warned[0]!.text, /the clock is behind what is stored/);
});

test("shard time does not go back with the clock, nor over a restart, and goes on from there", async (t) => {
  const first = await startFixture();
  const timeOf = (answer: Answer) => ulidTimeMs((answer as { response: { id: string } }).response.id);
  const before = timeOf(await first.ask({ type: "add", amount: 1 }));
  first.world.nowMs -= 3_600_000;
  t.is(timeOf(await first.ask({ type: "add", amount: 1 })), before);
  await first.world.advance(1_000);
  const second = await first.restart();
  t.is(timeOf(await second.ask({ type: "add", amount: 1 })), before);
  await second.world.advance(500);
  t.is(timeOf(await second.ask({ type: "add", amount: 1 })), before + 500);
});
