import test from "ava";
import { Lanes } from "./lanes.ts";

test("one task per shard and a bounded number in all; the longest-waiting shard goes first", async (t) => {
  const lanes = new Lanes(() => 2);
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (shard: number, name: string) =>
    lanes.run(shard, () => {
      started.push(name);
      return new Promise<void>((end) => ends.set(name, end));
    });
  const all = [run(1, "1a"), run(1, "1b"), run(2, "2a"), run(3, "3a"), run(2, "2b")];
  await settle();
  t.deepEqual(started, ["1a", "2a"], "1b waits for its shard, 3a for a lane");
  ends.get("2a")!();
  await settle();
  t.deepEqual(started, ["1a", "2a", "3a"], "3a has waited longer than 2b");
  ends.get("1a")!();
  await settle();
  t.deepEqual(started, ["1a", "2a", "3a", "1b"]);
  ends.get("3a")!();
  ends.get("1b")!();
  await settle();
  ends.get("2b")!();
  await Promise.all(all);
  t.deepEqual(started, ["1a", "2a", "3a", "1b", "2b"]);
});

test("a task that fails frees its lane and its shard", async (t) => {
  const lanes = new Lanes(() => 1);
  await t.throwsAsync(
    lanes.run(1, () => Promise.reject(new Error("failed"))),
    { message: "failed" },
  );
  t.is(await lanes.run(1, () => Promise.resolve("next")), "next");
});

test("the bound may change while tasks wait", async (t) => {
  let max = 1;
  const lanes = new Lanes(() => max);
  let running = 0;
  let most = 0;
  const task = async () => {
    most = Math.max(most, ++running);
    await settle();
    running--;
  };
  await Promise.all(Array.from({ length: 8 }, (_, shard) => lanes.run(shard, task)));
  t.is(most, 1);
  max = 4;
  await Promise.all(Array.from({ length: 8 }, (_, shard) => lanes.run(shard, task)));
  t.is(most, 4);
});

async function settle(): Promise<void> {
  await new Promise(setImmediate);
}
