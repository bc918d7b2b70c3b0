import test from "ava";
import { isRefusal, limits } from "#base";
import { QueueBench } from "../../../test/support/queue.ts";
import { queueProblems } from "../../../test/support/queue-check.ts";
import { unpackSummaries } from "../../kit/item-event.ts";

test("an item is enqueued, claimed and completed, and can be read afterwards", (t) => {
  const bench = new QueueBench();
  const { item, admission } = bench.enqueue({ key: "k", payload: { n: 1 }, attributes: { a: "b" } });
  t.like(admission, { outcome: "enqueued" });
  t.like(item, { state: "ready", key: "k", payload: { n: 1 }, priority: 3, pool_id: bench.poolId });
  const [leased] = bench.claim();
  t.like(leased!.item, { id: item.id, state: "leased", deliveries: 1, payload: { n: 1 } });
  t.like(bench.settle("complete", leased!, { result: { ok: true } }), { state: "completed" });
  t.like(bench.get(item.id), { state: "completed", result: { ok: true }, payload: { n: 1 } });
  t.like(bench.status(), { depth: 0, leased: 0, throughput_today: 1 });
});

test("invariant 6: a finished item is there until its retention is over, then nothing of it is left", (t) => {
  const bench = new QueueBench({ retention_seconds: 60 });
  bench.enqueue({ dedup_id: "d", payload: 1 });
  const [leased] = bench.claim();
  bench.settle("complete", leased!, { result: 1 });
  bench.driver.advance(59_999);
  t.is(bench.get(leased!.item.id).state, "completed");
  bench.driver.advance(2_001);
  t.true(isRefusal(bench.get(leased!.item.id)));
  for (const name of ["item", "done", "body", "result", "dedup", "retain", "lease", "ready", "due"])
    t.is(bench.rows(name), 0, name);
});

test("invariant 6: an item that ends while the last finished one is forgotten is forgotten in its turn", (t) => {
  const retentionMs = 60_000;
  const bench = new QueueBench({ retention_seconds: retentionMs / 1_000 });
  bench.enqueue({ key: "a" });
  bench.settle("complete", bench.claim()[0]!);
  const forgetAt = bench.stored("retain")[0]!.key[0] as number;
  bench.enqueue({ key: "b", expires_at: new Date(forgetAt).toISOString() });
  bench.driver.advance(forgetAt - bench.driver.now);
  t.like(bench.status(), { by_state: { completed: 0, expired: 1 } });
  t.deepEqual(queueProblems(bench), []);
  bench.driver.advance(retentionMs);
  t.like(bench.status(), { by_state: { completed: 0, expired: 0 } });
  t.is(bench.rows("done"), 0);
});

test("every item begins with an event of its own, also where its own batch has changed it already", (t) => {
  const key = "item.key";
  for (const admission of [
    { debounce: { key, period_ms: 1_000 } },
    { singleton: { key, mode: "keep_latest" } },
  ]) {
    const bench = new QueueBench({ admission });
    bench.ask("QueueService.EnqueueBatch", { items: [{ key: "k" }, { key: "k" }] });
    const first = bench.driver.published.find(({ kind }) => kind.startsWith("queue_item."))!;
    t.is(first.kind, "queue_item.enqueued");
    const made = unpackSummaries(first.payload)!.map(({ id }) => id);
    t.deepEqual(
      made.sort(),
      bench
        .stored("item")
        .concat(bench.stored("done"))
        .map((row) => row.key[0])
        .sort(),
    );
  }
});

test("a claim waits for an item and gets it when it comes", (t) => {
  const bench = new QueueBench();
  let got: unknown[] = [];
  bench.poll(1, (items) => {
    got = items;
  });
  t.deepEqual(got, []);
  bench.enqueue({ key: "late" });
  t.is(got.length, 1);
});

test("a claim that waits in vain answers with nothing when its time is over", (t) => {
  const bench = new QueueBench();
  let got: unknown;
  bench.poll(
    1,
    (items) => {
      got = items;
    },
    { wait_seconds: 2 },
  );
  bench.driver.advance(1_999);
  t.is(got, undefined);
  bench.driver.advance(1);
  t.deepEqual(got, []);
});

test("a condition that fails on an enqueued item does not match, and is counted with its rule", (t) => {
  const bench = new QueueBench();
  const { id } = bench.pool("RuleService.CreateRule", {
    name: "r",
    enabled: true,
    condition: "item.attributes.missing > 1",
    action: { reject: { reason: "never" } },
  });
  bench.ask("AdmissionService.PreviewAdmission");
  t.is(bench.enqueue().admission.outcome, "enqueued");
  bench.ask("QueueService.EnqueueBatch", { items: [{}, { attributes: { missing: 0 } }, {}] });
  bench.driver.restart();
  t.is(bench.pool("RuleService.GetRule", { rule_id: id }).evaluation_errors, 3);
});

test("a batch that rules send to several pools tells of each of them", (t) => {
  const bench = new QueueBench();
  const pools = ["01JVVVVVVVVVVVVVVVVVVVVVVV", "01JWWWWWWWWWWWWWWWWWWWWWWW"];
  for (const pool_id of pools)
    bench.pool("RuleService.CreateRule", {
      name: "away",
      enabled: true,
      condition: `item.key == "${pool_id}"`,
      action: { redirect: { pool_id } },
    });
  bench.ask("QueueService.EnqueueBatch", { items: [...pools, ...pools, "stays"].map((key) => ({ key })) });
  const told = bench.driver.published.filter(({ kind }) => kind === "queue_item.redirected");
  t.deepEqual(
    told.map(({ payload }) => (payload as { to_pool_id: string }).to_pool_id),
    pools,
  );
});

for (const restarted of [false, true])
  test(`an item without a payload has none, and one of null has null${restarted ? ", after a restart too" : ""}`, (t) => {
    const bench = new QueueBench({ max_attempts: 1 });
    const attributes = { long: "a".repeat(limits.queueInlineBytesMax) };
    const given = [
      {},
      { payload: null },
      { attributes: { a: 1 } },
      { attributes },
      { payload: null, attributes },
    ];
    const shown = (item: Record<string, unknown>) => ("payload" in item ? item.payload : undefined);
    const expected = given.map((request) => ("payload" in request ? null : undefined));
    const ids = given.map((request, index) => {
      const { item } = bench.enqueue(request);
      t.is(shown(item), expected[index]);
      return item.id;
    });
    bench.driver.advance(60_000);
    if (restarted) bench.driver.restart();
    t.deepEqual(
      ids.map((id) => shown(bench.get(id))),
      expected,
    );
    const leased = bench.claim(given.length);
    t.deepEqual(
      leased.map(({ item }) => shown(item)),
      expected,
    );
    for (const one of leased) bench.settle("fail", one);
    if (restarted) bench.driver.restart();
    const dead = bench.ask("DeadLetterService.ListDeadLetters").dead_letters as Record<string, unknown>[];
    t.deepEqual(
      ids.map((id) => shown(dead.find((item) => item.id === id)!)),
      expected,
    );
    t.deepEqual(bench.driver.unlikeReplay(bench.at("queue")), []);
  });
