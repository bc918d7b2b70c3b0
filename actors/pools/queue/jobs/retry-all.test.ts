import test from "ava";
import { limits } from "#base";
import { deadLetters } from "../../../../test/support/dead-letters.ts";
import { QueueBench } from "../../../../test/support/queue.ts";
import { queueProblems } from "../../../../test/support/queue-check.ts";
import { hardlyAny, within } from "../../../../test/support/queue-model/memory.ts";

test("a retry of all waits while the queue is full, and goes on when there is room, over a restart too", (t) => {
  const bench = new QueueBench({ max_depth: 3 });
  for (let i = 0; i < 3; i++) deadLetters(bench, 3);
  const { operation_id } = bench.ask("DeadLetterService.RetryAll");
  const job = () => bench.ask("DeadLetterService.GetRetryAll", { operation_id });
  for (let retried = 3; retried <= 9; retried += 3) {
    bench.driver.advance(2 * limits.retryAfterMs);
    if (retried === 6) bench.driver.restart();
    t.like(job(), { retried, skipped: 0 });
    t.like(bench.status(), { depth: 3, dlq_depth: 9 - retried });
    for (const leased of bench.claim(3)) bench.settle("complete", leased);
  }
  t.is(job().state, "completed");
  t.deepEqual(queueProblems(bench), []);
});

test("retry-all goes on over restarts and retries each item once, none of those that die again", (t) => {
  const bench = new QueueBench();
  const ids = deadLetters(bench, 1_200);
  const { operation_id } = bench.ask("DeadLetterService.RetryAll", { rate: 1_000 });
  const retried = new Map<string, number>();
  for (let round = 0; round < 40; round++) {
    bench.driver.advance(100);
    bench.driver.restart();
    // Some fail at once and are dead again while the job still runs.
    for (const leased of bench.claim(100)) {
      retried.set(leased.item.id, (retried.get(leased.item.id) ?? 0) + 1);
      bench.settle("reject", leased);
    }
  }
  t.like(bench.ask("DeadLetterService.GetRetryAll", { operation_id }), {
    state: "completed",
    retried: 1_200,
    skipped: 0,
  });
  t.deepEqual([...retried.keys()].sort(), [...ids].sort());
  t.true([...retried.values()].every((count) => count === 1));
  t.deepEqual(queueProblems(bench), []);
});

test("two retry-alls at the same time retry each dead letter once", (t) => {
  const bench = new QueueBench();
  const ids = deadLetters(bench, 300);
  const jobs = [0, 1].map(() => bench.ask("DeadLetterService.RetryAll").operation_id);
  for (let i = 0; i < 10; i++) bench.driver.advance(1);
  const retried = jobs.map(
    (operation_id) => bench.ask("DeadLetterService.GetRetryAll", { operation_id }).retried,
  );
  t.is((retried[0] as number) + (retried[1] as number), 300);
  t.true(ids.every((id) => bench.get(id).retry_count === 1));
  t.deepEqual(queueProblems(bench), []);
});

test("what dies while a retry-all runs is not part of it", (t) => {
  const bench = new QueueBench();
  const ids = deadLetters(bench, 3);
  const { operation_id } = bench.ask("DeadLetterService.RetryAll", { rate: 4 });
  bench.driver.advance(1);
  for (const leased of bench.claim(3)) bench.settle("complete", leased);
  const [late] = deadLetters(bench, 1) as [string];
  for (let i = 0; i < 20; i++) bench.driver.advance(100);
  t.like(bench.ask("DeadLetterService.GetRetryAll", { operation_id }), {
    state: "completed",
    retried: ids.length,
  });
  t.is(bench.get(late).state, "dead");
});

test("a retry-all counts each item once that it cannot retry, also where it reads them in steps", (t) => {
  within(hardlyAny, () => {
    const admission = { singleton: { key: "item.key", mode: "skip" } };
    const bench = new QueueBench({ admission });
    for (let i = 0; i < 5; i++) {
      bench.enqueue({ key: "k" });
      bench.settle("reject", bench.claim()[0]!);
    }
    bench.enqueue({ key: "k" });
    const { operation_id } = bench.ask("DeadLetterService.RetryAll");
    for (let i = 0; i < 20; i++) bench.driver.advance(1);
    t.like(bench.ask("DeadLetterService.GetRetryAll", { operation_id }), { state: "completed", skipped: 5 });
  });
});

test("retry-all takes only what its filter names", (t) => {
  const bench = new QueueBench();
  deadLetters(bench, 3);
  const failed_before = new Date(bench.driver.now).toISOString();
  const after = new Date(bench.driver.now + 1).toISOString();
  for (const [filter, retried] of [
    [{ error_type: "other" }, 0],
    [{ key: "other" }, 0],
    [{ failed_before }, 0],
    [{ error_type: "t", key: "k", failed_before: after }, 3],
  ] as const) {
    const { operation_id } = bench.ask("DeadLetterService.RetryAll", filter);
    bench.driver.advance(1_000);
    t.like(bench.ask("DeadLetterService.GetRetryAll", { operation_id }), { state: "completed", retried });
  }
  t.is(bench.status().depth, 3);
});

test("the rate of a retry-all is that of its retries: what its filter passes over costs no time", (t) => {
  const bench = new QueueBench();
  deadLetters(bench, 1_000);
  bench.enqueue({ key: "rare" });
  bench.settle("reject", bench.claim(1)[0]!, { error_type: "rare" });
  const { operation_id } = bench.ask("DeadLetterService.RetryAll", { error_type: "rare", rate: 1 });
  for (let i = 0; i < 11; i++) bench.driver.advance(100);
  t.like(bench.ask("DeadLetterService.GetRetryAll", { operation_id }), { state: "completed", retried: 1 });
});

test("a retry-all keeps its rate, also where the queue's timer rings for something else meanwhile", (t) => {
  const bench = new QueueBench();
  deadLetters(bench, 200);
  bench.ask("DeadLetterService.RetryAll", { rate: 20 });
  for (let i = 0; i < 80; i++) {
    bench.enqueue({ not_before: new Date(bench.driver.now + 50).toISOString() });
    bench.driver.advance(100);
  }
  const { dlq_depth } = bench.status() as unknown as { dlq_depth: number };
  t.true(dlq_depth >= 200 - 165 && dlq_depth <= 200 - 155, `${200 - dlq_depth} in eight seconds`);
});
