import test from "ava";
import { isRefusal } from "#base";
import { QueueBench } from "../../../test/support/queue.ts";
import { queueProblems } from "../../../test/support/queue-check.ts";
import { unpackSummaries } from "../../shared/item-event.ts";
import { olderThan } from "../doors/request.ts";

test("a paused queue takes items and hands none out; resumed, they go at once to whoever waits", (t) => {
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

test("drain cancels the oldest first and never a leased item", (t) => {
  const bench = new QueueBench();
  const ids = Array.from({ length: 5 }, () => {
    bench.driver.now += 1;
    return bench.enqueue().item.id;
  });
  bench.claim();
  t.like(bench.ask("QueueControlService.DrainQueue", { max_items: 2 }), { drained: 2, remaining_depth: 2 });
  t.deepEqual(
    ids.map((id) => bench.get(id).state),
    ["leased", "cancelled", "cancelled", "ready", "ready"],
  );
});

test("how old the oldest item is, is looked for behind the leases once, and followed from there", (t) => {
  const bench = new QueueBench();
  const entries = Array.from({ length: 1_000 }, () => ({}));
  bench.ask("QueueService.EnqueueBatch", { items: entries });
  const leased = Array.from({ length: 10 }, () => bench.claim(100, { lease_seconds: 3_600 })).flat();
  bench.driver.advance(60_000);
  const waiting = bench.enqueue().item.id;
  bench.driver.advance(5_000);
  const items = bench.driver.rows(bench.at("queue"), "item");
  const scan = items.scan.bind(items);
  let rows = 0;
  items.scan = (range) => {
    const found = scan(range);
    rows += found.length;
    return found;
  };
  const age = () => {
    rows = 0;
    return [bench.status().oldest_item_age_seconds, rows];
  };
  t.deepEqual(age(), [5, 937], "the first 64 that waited were known to have gone");
  t.deepEqual(age(), [5, 0]);
  bench.enqueue();
  t.deepEqual(age(), [5, 0]);
  bench.settle("release", leased[700]!);
  t.deepEqual(age(), [65, 0], "it came before");
  bench.ask("QueueService.Cancel", { queue_item_id: leased[700]!.item.id });
  t.is(age()[0], 5);
  bench.ask("QueueService.Cancel", { queue_item_id: waiting });
  t.is(age()[0], 0);
  bench.driver.restart();
  rows = 0;
  t.is(bench.status().oldest_item_age_seconds, 0);
  t.like(bench.ask("QueueControlService.DrainQueue", { max_items: 10 }), { drained: 1, remaining_depth: 0 });
  t.deepEqual(age(), [0, 0]);
});

test("those who have waited longest are read together: who asks after every departure reads rows now and then", (t) => {
  const bench = new QueueBench();
  for (let i = 0; i < 200; i++) {
    bench.driver.advance(1_000);
    bench.enqueue();
  }
  bench.driver.restart();
  const items = bench.driver.rows(bench.at("queue"), "item");
  const scan = items.scan.bind(items);
  let reads = 0;
  bench.status();
  items.scan = (range) => {
    reads++;
    return scan(range);
  };
  const ages: unknown[] = [];
  for (let i = 0; i < 199; i++) {
    bench.settle("complete", bench.claim()[0]!);
    ages.push(bench.status().oldest_item_age_seconds);
  }
  t.deepEqual(
    ages,
    Array.from({ length: 199 }, (_, index) => 198 - index),
  );
  t.true(reads <= 3, `${reads} reads for 199 departures`);
});

test("status tells the oldest age, the average wait of five minutes and what was completed today", (t) => {
  const bench = new QueueBench();
  bench.enqueue();
  bench.driver.advance(10_000);
  bench.enqueue();
  t.like(bench.status(), { depth: 2, oldest_item_age_seconds: 10 });
  const [leased] = bench.claim();
  t.like(bench.status(), { average_wait_seconds: 10, oldest_item_age_seconds: 0, leased: 1 });
  bench.settle("complete", leased!);
  bench.driver.restart();
  t.like(bench.status(), { throughput_today: 1, average_wait_seconds: 10 });
  bench.driver.advance(86_400_000);
  t.like(bench.status(), { throughput_today: 0, average_wait_seconds: 0 });
});

test("items are listed by state and page by page, with an exact total", (t) => {
  const bench = new QueueBench();
  const ids = Array.from({ length: 7 }, () => {
    bench.driver.now += 1;
    return bench.enqueue().item.id;
  });
  for (const leased of bench.claim(2)) bench.settle("complete", leased);
  bench.claim(1);
  const pages: string[] = [];
  let page_token = "";
  do {
    const page = bench.ask("QueueService.ListItems", { page_size: 3, page_token }) as {
      items: { id: string }[];
      next_page_token: string;
      total: number;
    };
    t.is(page.total, 7);
    pages.push(...page.items.map(({ id }) => id));
    page_token = page.next_page_token;
  } while (page_token !== "");
  t.deepEqual(pages, ids);
  const leased = bench.ask("QueueService.ListItems", { states: ["leased"] });
  t.like(leased, { total: 1 });
  t.is((leased.items as unknown[]).length, 1);
  t.true(isRefusal(bench.ask("QueueService.ListItems", { page_token: "forged" })));
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

test("a pause that is over before it begins is refused", (t) => {
  const bench = new QueueBench();
  const until = new Date(bench.driver.now - 1_000).toISOString();
  t.like(bench.ask("QueueControlService.PauseQueue", { until }), { code: "INVALID_ARGUMENT" });
});

test("the status of a queue names its pool", (t) => {
  t.is(new QueueBench().status().name, "p");
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

test("retry-all takes only what its filter names", (t) => {
  const bench = new QueueBench();
  deadLetters(bench, 3);
  const { operation_id } = bench.ask("DeadLetterService.RetryAll", { error_type: "other" });
  bench.driver.advance(1_000);
  t.like(bench.ask("DeadLetterService.GetRetryAll", { operation_id }), { state: "completed", retried: 0 });
  bench.ask("DeadLetterService.RetryAll", { error_type: "t", key: "k" });
  bench.driver.advance(1_000);
  t.is(bench.status().depth, 3);
});

test("the rate of a retry-all is that of its retries: what its filter passes over costs no time", (t) => {
  const bench = new QueueBench();
  deadLetters(bench, 1_000);
  bench.enqueue({ key: "rare" });
  bench.settle("reject", bench.claim(1)[0]!, { error_type: "rare" });
  const { operation_id } = bench.ask("DeadLetterService.RetryAll", { error_type: "rare", rate: 4 });
  for (let i = 0; i < 10; i++) bench.driver.advance(100);
  t.like(bench.ask("DeadLetterService.GetRetryAll", { operation_id }), { state: "completed", retried: 1 });
});

test("a retry-all keeps its rate", (t) => {
  const bench = new QueueBench();
  deadLetters(bench, 100);
  bench.ask("DeadLetterService.RetryAll", { rate: 20 });
  for (let i = 0; i < 10; i++) bench.driver.advance(100);
  const { depth } = bench.status() as unknown as { depth: number };
  t.true(depth >= 15 && depth <= 25, `${depth} in a second`);
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
