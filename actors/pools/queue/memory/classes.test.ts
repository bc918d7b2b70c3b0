import test from "ava";
import { QueueBench } from "../../../../test/support/queue.ts";
import { queueProblems } from "../../../../test/support/queue-check.ts";
import { Classes } from "./classes.ts";

/** A rule gives items with a mark a class of their own. */
function marked(admission: object): QueueBench {
  const bench = new QueueBench({ admission });
  bench.pool("RuleService.CreateRule", {
    name: "marked",
    order: 1,
    enabled: true,
    condition: "item.attributes.mark == true",
    action: { prefer: { labels: { mark: "yes" } } },
  });
  return bench;
}

const plain = { key: "k", attributes: { mark: false } };
const ofClass = { key: "k", attributes: { mark: true } };

test("an entry that becomes no item leaves no class behind", (t) => {
  const debounced = marked({ debounce: { key: "item.key", period_ms: 1_000, take: "first" } });
  debounced.enqueue(plain);
  t.is(debounced.enqueue(ofClass).admission.outcome, "debounced");
  const skipped = marked({ singleton: { key: "item.key", mode: "skip" } });
  skipped.ask("QueueService.EnqueueBatch", { items: [plain, ofClass] });
  const replaced = marked({ singleton: { key: "item.key", mode: "cancel" } });
  replaced.ask("QueueService.EnqueueBatch", { items: [ofClass, plain] });
  for (const bench of [debounced, skipped, replaced]) {
    t.is(bench.rows("item"), 1);
    t.is(bench.rows("class"), 0);
    t.is(bench.state.classes.size, 1);
    t.deepEqual(queueProblems(bench), []);
  }
});

test("entries of one batch share a class that the first of them did not come to need", (t) => {
  const bench = marked({ debounce: { key: "item.key", period_ms: 1_000 } });
  const items = [plain, ofClass, { ...ofClass, key: "other" }];
  bench.ask("QueueService.EnqueueBatch", { items });
  t.is(bench.rows("class"), 1);
  t.deepEqual(queueProblems(bench), []);
  bench.driver.advance(1_000);
  for (const leased of bench.claim(2)) bench.settle("complete", leased);
  t.is(bench.rows("class"), 0);
  t.deepEqual(queueProblems(bench), []);
});

test("classes and their counts may be read in any order", (t) => {
  const specs = [1, 2].map((no) => ({
    no,
    requirements: { restrictions: [], preferences: [{ labels: { no: `${no}` } }] },
  }));
  for (const first of [0, 1, 2]) {
    const classes = new Classes();
    for (const spec of specs.slice(0, first)) classes.put(spec);
    classes.restoreCounts([1, 4, 2, 1]);
    for (const spec of specs.slice(first)) classes.put(spec);
    t.deepEqual(classes.countsRow(), [1, 4, 2, 1]);
    t.is(classes.find(specs[1]!.requirements), 2);
    t.false(classes.count(1, -1));
    t.true(classes.count(2, -1));
    t.is(classes.find(specs[1]!.requirements), undefined);
  }
});
