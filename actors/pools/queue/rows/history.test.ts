import test from "ava";
import { limits } from "#base";
import { QueueBench } from "../../../../test/support/queue.ts";
import { queueProblems } from "../../../../test/support/queue-check.ts";
import { purgeStep } from "../handlers/questions.ts";

type Entry = Record<string, unknown>;

function historyOf(bench: QueueBench, id: string): Entry[] {
  return bench.get(id).history as Entry[];
}

test("history: leases that were not completed and retries out of the dead letters, the newest first", (t) => {
  const bench = new QueueBench({ max_attempts: 3, lease_seconds: 10, backoff: { initial_ms: 1, max_ms: 1 } });
  const [recipient_id] = bench.recipientIds;
  const { id } = bench.enqueue({ payload: { a: 1 } }).item;
  const wait = () => bench.driver.advance(1_000);
  const claim = () => bench.claim(1)[0]!;
  bench.settle("release", claim());
  bench.settle("fail", claim(), { error: "no answer", error_type: "timeout" });
  wait();
  const { lease_token } = claim();
  bench.ask("QueueService.Extend", {
    queue_item_id: id,
    lease_token,
    progress: { percent: 40, note: "half" },
  });
  bench.driver.restart();
  t.deepEqual(bench.get(id).lease, {
    recipient_id,
    expires_at: (bench.get(id).lease as Entry).expires_at,
    progress: { percent: 40, note: "half" },
  });
  bench.driver.advance(20_000);
  bench.settle("reject", claim(), { error: "x".repeat(600) });
  t.deepEqual(bench.ask("DeadLetterService.Retry", { queue_item_ids: [id] }).succeeded, 1);
  bench.settle("complete", claim(), { result: 1 });
  bench.driver.restart();
  t.like(bench.get(id), { state: "completed", completed_by: recipient_id });
  const told = historyOf(bench, id).map((one) => [one.outcome, one.delivery, one.recipient_id, one.error]);
  t.deepEqual(told, [
    ["redriven", 0, "", ""],
    ["rejected", 4, recipient_id, `${"x".repeat(limits.queueHistoryErrorMax - 1)}…`],
    ["expired", 3, recipient_id, "the lease expired"],
    ["failed", 2, recipient_id, "no answer"],
    ["released", 1, recipient_id, ""],
  ]);
  t.like(historyOf(bench, id)[2], { error_type: "lease_expired", progress: { percent: 40, note: "half" } });
  t.like(historyOf(bench, id)[3], { error_type: "timeout" });
  t.deepEqual(queueProblems(bench), []);
});

test("history: only the newest entries have rows, and those go with the item", (t) => {
  const bench = new QueueBench({ retention_seconds: 60, max_deliveries: 100 });
  const { id } = bench.enqueue().item;
  const more = limits.queueHistoryMax + 5;
  for (let i = 0; i < more; i++) {
    bench.settle("release", bench.claim(1)[0]!);
    bench.driver.advance(1);
  }
  t.is(bench.rows("history"), limits.queueHistoryMax);
  const deliveries = historyOf(bench, id).map(({ delivery }) => delivery);
  t.deepEqual(
    deliveries,
    Array.from({ length: limits.queueHistoryMax }, (_, i) => more - i),
  );
  bench.settle("complete", bench.claim(1)[0]!);
  bench.driver.restart();
  t.is(historyOf(bench, id).length, limits.queueHistoryMax);
  t.deepEqual(queueProblems(bench), []);
  bench.driver.advance(120_000);
  t.is(bench.rows("history"), 0);
});

test("history: a purge takes it along, a cancellation ends a lease too, a completion writes none", (t) => {
  const bench = new QueueBench();
  const ids = [0, 1, 2].map(() => bench.enqueue().item.id);
  const [dead, cancelled, completed] = bench.claim(3);
  bench.settle("reject", dead!);
  bench.ask("QueueService.Cancel", { queue_item_id: cancelled!.item.id });
  bench.settle("complete", completed!);
  t.like(historyOf(bench, ids[1]!), [{ outcome: "cancelled", delivery: 1 }]);
  t.is(bench.rows("history"), 2);
  bench.ask(purgeStep.name, { before: 0 });
  t.is(bench.rows("history"), 1);
  t.deepEqual(queueProblems(bench), []);
});

test("traceparent: comes back with claims, also after a restart; progress is bounded by field", (t) => {
  const bench = new QueueBench();
  const traceparent = `00-${"1".repeat(32)}-${"2".repeat(16)}-01`;
  bench.enqueue({ traceparent });
  bench.driver.restart();
  const [{ item, lease_token }] = bench.claim(1) as [ReturnType<QueueBench["claim"]>[number]];
  t.is(item.traceparent, traceparent);
  const extend = (data: unknown) =>
    bench.ask("QueueService.Extend", { queue_item_id: item.id, lease_token, progress: { data } });
  t.like(extend("x".repeat(limits.progressDataBytesMax)), {
    code: "INVALID_ARGUMENT",
    fields: [{ field: "progress.data" }],
  });
  t.like(extend("x".repeat(limits.progressDataBytesMax - 2)), { state: "leased" });
  bench.ask("QueueService.Extend", { queue_item_id: item.id, lease_token });
  t.like(bench.get(item.id).lease, { progress: { data: "x".repeat(limits.progressDataBytesMax - 2) } });
});
