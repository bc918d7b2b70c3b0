import test from "ava";
import { limits } from "#base";
import { type LeasedItem, QueueBench } from "../../../test/support/queue.ts";
import { queueProblems } from "../../../test/support/queue-check.ts";
import { fromRow } from "../rows/item-row.ts";

/** Thirty items in line, all with rows there; the first two have an attribute in common. */
function benchWithLine(config: Record<string, unknown> = {}): QueueBench {
  const bench = new QueueBench(config);
  bench.ask("QueueService.EnqueueBatch", {
    items: Array.from({ length: 30 }, (_, i) => ({ key: `${i}`, attributes: { c: `${Math.max(1, i)}` } })),
  });
  bench.driver.advance(limits.queueLineAfterMs + 1_000);
  return bench;
}

/** The rows after a claim by release 0.1: those of its items are still in line, and a row of `passed` covers them. */
function claimAsBefore(bench: QueueBench, count: number): LeasedItem[] {
  const covered = bench.stored("ready").slice(0, count);
  const leased = bench.claim(count);
  const { key: lastKey } = covered.at(-1)!;
  const [list, band, tag, order] = lastKey as [string, number, number, number];
  const rowsOf = (collection: string) => bench.driver.rows(bench.at("queue"), collection);
  for (const { key, value } of covered) rowsOf("ready").put(key, value);
  rowsOf("passed").put([list, band], [tag, order, count]);
  bench.driver.restart();
  return leased;
}

const keysOf = (leased: readonly LeasedItem[]) => leased.map(({ item }) => item.key);
const keysFrom = (first: number) => Array.from({ length: 30 - first }, (_, i) => `${first + i}`);
const rowsInLine = (bench: QueueBench) => [bench.rows("ready"), bench.rows("passed")];

test("rows of 0.1: the next claim takes the items behind passed rows and deletes these, over restarts too", (t) => {
  const bench = benchWithLine();
  claimAsBefore(bench, 10);
  t.deepEqual(keysOf(bench.claim(5)), keysFrom(10).slice(0, 5));
  t.deepEqual(rowsInLine(bench), [15, 0]);
  t.deepEqual(queueProblems(bench), []);
  claimAsBefore(bench, 5);
  t.deepEqual(keysOf(bench.claim(30)), keysFrom(20));
  t.deepEqual(rowsInLine(bench), [0, 0]);
  t.deepEqual(queueProblems(bench), []);
});

test("rows of 0.1: an item that steps forward to a passed place is the only one there", (t) => {
  const bench = benchWithLine({ admission: { concurrency: [{ key: "item.attributes.c", limit: 1 }] } });
  const [first] = bench.claim(10);
  claimAsBefore(bench, 5);
  t.deepEqual([...rowsInLine(bench), bench.rows("parked")], [19, 1, 1]);
  bench.settle("complete", first!);
  t.deepEqual([...rowsInLine(bench), bench.rows("parked")], [15, 0, 0]);
  t.deepEqual(queueProblems(bench), []);
  bench.driver.restart();
  t.deepEqual(keysOf(bench.claim(3)), ["1", "16", "17"]);
  t.deepEqual(queueProblems(bench), []);
});

test("rows of 0.1: a cancelled item behind passed rows takes these along", (t) => {
  const bench = benchWithLine();
  claimAsBefore(bench, 10);
  bench.ask("QueueService.Cancel", { queue_item_id: itemId(bench, 15) });
  t.deepEqual(rowsInLine(bench), [19, 0]);
  t.deepEqual(
    keysOf(bench.claim(30)),
    keysFrom(10).filter((key) => key !== "15"),
  );
  t.deepEqual(queueProblems(bench), []);
});

test("rows of 0.1: a line that nobody claims from keeps them until a new item gets its row", (t) => {
  const bench = benchWithLine();
  claimAsBefore(bench, 10);
  bench.enqueue({ key: "30" });
  t.deepEqual(rowsInLine(bench), [30, 1]);
  bench.driver.advance(limits.queueLineAfterMs + 1_000);
  t.deepEqual(rowsInLine(bench), [21, 0]);
  t.deepEqual(keysOf(bench.claim(30)), [...keysFrom(10), "30"]);
  t.deepEqual(queueProblems(bench), []);
});

test("rows of 0.1: a deleted pool leaves none", (t) => {
  const bench = benchWithLine();
  claimAsBefore(bench, 10);
  bench.pool("PoolService.DeletePool", { force: true });
  t.deepEqual(rowsInLine(bench), [0, 0]);
});

function itemId(bench: QueueBench, index: number): string {
  const { value } = bench.stored("ready")[index]!;
  return fromRow(value).id;
}
