import test from "ava";
import { StorageError } from "#storage";
import type { Operation } from "../storage/memory/index.ts";
import { type FixtureOptions, startFixture } from "../test/support/runtime/fixture.ts";
import { shardOf } from "./placement.ts";
import type { ThreadHealth } from "./thread/health.ts";

const corrupt = { code: "UNAVAILABLE", reason: "DATA_DAMAGED" };
const shardCount = 8;
const shardOfKey = (key: string) => shardOf({ kind: "notebook", tenant: "t", key }, "key", shardCount);
/** Two notebooks of different shards. */
const [ill, well] = ["a", ["b", "c", "d", "e"].find((key) => shardOfKey(key) !== shardOfKey("a"))!];
const illShard = shardOfKey(ill);

/** Operations of one shard fail as corrupt while `when` says so; what was logged and told is kept. */
function corruptWhen(when: (operation: Operation) => boolean) {
  const logged: string[] = [];
  const told: ThreadHealth[] = [];
  const log = (_: object, text: string) => void logged.push(text);
  const options: FixtureOptions = {
    logger: { info: () => {}, warn: log, error: log },
    onHealth: (health) => void told.push(health),
    interference: {
      before(operation) {
        if (!when(operation)) return "proceed";
        throw new StorageError("corrupt", "a checksum does not match", { shard: illShard });
      },
    },
  };
  const times = () => logged.filter((text) => /is corrupt/.test(text)).length;
  return { options, logged, told, times };
}

const cases: [name: string, when: (operation: Operation) => boolean][] = [
  ["opened", (operation) => operation.type === "open" && operation.shards.includes(illShard)],
  ["replayed", (operation) => operation.type === "replay" && operation.shard === illShard],
];
for (const [name, when] of cases)
  test(`a shard that is corrupt when it is ${name}: it is told once and refused, the others are served`, async (t) => {
    const first = await startFixture();
    for (const key of [ill, well]) await first.ask({ type: "add", amount: 1 }, { key });
    const { options, told, times } = corruptWhen(when);
    const second = await first.restart(options);
    t.like(await second.ask({ type: "read" }, { key: ill }), corrupt);
    t.like(await second.ask({ type: "add", amount: 1 }, { key: well }), { response: { sum: 2 } });
    await second.world.advance(60_000);
    t.like(await second.ask({ type: "read" }, { key: ill }), corrupt);
    t.is(times(), 1);
    t.deepEqual(told.at(-1)!.corruptShards, [illShard]);
  });

test("a shard whose tables are a newer copy than its journal: it is told once and refused, the others are served", async (t) => {
  const first = await startFixture();
  for (const key of [ill, well]) await first.ask({ type: "add", amount: 1 }, { key });
  await first.world.advance(60_000);
  const { head } = first.store.shard(illShard);
  first.store.watermarks.set(illShard, head + 1);
  const { options, told, times } = corruptWhen(() => false);
  const second = await first.restart(options);
  t.like(await second.ask({ type: "add", amount: 1 }, { key: ill }), corrupt);
  t.like(await second.ask({ type: "add", amount: 1 }, { key: well }), { response: { sum: 2 } });
  await second.world.advance(60_000);
  t.like(await second.ask({ type: "read" }, { key: ill }), corrupt);
  t.is(times(), 1);
  t.deepEqual(told.at(-1)!.corruptShards, [illShard]);
  t.is(first.store.shard(illShard).head, head, "nothing was written");
});

test("given a shard that is being opened, when its next owner stores rows first, then it is fenced and not called corrupt", async (t) => {
  const first = await startFixture();
  await first.ask({ type: "add", amount: 1 }, { key: ill });
  let opened = false;
  const { options, times } = corruptWhen((operation) => {
    if (operation.type === "open") opened = true;
    else if (opened && operation.type === "watermark" && operation.shard === illShard) {
      opened = false;
      const shard = first.store.shard(illShard);
      shard.epoch++;
      first.store.watermarks.set(illShard, ++shard.head);
    }
    return false;
  });
  const error = await t.throwsAsync(first.restart(options), { instanceOf: StorageError });
  t.is(error.kind, "fenced");
  t.is(times(), 0);
});

test("a shard that turns out to be corrupt by an append, or when it is taken anew, is told once and not tried again", async (t) => {
  for (const kind of ["append", "replay"] as const) {
    let broken = false;
    let tries = 0;
    const { options, told, times } = corruptWhen((operation) => {
      if (!broken || !("shard" in operation) || operation.shard !== illShard) return false;
      if (operation.type === "append" && kind === "replay") throw new StorageError("unknown", "no answer");
      if (operation.type === kind) tries++;
      return operation.type === kind;
    });
    const { ask, world } = await startFixture(options);
    await ask({ type: "add", amount: 1 }, { key: ill });
    broken = true;
    t.like(await ask({ type: "add", amount: 1 }, { key: ill }), { code: "UNAVAILABLE" });
    await world.advance(60_000);
    t.like(await ask({ type: "read" }, { key: ill }), corrupt);
    t.like(await ask({ type: "add", amount: 1 }, { key: well }), { response: { sum: 1 } });
    t.deepEqual([tries, times()], [1, 1], kind);
    t.deepEqual(told.at(-1)!.corruptShards, [illShard]);
  }
});

test("rows of an entity that are corrupt: its callers are told so, its neighbours go on, the log has it once", async (t) => {
  const first = await startFixture();
  await first.ask({ type: "add", amount: 1 }, { key: ill });
  await first.world.advance(1_000);
  let broken = false;
  const { options, logged, told } = corruptWhen(
    (operation) => broken && operation.type === "scan" && operation.shard === illShard,
  );
  const second = await first.restart(options);
  await second.world.advance(2_000);
  broken = true;
  for (let i = 0; i < 3; i++) t.like(await second.ask({ type: "read" }, { key: ill }), corrupt);
  t.like(await second.ask({ type: "read" }, { key: well }), { response: { sum: 0 } });
  t.is(logged.filter((text) => /is corrupt|could not be read/.test(text)).length, 1);
  await second.world.advance(1_000);
  t.deepEqual(told.at(-1)!.corruptShards, [illShard]);
  broken = false;
  t.like(await second.ask({ type: "read" }, { key: ill }), { response: { sum: 1 } });
});

test("a clock that jumps is part of a thread's health until it is right again, either way", async (t) => {
  const told: ThreadHealth[] = [];
  const { world } = await startFixture({ onHealth: (health) => void told.push(health) });
  const expect = async (health: Partial<ThreadHealth>) => {
    await world.advance(2_000);
    t.like(told.at(-1), health);
  };
  await expect({ clock: "steady", clockSeconds: 0, corruptShards: [] });
  world.nowMs -= 86_400_000;
  await expect({ clock: "behind", clockSeconds: 86_400 });
  world.nowMs += 86_400_000;
  await expect({ clock: "steady", clockSeconds: 0 });
  world.nowMs += 3_600_000;
  await expect({ clock: "ahead", clockSeconds: 3_600 });
  await world.advance(30_000);
  await expect({ clock: "steady" });
});

test("what is stored is a day ahead of the clock: a thread's health says so after a restart", async (t) => {
  const told: ThreadHealth[] = [];
  const first = await startFixture();
  await first.ask({ type: "add", amount: 1 });
  first.world.nowMs -= 86_400_000;
  await first.restart({ onHealth: (health) => void told.push(health) });
  await first.world.advance(2_000);
  t.like(told.at(-1), { clock: "behind", clockSeconds: 86_400 });
});
