import test from "ava";
import { isRefusal } from "#base";
import { QueueBench } from "../../../../test/support/queue.ts";

test("a paused queue takes items and hands none out; resumed, they go at once to claims that wait", (t) => {
  const bench = new QueueBench();
  bench.ask("QueueControlService.PauseQueue", { reason: "deploy" });
  const { item } = bench.enqueue();
  t.is(bench.claim().length, 0);
  t.like(bench.get(item.id).wait, { reason: "paused" });
  t.like(bench.status(), { paused: true, pause_reason: "deploy", depth: 1 });
  let got: unknown[] = [];
  bench.poll(1, (items) => {
    got = items;
  });
  bench.ask("QueueControlService.ResumeQueue");
  t.is(got.length, 1);
});

test("a pause until a time ends by itself, also over a restart", (t) => {
  const bench = new QueueBench();
  bench.enqueue();
  bench.ask("QueueControlService.PauseQueue", { until: new Date(bench.driver.now + 60_000).toISOString() });
  bench.driver.restart();
  bench.driver.advance(59_999);
  t.is(bench.claim().length, 0);
  bench.driver.advance(1);
  t.false(bench.status().paused);
  t.is(bench.claim().length, 1);
});

test("the end of a pause is told when it comes, whatever else the queue waits for", (t) => {
  for (const delayMs of [0, 1_000]) {
    const bench = new QueueBench();
    bench.ask("QueueControlService.PauseQueue", { until: new Date(bench.driver.now + 60_000).toISOString() });
    if (delayMs > 0) bench.enqueue({ not_before: new Date(bench.driver.now + delayMs).toISOString() });
    const resumed = () => bench.driver.published.filter(({ kind }) => kind === "queue.resumed").length;
    bench.driver.advance(59_999);
    t.is(resumed(), 0);
    bench.driver.advance(1);
    t.is(resumed(), 1);
  }
});

test("a pause as it is already, and a resume of what is not paused, publish no event", (t) => {
  const bench = new QueueBench();
  const until = new Date(bench.driver.now + 60_000).toISOString();
  const begun = bench.driver.published.length;
  const told = () => bench.driver.published.slice(begun).map(({ kind }) => kind);
  bench.ask("QueueControlService.ResumeQueue");
  t.deepEqual(told(), []);
  const pauses = [{ reason: "deploy" }, { reason: "deploy", until }, { reason: "audit", until }];
  for (const pause of pauses)
    for (let i = 0; i < 2; i++)
      t.like(bench.ask("QueueControlService.PauseQueue", pause), {
        paused: true,
        pause_reason: pause.reason,
      });
  t.deepEqual(told(), ["queue.paused", "queue.paused", "queue.paused"]);
});

test("a pause that is over before it begins is refused", (t) => {
  const bench = new QueueBench();
  for (const ms of [0, 1_000]) {
    const until = new Date(bench.driver.now - ms).toISOString();
    t.like(bench.ask("QueueControlService.PauseQueue", { until }), { code: "INVALID_ARGUMENT" });
  }
});

test("drain cancels the oldest first and never a leased item", (t) => {
  const bench = new QueueBench();
  const ids = Array.from({ length: 5 }, () => {
    bench.driver.now += 1;
    return bench.enqueue().item.id;
  });
  bench.claim();
  t.like(bench.ask("queue.DrainStep", { max_items: 2 }), { drained: 2, remaining_depth: 2 });
  t.deepEqual(
    ids.map((id) => bench.get(id).state),
    ["leased", "cancelled", "cancelled", "ready", "ready"],
  );
});

test("a deleted pool leaves nothing of its queue behind", (t) => {
  const bench = new QueueBench({ admission: { concurrency: [{ limit: 1 }] } });
  bench.enqueue({ dedup_id: "d" });
  bench.enqueue();
  bench.claim();
  t.like(bench.pool("PoolService.DeletePool"), { code: "FAILED_PRECONDITION" });
  t.false(isRefusal(bench.pool("PoolService.DeletePool", { force: true })));
  for (const name of ["meta", "item", "body", "ready", "parked", "lease", "group", "dedup", "due"])
    t.is(bench.rows(name), 0, name);
});
