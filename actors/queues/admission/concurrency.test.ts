import test from "ava";
import { key, tell } from "../../../test/support/admission.ts";
import { QueueBench } from "../../../test/support/queue.ts";

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
