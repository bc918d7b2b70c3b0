import test from "ava";
import { QueueBench } from "../../../../test/support/queue.ts";
import type { RouterView } from "../../router.ts";
import type { Claim } from "../commands/claimer.ts";
import { wake } from "../commands/wake.ts";

test("a watcher looks once at what others lost, and still hears of what it loses itself", (t) => {
  const bench = new QueueBench({ lease_seconds: 10 }, [{}, {}]);
  const [one, other] = bench.recipientIds as [string, string];
  const watch: Claim = {
    type: "claim",
    recipientId: one,
    maxItems: 0,
    leaseSeconds: 0,
    waitMs: 1,
    first: 0,
  };
  const context = { now: bench.driver.now, twin: () => bench.driver.state<RouterView>(bench.at("router")) };
  const woken = () => wake(bench.state, [watch], context as never);
  const lose = (recipient_id: string) => {
    const { item } = bench.enqueue();
    t.is(bench.claim(1, { recipient_id }).length, 1);
    bench.ask("QueueService.Cancel", { queue_item_id: item.id });
  };
  lose(other);
  t.deepEqual(woken(), []);
  t.is(watch.first, 1, "the next look begins behind it");
  lose(one);
  lose(other);
  t.deepEqual(woken(), [0]);
  t.is(watch.first, 1);
});
