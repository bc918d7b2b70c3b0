import test from "ava";
import { isRefusal } from "#base";
import { deadLetters } from "../../../../test/support/dead-letters.ts";
import { QueueBench } from "../../../../test/support/queue.ts";
import { queueProblems } from "../../../../test/support/queue-check.ts";

test("a dead letter is listed, retried with everything it had, and stays dead after its last retry", (t) => {
  const bench = new QueueBench();
  const [id] = deadLetters(bench, 1) as [string];
  t.like(bench.ask("DeadLetterService.GetDeadLetterStats"), { depth: 1, quarantined: 0 });
  for (let retry = 1; retry <= 10; retry++) {
    t.like(bench.ask("DeadLetterService.Retry", { queue_item_ids: [id] }), { succeeded: 1 });
    const [leased] = bench.claim();
    t.like(leased!.item, { id, retry_count: retry, priority: 2, key: "k", payload: 0, attempts: 0 });
    bench.settle("reject", leased!);
  }
  const { results } = bench.ask("DeadLetterService.Retry", { queue_item_ids: [id] }) as {
    results: unknown[];
  };
  t.like(results[0], { error: { error_code: "STATE_CONFLICT", reason: "MAX_RETRIES" } });
});

test("a full queue takes no dead letter back: a retry says so of each, and succeeds when there is room", (t) => {
  const bench = new QueueBench({ max_depth: 2 });
  const ids = [...deadLetters(bench, 2), ...deadLetters(bench, 2)];
  bench.enqueue();
  const retry = () =>
    bench.ask("DeadLetterService.Retry", { queue_item_ids: ids }) as { succeeded: number; results: object[] };
  const { succeeded, results } = retry();
  t.is(succeeded, 1);
  for (const result of results.slice(1))
    t.like(result, { error: { error_code: "RATE_LIMITED", reason: "QUEUE_FULL" } });
  t.like(bench.status(), { depth: 2, dlq_depth: 3 });
  for (const leased of bench.claim(2)) bench.settle("complete", leased);
  t.is(retry().succeeded, 2);
  const bytes = new QueueBench({ max_bytes: 1_000 });
  const { item } = bytes.enqueue({ payload: "x".repeat(800) });
  bytes.settle("reject", bytes.claim()[0]!);
  bytes.enqueue({ payload: "y".repeat(800) });
  t.is(bytes.ask("DeadLetterService.Retry", { queue_item_ids: [item.id] }).succeeded, 0);
});

test("a dead letter that is retried has all its attempts and deliveries again", (t) => {
  const bench = new QueueBench({ max_attempts: 2, max_deliveries: 2 });
  const { item } = bench.enqueue();
  const fail = () => bench.settle("fail", bench.claim()[0]!, { delay_ms: 0 });
  for (const state of ["ready", "dead"]) t.like(fail(), { state });
  bench.ask("DeadLetterService.Retry", { queue_item_ids: [item.id] });
  for (const state of ["ready", "dead"]) t.like(fail(), { state });
});

test("a retried dead letter keeps a deadline that is still to come and no other time, not even an old deadline", (t) => {
  for (const [retriedAfter, kept] of [
    [4_999, true],
    [5_000, false],
    [6_000, false],
  ] as const) {
    const bench = new QueueBench();
    const at = (ms: number) => new Date(bench.driver.now + ms).toISOString();
    const expires_at = at(5_000);
    const { item } = bench.enqueue({ not_before: at(1_000), expires_at });
    bench.driver.advance(1_000);
    bench.settle("reject", bench.claim()[0]!);
    bench.driver.advance(retriedAfter - 1_000);
    bench.ask("DeadLetterService.Retry", { queue_item_ids: [item.id] });
    const { state, not_before, finished_at, ...retried } = bench.get(item.id);
    t.deepEqual([state, not_before, finished_at], ["ready", undefined, undefined]);
    t.is(retried.expires_at, kept ? expires_at : undefined);
    bench.driver.advance(10_000);
    t.is(bench.get(item.id).state, kept ? "expired" : "ready");
    t.deepEqual(queueProblems(bench), []);
  }
});

