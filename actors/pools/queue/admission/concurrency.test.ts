import test from "ava";
import { key, tell } from "../../../../test/support/admission.ts";
import { QueueBench } from "../../../../test/support/queue.ts";
import { queueProblems } from "../../../../test/support/queue-check.ts";

test("concurrency: slots are the live leases, and come back in every way a lease can end", (t) => {
  for (const end of ["complete", "fail", "release", "reject", "expire", "cancel"]) {
    const bench = new QueueBench({ lease_seconds: 10, admission: { concurrency: [{ key, limit: 1 }] } });
    const ids: string[] = [];
    tell(bench, ids);
    tell(bench, ids);
    const [leased] = bench.claim(5);
    t.is(bench.claim(5).length, 0, end);
    t.like(bench.get(ids[1]!).wait, { reason: "concurrency" });
    if (end === "expire") bench.driver.advance(10_000);
    else if (end === "cancel") bench.ask("QueueService.Cancel", { queue_item_id: leased!.item.id });
    else bench.settle(end, leased!);
    t.is(bench.claim(5).length, 1, end);
  }
});

test("concurrency: a flood of one key does not hold up another", (t) => {
  const bench = new QueueBench({ admission: { concurrency: [{ key, limit: 1 }] } });
  const ids: string[] = [];
  for (let i = 0; i < 300; i++) tell(bench, ids, { key: "flood" });
  tell(bench, ids, { key: "calm" });
  t.deepEqual(
    bench.claim(5).map(({ item }) => item.key),
    ["flood", "calm"],
  );
});

test("concurrency: several groups hold together, and cost takes slots", (t) => {
  const bench = new QueueBench({
    admission: { concurrency: [{ key, limit: 3 }, { limit: 4 }] },
  });
  const ids: string[] = [];
  tell(bench, ids, { key: "a", cost: 2 });
  tell(bench, ids, { key: "a", cost: 2 });
  tell(bench, ids, { key: "b", cost: 2 });
  tell(bench, ids, { key: "c", cost: 1 });
  t.deepEqual(
    bench.claim(5).map(({ item }) => item.key),
    ["a", "b"],
  );
});

test("concurrency: an item that costs more slots than there are takes all of them, and runs alone", (t) => {
  const bench = new QueueBench({ admission: { concurrency: [{ key, limit: 3 }] } });
  const ids: string[] = [];
  for (const cost of [1, 5]) tell(bench, ids, { key: "k", cost });
  const [first] = bench.claim(5);
  tell(bench, ids, { key: "k", cost: 1 });
  t.is(bench.claim(5).length, 0);
  bench.settle("complete", first!);
  const alone = bench.claim(5);
  t.deepEqual(
    alone.map(({ item }) => item.id),
    [ids[1]],
  );
  const [group] = bench.ask("AdmissionService.ListAdmissionGroups").admission_groups as [object];
  t.like(group, { in_use: 3, limit: 3, waiting: 1 });
  bench.settle("complete", alone[0]!);
  t.is(bench.claim(5).length, 1);
});

test("concurrency: all slots that are freed at once are used again, however many wait", (t) => {
  const bench = new QueueBench({ admission: { concurrency: [{ limit: 100 }] } });
  const entries = Array.from({ length: 1_000 }, (_, index) => ({ key: `k${index}` }));
  bench.ask("QueueService.EnqueueBatch", { items: entries });
  for (let round = 0; round < 8; round++) {
    const leased = bench.claim(100);
    t.is(leased.length, 100, `round ${round}`);
    // Who finds no room is held back.
    t.is(bench.claim(1).length, 0);
    const settlements = leased.map(({ item, lease_token }) => ({
      queue_item_id: item.id,
      lease_token,
      outcome: "complete",
    }));
    bench.ask("QueueService.SettleBatch", { settlements });
  }
});

test("concurrency: an item that costs more than anybody can take does not keep its group from others", (t) => {
  const bench = new QueueBench({ admission: { concurrency: [{ key, limit: 1, cost: 1 }] } }, [
    { capacity: 2 },
  ]);
  const ids: string[] = [];
  tell(bench, ids);
  const [leased] = bench.claim(1);
  for (let i = 0; i < 3; i++) tell(bench, ids, { key: "k", cost: 100 });
  tell(bench, ids);
  const got: string[] = [];
  bench.poll(1, (items) => got.push(...items.map(({ item }) => item.id)));
  bench.settle("complete", leased!);
  t.deepEqual(got, [ids[4]!]);
  t.deepEqual(queueProblems(bench), []);
});
