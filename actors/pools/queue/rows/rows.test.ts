import test from "ava";
import { QueueBench } from "../../../../test/support/queue.ts";
import { queueProblems } from "../../../../test/support/queue-check.ts";

const large = "x".repeat(5_000);

function itemOf(queue: QueueBench, id: string): { payload: unknown; state: string } {
  return queue.get(id) as { payload: unknown; state: string };
}

test("a small payload is stored with its item, a large one once in a row of its own", (t) => {
  const queue = new QueueBench({ retention_seconds: 60 });
  const small = queue.enqueue({ payload: "small", attributes: { a: 1 } }).item;
  t.is(queue.rows("body"), 0);
  const other = queue.enqueue({ payload: large }).item;
  t.is(queue.rows("body"), 1);
  for (const leased of queue.claim(2)) queue.settle("fail", leased, { delay_ms: 1_000 });
  queue.driver.restart();
  queue.driver.advance(1_000);
  const again = queue.claim(2);
  t.deepEqual(
    again.map(({ item }) => item.payload),
    ["small", large],
  );
  queue.driver.restart();
  for (const leased of again) queue.settle("complete", leased, { result: { ok: true } });
  t.deepEqual(queueProblems(queue), []);
  queue.driver.restart();
  t.like(itemOf(queue, small.id), { payload: "small", attributes: { a: 1 }, state: "completed" });
  t.like(itemOf(queue, other.id), { payload: large, state: "completed" });
  queue.driver.advance(62_000);
  for (const name of ["item", "done", "body", "result", "retain", "lease", "ready"])
    t.is(queue.rows(name), 0, name);
});

test("a payload that grows or shrinks in a debounce window changes where it is stored", (t) => {
  const config = { admission: { debounce: { key: "item.key", period_ms: 100 } } };
  for (const [first, second, rows] of [
    ["small", large, 1],
    [large, "small", 0],
  ] as const) {
    const queue = new QueueBench(config);
    queue.enqueue({ key: "k", payload: first });
    queue.enqueue({ key: "k", payload: second });
    t.is(queue.rows("body"), rows);
    t.deepEqual(queueProblems(queue), []);
    queue.driver.restart();
    queue.driver.advance(100);
    t.is(queue.claim(1)[0]!.item.payload, second);
  }
});

test("leases of one claim share rows; what ends early is taken out, and the rest is there after a restart", (t) => {
  const queue = new QueueBench();
  for (let i = 0; i < 20; i++) queue.enqueue({ payload: i });
  const leased = queue.claim(20);
  t.is(queue.rows("lease"), 3);
  queue.settle("complete", leased[3]!);
  queue.settle("release", leased[10]!);
  queue.settle("extend", leased[11]!);
  t.deepEqual(queueProblems(queue), []);
  queue.driver.restart();
  t.is(queue.status().leased, 18);
  t.deepEqual(queueProblems(queue), []);
  for (const [index, one] of leased.entries()) if (index !== 3 && index !== 10) queue.settle("complete", one);
  t.is(queue.rows("lease"), 0);
  const [released] = queue.claim(5);
  t.is(released!.item.id, leased[10]!.item.id);
  t.is(queue.rows("lease"), 1);
  t.deepEqual(queueProblems(queue), []);
});

test("a claim shows the payload of every item, also where memory has no room for all of them", (t) => {
  const queue = new QueueBench();
  const huge = "x".repeat(200_000);
  for (let i = 0; i < 100; i++) queue.enqueue({ key: `${i}`, payload: i % 10 === 0 ? `small ${i}` : huge });
  const leased = queue.claim(100);
  t.deepEqual(
    leased.filter(({ item }) => item.payload !== (Number(item.key) % 10 === 0 ? `small ${item.key}` : huge)),
    [],
  );
  for (const one of leased) queue.settle("complete", one);
  t.is(queue.get(leased[0]!.item.id).payload, "small 0");
  t.deepEqual(queueProblems(queue), []);
});
