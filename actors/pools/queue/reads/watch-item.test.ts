import test from "ava";
import { QueueBench } from "../../../../test/support/queue.ts";

type Message = Record<string, unknown>;

/** Asks, and answers with what comes, now or later. */
function awaiting(bench: QueueBench, id: string, more: Message = {}): Message[] {
  const answers: Message[] = [];
  const request = { queue_item_id: id, wait_ms: 30_000, ...more };
  const now = bench.ask("QueueService.AwaitItem", request, (late) => answers.push(late as Message));
  if ((now as unknown) !== "parked") answers.push(now);
  return answers;
}

test("a caller that waits for an item is answered when it ends, however it does, and when its time is over", (t) => {
  const bench = new QueueBench({ max_attempts: 1 });
  const ends: [string, (id: string) => void][] = [
    ["completed", () => bench.settle("complete", bench.claim(1)[0]!, { result: { a: 1 } })],
    ["dead", () => bench.settle("fail", bench.claim(1)[0]!)],
    ["cancelled", (id) => bench.ask("QueueService.Cancel", { queue_item_id: id })],
  ];
  for (const [state, end] of ends) {
    const { id } = bench.enqueue().item;
    const [first, second] = [awaiting(bench, id), awaiting(bench, id)];
    bench.driver.advance(1_000);
    t.deepEqual([first.length, second.length], [0, 0]);
    end(id);
    t.like(first[0], { reached: true, item: { id, state } });
    t.deepEqual(first, second);
    t.deepEqual(awaiting(bench, id), first);
  }
  const { id } = bench.enqueue().item;
  const late = awaiting(bench, id, { wait_ms: 5_000 });
  bench.driver.advance(4_999);
  t.deepEqual(late, []);
  bench.driver.advance(2);
  t.like(late[0], { reached: false, item: { id, state: "ready" } });
  t.like(awaiting(bench, id, { wait_ms: 0 })[0], { reached: false });
  t.like(awaiting(bench, bench.poolId)[0], { code: "NOT_FOUND" });
});

test("started: a lease is enough, also one that was given back; another item's end wakes nobody", (t) => {
  const bench = new QueueBench();
  const [one, other] = [bench.enqueue().item.id, bench.enqueue().item.id];
  const started = awaiting(bench, one, { until: "started" });
  const finished = awaiting(bench, one);
  bench.ask("QueueService.Cancel", { queue_item_id: other });
  t.deepEqual([started, finished], [[], []]);
  const [leased] = bench.claim(1);
  t.like(started[0], { reached: true, item: { state: "leased" } });
  bench.settle("release", leased!);
  t.deepEqual(finished, []);
  t.like(awaiting(bench, one, { until: "started" })[0], { reached: true, item: { state: "ready" } });
  bench.pool("PoolService.DeletePool", { force: true });
  t.like(finished[0] ?? {}, { code: "NOT_FOUND" });
});
