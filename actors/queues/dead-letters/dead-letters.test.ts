import test from "ava";
import { isRefusal, limits } from "#base";
import { QueueBench } from "../../../test/support/queue.ts";
import { queueProblems } from "../../../test/support/queue-check.ts";
import { hardlyAny, within } from "../../../test/support/queue-model/memory.ts";
import { unpackSummaries } from "../../shared/item-event.ts";
import { olderThan } from "../doors/request.ts";

function deadLetters(bench: QueueBench, count: number): string[] {
  const ids: string[] = [];
  for (let left = count; left > 0; left -= 100) {
    const items = Array.from({ length: Math.min(100, left) }, (_, i) => ({
      payload: i,
      priority: 2,
      key: "k",
    }));
    bench.ask("QueueService.EnqueueBatch", { items });
    const settlements = bench.claim(100).map(({ item, lease_token }) => {
      ids.push(item.id);
      return { queue_item_id: item.id, lease_token, outcome: "reject", error: "bad", error_type: "t" };
    });
    bench.ask("QueueService.SettleBatch", { settlements });
  }
  return ids;
}

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
  t.like(bench.ask("DeadLetterService.Purge", { before: 0 }), { purged: 1 });
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

test("purge removes only what failed before a time", (t) => {
  const bench = new QueueBench();
  deadLetters(bench, 3);
  bench.driver.advance(10_000);
  const cut = bench.driver.now;
  deadLetters(bench, 2);
  t.like(bench.ask("DeadLetterService.Purge", { before: cut }), { purged: 3 });
  t.like(bench.ask("DeadLetterService.GetDeadLetterStats"), { depth: 2 });
});

test("a step of a purge says whether there is more to do", (t) => {
  const bench = new QueueBench();
  deadLetters(bench, limits.queueStepMax + 100);
  for (const step of [
    { purged: limits.queueStepMax, more: true },
    { purged: 100, more: false },
  ])
    t.like(bench.ask("DeadLetterService.Purge", { before: 0 }), step);
});

test("a purge leaves nothing of its items, and their dedup ids are free", (t) => {
  const bench = new QueueBench();
  const request = { dedup_id: "d", payload: "x".repeat(2_000) };
  bench.enqueue(request);
  bench.settle("reject", bench.claim()[0]!);
  t.is(bench.enqueue(request).admission.outcome, "duplicate");
  bench.ask("DeadLetterService.Purge", { before: 0 });
  for (const name of ["dead", "failed", "body", "dedup"]) t.is(bench.rows(name), 0, name);
  t.is(bench.enqueue(request).admission.outcome, "enqueued");
});

test("a purge is the newest version of its item", (t) => {
  const bench = new QueueBench();
  deadLetters(bench, 1);
  bench.ask("DeadLetterService.Purge", { before: 0 });
  const versions = ["dead", "purged"].map((cause) => {
    const event = bench.driver.published.find(({ kind }) => kind === `queue_item.${cause}`);
    return unpackSummaries(event!.payload)![0]!.record_version as number;
  });
  t.true(versions[0]! < versions[1]!);
});

test("purge with the quarantined finds the old ones among many that are not", (t) => {
  const bench = new QueueBench();
  const ids = deadLetters(bench, 1_100).sort();
  const late = ids.slice(0, 1_050);
  bench.ask("DeadLetterService.Quarantine", { queue_item_ids: ids.slice(1_050) });
  bench.ask("DeadLetterService.Retry", { queue_item_ids: late.slice(0, 1_000) });
  bench.ask("DeadLetterService.Retry", { queue_item_ids: late.slice(1_000) });
  bench.driver.advance(10_000);
  const before = bench.driver.now;
  for (let i = 0; i < 11; i++) for (const leased of bench.claim(100)) bench.settle("reject", leased);
  for (let i = 0; i < 1_050; i += 525)
    bench.ask("DeadLetterService.Quarantine", { queue_item_ids: late.slice(i, i + 525) });
  let purged = 0;
  let step: Record<string, unknown> = { more: true, after: "" };
  for (let steps = 0; step.more && steps < 5; steps++) {
    step = bench.ask("DeadLetterService.Purge", { before, include_quarantined: true, after: step.after });
    purged += step.purged as number;
  }
  t.is(purged, 50);
  t.like(bench.ask("DeadLetterService.GetDeadLetterStats"), { depth: 0, quarantined: 1_050 });
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

test("so many retry-alls run at a time, and so many are kept: the oldest that is done is forgotten first", (t) => {
  const bench = new QueueBench();
  deadLetters(bench, 2);
  const start = (filter: Record<string, unknown> = { key: "none" }) =>
    bench.ask("DeadLetterService.RetryAll", filter).operation_id;
  const slow = start({ rate: 0.001 });
  bench.driver.advance(1);
  const ids: unknown[] = [];
  while (ids.length < limits.deadLetterJobsKept - 1) {
    for (let i = 1; i < limits.deadLetterJobsMax; i++) ids.push(start());
    t.like(bench.ask("DeadLetterService.RetryAll"), { code: "RATE_LIMITED", reason: "CONCURRENCY" });
    bench.driver.advance(1_000);
  }
  const states = () =>
    [slow, ...ids].map((operation_id) => bench.ask("DeadLetterService.GetRetryAll", { operation_id }).state);
  t.deepEqual(states(), ["running", ...ids.map(() => "completed")]);
  ids.push(start());
  t.deepEqual(states(), ["running", undefined, ...ids.slice(2).map(() => "completed"), "running"]);
});

test("an age is days, hours, minutes and seconds in this order; anything else is refused with the form", (t) => {
  const now = Date.parse("2024-01-10T00:00:00Z");
  const ages = {
    "2h30m": 9_000_000,
    "72h": 259_200_000,
    "1d1h1m1s": 90_061_000,
    "0s": 0,
    "90m5s": 5_405_000,
  };
  for (const [age, ms] of Object.entries(ages)) t.is(olderThan(age, now), now - ms, age);
  for (const bad of ["30m2h", "2h2h", "2h 30m", "1.5h", "h", "10", "-1h", "2w"])
    t.like(olderThan(bad, now), { code: "INVALID_ARGUMENT", fields: [{ field: "older_than" }] }, bad);
});

test("a time before 1970 is long ago, not absent: it purges and retries nothing, and is no pause for ever", (t) => {
  const bench = new QueueBench();
  deadLetters(bench, 3);
  const long = ["30000d", "1969-12-31T23:59:59Z", "1970-01-01T00:00:00Z"];
  for (const older_than of long)
    t.like(
      bench.ask("DeadLetterService.Purge", { before: olderThan(older_than, bench.driver.now) }),
      { purged: 0 },
      older_than,
    );
  for (const failed_before of long.slice(1)) bench.ask("DeadLetterService.RetryAll", { failed_before });
  bench.driver.advance(1_000);
  t.is(bench.status().dlq_depth, 3);
  for (const at of long.slice(1)) {
    t.like(bench.ask("QueueControlService.PauseQueue", { until: at }), { code: "INVALID_ARGUMENT" });
    t.like(bench.tryEnqueue({ expires_at: at }), { code: "INVALID_ARGUMENT" });
  }
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
