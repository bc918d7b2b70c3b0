import test from "ava";
import { QueueBench } from "../../test/support/queue.ts";

/** Two recipients, the second with a label, and a rule for urgent items. */
function twoWaiting(action: object): { bench: QueueBench; got: string[] } {
  const bench = new QueueBench({}, [{}, { labels: { x: "1" } }]);
  bench.pool("RuleService.CreateRule", {
    name: "urgent",
    condition: "item.key == 'urgent'",
    action,
    enabled: true,
    order: 1,
  });
  const got: string[] = [];
  for (const [index, recipient_id] of bench.recipientIds.entries())
    bench.poll(1, (items) => items.length > 0 && got.push(`${index}`), { recipient_id });
  return { bench, got };
}

test("of several claimers that wait, an item goes to one it may go to", (t) => {
  for (let draw = 0; draw < 8; draw++) {
    const { bench, got } = twoWaiting({ restrict: { labels: { x: "1" } } });
    bench.driver.now += draw * 977;
    bench.enqueue({ key: "urgent" });
    t.deepEqual(got, ["1"]);
  }
});

test("of several claimers that wait, an item goes to one it prefers; alone, any claimer gets it", (t) => {
  for (let draw = 0; draw < 8; draw++) {
    const { bench, got } = twoWaiting({ prefer: { labels: { x: "1" } } });
    bench.driver.now += draw * 977;
    bench.enqueue({ key: "urgent" });
    t.deepEqual(got, ["1"]);
    bench.enqueue({ key: "urgent" });
    t.deepEqual(got, ["1", "0"]);
  }
});
