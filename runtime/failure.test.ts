/** Errors of our own, where nobody called who could answer for them: they end an ownership term, not the thread. */
import test from "ava";
import type { Interference } from "../storage/memory/index.ts";
import { type Fixture, settle, startFixture } from "../test/support/runtime/fixture.ts";
import { gate } from "../test/support/runtime/gate.ts";
import { shardOf } from "./placement.ts";
import { ShardMetrics } from "./shard/metrics.ts";
import { keyOf } from "./shard/partition.ts";
import { outboxPartition } from "./shard/recorder.ts";
import { Shard } from "./shard/shard.ts";
import { TimerWindow } from "./shard/timers.ts";

const shardOfKey = (key: string) => shardOf({ kind: "notebook", tenant: "t", key }, "key", 8);
const source = shardOfKey("a");
const elsewhere = ["b", "c", "d", "e"].find((key) => shardOfKey(key) !== source)!;

/** The next call of this method throws; those after it do as ever. */
function breakOnce<Name extends string>(owner: { [name in Name]: unknown }, name: Name): void {
  const whole = owner[name];
  owner[name] = () => {
    owner[name] = whole;
    throw new TypeError("not a function");
  };
}

/** Of all shards, by their numbers: how often an ownership term of each has ended by an error of our own. */
async function failures({ runtime }: Fixture): Promise<number[]> {
  const [stats] = await runtime.stats();
  return stats!.shards.map((shard) => shard.failures);
}

const once = (shard: number) => Array.from({ length: 8 }, (_, number) => (number === shard ? 1 : 0));

test.serial("at the end of a commit: what is durable is told, and the shard is taken anew", async (t) => {
  const fixture = await startFixture();
  await fixture.ask({ type: "add", amount: 1 });
  breakOnce(ShardMetrics.prototype, "committed");
  t.like(await fixture.ask({ type: "add", amount: 2 }), { response: { sum: 3 } });
  t.like(await fixture.ask({ type: "add", amount: 4 }), { response: { sum: 7 } });
  t.deepEqual(await failures(fixture), once(source));
});

test("when one caller of a turn is answered: the others of that turn are answered all the same", async (t) => {
  const disk = gate();
  let proves = true;
  const fixture = await startFixture({
    interference: disk.interference,
    provenMs: () => {
      if (proves) return 0;
      proves = true;
      throw new TypeError("not a function");
    },
  });
  const { ask } = fixture;
  await ask({ type: "add", amount: 1 });
  disk.close();
  const first = ask({ type: "add", amount: 2 });
  // Only for what was merely seen is it asked who the owner is.
  void ask({ type: "read" });
  const others = [ask({ type: "add", amount: 4 }), ask({ type: "read" })];
  await settle();
  proves = false;
  await disk.open();
  t.like(await first, { response: { sum: 3 } });
  t.like(await Promise.all(others), [{ response: { sum: 7 } }, { response: { sum: 7 } }]);
  t.deepEqual(await failures(fixture), once(source));
});

test.serial("when a timer is due: it fires all the same", async (t) => {
  const fixture = await startFixture();
  await fixture.ask({ type: "alarm", id: "x", dueMs: fixture.world.nowMs + 500 });
  breakOnce(TimerWindow.prototype, "takeDue");
  await fixture.world.advance(1_000);
  t.like(await fixture.ask({ type: "read" }), { response: { fired: ["x"] } });
  t.deepEqual(await failures(fixture), once(source));
});

test.serial(
  "when a message is answered: its sender is taken anew, not its target, and it is applied once",
  async (t) => {
    let refuses = false;
    const target = shardOfKey(elsewhere);
    const fixture = await startFixture({
      interference: {
        before: (operation) =>
          refuses && operation.type === "append" && operation.shard === target
            ? { type: "fail", kind: "unavailable" }
            : "proceed",
      },
    });
    const { ask, world } = fixture;
    await ask({ type: "add", amount: 1 });
    refuses = true;
    t.like(await ask({ type: "add", amount: 2, send: elsewhere }), { response: { sum: 3 } });
    // What is set next is the sender's pause before it tries again.
    breakOnce(Shard.prototype, "setTimer");
    await settle();
    refuses = false;
    await world.advance(20_000);
    t.like(await ask({ type: "read" }, { key: elsewhere }), { response: { messages: 1, sum: 2 } });
    t.deepEqual(await failures(fixture), once(source));
  },
);

test.serial(
  "a row of a shard's own that cannot be read: it is tried again, ever less often, and its neighbours go on",
  async (t) => {
    const first = await startFixture();
    const { store, world } = first;
    await first.ask({ type: "add", amount: 1 });
    const name = `${source}:${outboxPartition.text}`;
    const key = keyOf([1]);
    store.partitions.set(name, { keys: [key], values: new Map([[key, Buffer.from("nonsense")]]) });
    const fixture = await first.restart();
    await world.advance(60_000);
    t.like(await fixture.ask({ type: "add", amount: 1 }, { key: elsewhere }), { response: { sum: 1 } });
    const times = (await failures(fixture))[source]!;
    t.true(times > 10 && times < 25, `${times} times in a minute`);
    store.partitions.delete(name);
    await world.advance(5_000);
    t.like(await fixture.ask({ type: "add", amount: 2 }), { response: { sum: 3 } });
    t.is((await failures(fixture))[source], times);
  },
);

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