test("a retried dead letter has its singleton key again, also after a restart", (t) => {
  const bench = new QueueBench({ admission: { singleton: { key: "item.key", mode: "skip" } } });
  const { item } = bench.enqueue({ key: "k" });
  bench.settle("reject", bench.claim()[0]!);
  bench.ask("DeadLetterService.Retry", { queue_item_ids: [item.id] });
  for (const restarted of [false, true]) {
    if (restarted) bench.driver.restart();
    t.like(bench.enqueue({ key: "k" }), { item: { id: item.id }, admission: { outcome: "skipped" } });
  }
  t.deepEqual(queueProblems(bench), []);
});

test("a dead letter is kept however long its pool keeps finished items, until it is retried and done", (t) => {
  const bench = new QueueBench({ retention_seconds: 60 });
  const [id] = deadLetters(bench, 1) as [string];
  for (let i = 0; i < 5; i++) bench.driver.advance(60_000);
  t.is(bench.get(id).state, "dead");
  bench.ask("DeadLetterService.Retry", { queue_item_ids: [id] });
  bench.settle("complete", bench.claim()[0]!);
  for (let i = 0; i < 5; i++) bench.driver.advance(60_000);
  t.like(bench.get(id), { code: "NOT_FOUND" });
  t.deepEqual(queueProblems(bench), []);
});

test("a quarantined dead letter is out of list, retry and purge until it is released", (t) => {
  const bench = new QueueBench();
  const [first, second] = deadLetters(bench, 2) as [string, string];
  bench.ask("DeadLetterService.Quarantine", { queue_item_ids: [first] });
  const list = () =>
    (bench.ask("DeadLetterService.ListDeadLetters") as { dead_letters: { id: string }[] }).dead_letters;
  t.deepEqual(
    list().map(({ id }) => id),
    [second],
  );
  t.like(bench.ask("DeadLetterService.Retry", { queue_item_ids: [first] }), { succeeded: 0 });
  t.like(bench.ask("queue.PurgeStep", { before: 0 }), { purged: 1 });
  t.true(isRefusal(bench.get(second)));
  bench.ask("DeadLetterService.Release", { queue_item_ids: [first] });
  t.deepEqual(
    list().map(({ id }) => id),
    [first],
  );
  t.like(bench.ask("DeadLetterService.Retry", { queue_item_ids: [first] }), { succeeded: 1 });
  for (const method of ["Retry", "Quarantine", "Release"]) {
    const { results } = bench.ask(`DeadLetterService.${method}`, { queue_item_ids: [first] });
    t.like(
      (results as object[])[0],
      { error: { error_code: "NOT_FOUND" } },
      `${method}: it is none any more`,
    );
  }
});

test("quarantine and release of what is so already succeed, and publish no event", (t) => {
  const bench = new QueueBench();
  const queue_item_ids = deadLetters(bench, 1);
  const begun = bench.driver.published.length;
  for (const method of ["Release", "Quarantine", "Quarantine", "Release", "Release"])
    t.like(bench.ask(`DeadLetterService.${method}`, { queue_item_ids }), { succeeded: 1 }, method);
  t.deepEqual(
    bench.driver.published.slice(begun).map(({ kind }) => kind),
    ["queue_item.quarantined", "queue_item.unquarantined"],
  );
});

test("a retry does not push aside who waits for a key that has just run out", (t) => {
  const admission = { singleton: { key: "item.key", mode: "keep_latest", ttl_seconds: 5 } };
  const bench = new QueueBench({ lease_seconds: 60, admission });
  const { item: dead } = bench.enqueue({ key: "k" });
  bench.settle("reject", bench.claim()[0]!);
  bench.enqueue({ key: "k" });
  bench.claim();
  const { item: waiting } = bench.enqueue({ key: "k" });
  // The timer of the key is due and has not run.
  bench.driver.now += 5_000;
  const { results } = bench.ask("DeadLetterService.Retry", { queue_item_ids: [dead.id] }) as {
    results: { error?: { reason: string } }[];
  };
  t.is(results[0]!.error?.reason, "SINGLETON_HELD");
  t.is(bench.get(waiting.id).state, "ready");
});
