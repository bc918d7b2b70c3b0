import test from "ava";
import { limits } from "#base";
import { deadLetters } from "../../../../test/support/dead-letters.ts";
import { QueueBench } from "../../../../test/support/queue.ts";
import { unpackSummaries } from "../../../kit/item-event.ts";
import { olderThan } from "../handlers/request.ts";

test("purge removes only what failed before a time", (t) => {
  const bench = new QueueBench();
  deadLetters(bench, 3);
  bench.driver.advance(10_000);
  const cut = bench.driver.now;
  deadLetters(bench, 2);
  t.like(bench.ask("queue.PurgeStep", { before: cut }), { purged: 3 });
  t.like(bench.ask("DeadLetterService.GetDeadLetterStats"), { depth: 2 });
});

test("a step of a purge says whether there is more to do", (t) => {
  const bench = new QueueBench();
  deadLetters(bench, limits.queueStepMax + 100);
  for (const step of [
    { purged: limits.queueStepMax, more: true },
    { purged: 100, more: false },
  ])
    t.like(bench.ask("queue.PurgeStep", { before: 0 }), step);
});

test("a purge leaves nothing of its items, and their dedup ids are free", (t) => {
  const bench = new QueueBench();
  const request = { dedup_id: "d", payload: "x".repeat(2_000) };
  bench.enqueue(request);
  bench.settle("reject", bench.claim()[0]!);
  t.is(bench.enqueue(request).admission.outcome, "duplicate");
  bench.ask("queue.PurgeStep", { before: 0 });
  for (const name of ["dead", "failed", "body", "dedup"]) t.is(bench.rows(name), 0, name);
  t.is(bench.enqueue(request).admission.outcome, "enqueued");
});

test("a purge is the newest version of its item", (t) => {
  const bench = new QueueBench();
  deadLetters(bench, 1);
  bench.ask("queue.PurgeStep", { before: 0 });
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
    step = bench.ask("queue.PurgeStep", { before, include_quarantined: true, after: step.after });
    purged += step.purged as number;
  }
  t.is(purged, 50);
  t.like(bench.ask("DeadLetterService.GetDeadLetterStats"), { depth: 0, quarantined: 1_050 });
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
      bench.ask("queue.PurgeStep", { before: olderThan(older_than, bench.driver.now) }),
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
