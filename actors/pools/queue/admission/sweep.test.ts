import test from "ava";
import { QueueBench } from "../../../../test/support/queue.ts";

/** Traffic on a key of its own brings ticks, and ticks sweep. */
function passTime(bench: QueueBench, minutes: number): void {
  for (let minute = 0; minute < minutes; minute++) {
    bench.enqueue({ key: "steady" });
    for (const leased of bench.claim(1, { lease_seconds: 1 })) bench.settle("release", leased);
    for (let i = 0; i < 12; i++) bench.driver.advance(5_000);
    for (const leased of bench.claim(10)) bench.settle("complete", leased);
  }
}

test("keys that come once leave no rows behind, also where memory never saw them", (t) => {
  const bench = new QueueBench({
    fairness: { key: "item.key" },
    admission: { throttle: { key: "item.key", limit: 10, period_ms: 1_000, burst: 10 } },
    retention_seconds: 60,
  });
  for (let start = 0; start < 1_200; start += 300) {
    const items = Array.from({ length: 300 }, (_, i) => ({ key: `once-${start + i}` }));
    bench.ask("QueueService.EnqueueBatch", { items });
    for (let i = 0; i < 3; i++) for (const leased of bench.claim(100)) bench.settle("complete", leased);
  }
  t.true(bench.rows("flow") >= 1_200 && bench.rows("group") >= 1_200);
  bench.driver.restart();
  passTime(bench, 4);
  t.true(bench.rows("flow") <= 1, `${bench.rows("flow")} fairness keys are left`);
  t.true(bench.rows("group") <= 1, `${bench.rows("group")} throttle keys are left`);
});

test("who cleared a group can be read for a day, then it is forgotten", (t) => {
  const bench = new QueueBench({
    admission: { singleton: { key: "item.key", mode: "skip" } },
    retention_seconds: 60,
  });
  bench.enqueue({ key: "a" });
  const { admission_groups } = bench.ask("AdmissionService.ListAdmissionGroups");
  const { group_id } = (admission_groups as { group_id: string }[])[0]!;
  const group = { constraint_kind: "singleton", group_id };
  bench.ask("AdmissionService.ClearAdmissionGroup", { ...group, reason: "stuck" });
  bench.driver.advance(86_300_000);
  passTime(bench, 1);
  t.like(bench.ask("AdmissionService.GetAdmissionGroup", group), { clear_reason: "stuck" });
  bench.driver.advance(100_000);
  passTime(bench, 2);
  t.is(bench.rows("cleared"), 0);
});

test("a throttle key that holds an item back is kept, however long no claim comes", (t) => {
  const key = "item.key";
  const bench = new QueueBench({ admission: { throttle: { key, limit: 1, period_ms: 1_000, burst: 1 } } });
  for (let i = 0; i < 3; i++) bench.enqueue({ key: "k" });
  bench.settle("complete", bench.claim(3)[0]!);
  bench.driver.advance(1_000);
  t.is(bench.status().by_state.ready, 2);
  for (let minute = 0; minute < 4; minute++) {
    // Not claimed, its delay brings ticks, and ticks sweep.
    bench.enqueue({ key: `late-${minute}`, not_before: new Date(bench.driver.now + 1_000).toISOString() });
    for (let i = 0; i < 12; i++) bench.driver.advance(5_000);
  }
  const keys = new Set<string>();
  for (let second = 0; second < 4; second++) {
    for (const leased of bench.claim(10)) {
      keys.add(leased.item.key);
      bench.settle("complete", leased);
    }
    bench.driver.advance(1_000);
  }
  t.is(keys.size, 5);
  t.is(bench.status().by_state.ready, 0, "also the one that was held back");
});

test("a throttle key whose limit still counts is kept: no item goes early after a sweep", (t) => {
  const throttle = { key: "item.key", limit: 1, period_ms: 3_600_000, burst: 1 };
  const bench = new QueueBench({ admission: { throttle } });
  bench.enqueue({ key: "k" });
  bench.settle("complete", bench.claim()[0]!);
  passTime(bench, 4);
  bench.enqueue({ key: "k" });
  t.false(bench.claim(10).some(({ item }) => item.key === "k"));
});

test("a fairness key that is ahead of others in its band is kept: it gets no second share after a sweep", (t) => {
  const bench = new QueueBench({ fairness: { key: "item.key" }, priority: { aging_seconds: 0 } });
  const enqueue = (key: string, priority: number) =>
    bench.ask("QueueService.EnqueueBatch", { items: Array.from({ length: 100 }, () => ({ key, priority })) });
  // Another band is further by now.
  for (let i = 0; i < 3; i++) {
    enqueue("before", 3);
    for (const leased of bench.claim(100)) bench.settle("complete", leased);
  }
  for (const key of ["noisy", "other"]) enqueue(key, 2);
  for (let minute = 0; minute < 4; minute++) {
    bench.enqueue({ key: "late", not_before: new Date(bench.driver.now + 1_000).toISOString() });
    for (let i = 0; i < 12; i++) bench.driver.advance(5_000);
  }
  enqueue("noisy", 2);
  t.is(bench.claim(100).filter(({ item }) => item.key === "noisy").length, 50);
});

test("where no item waits, no fairness key is ahead of another, whatever its last item cost", (t) => {
  const bench = new QueueBench({ fairness: { key: "item.key" }, retention_seconds: 60 });
  for (const key of ["a", "b"]) bench.enqueue({ key, cost: 9 });
  for (const leased of bench.claim(2)) bench.settle("complete", leased);
  for (let i = 0; i < 30; i++) bench.driver.advance(5_000);
  t.is(bench.rows("flow"), 0);
});
