import test from "ava";
import { type LeasedItem, QueueBench } from "../../../../test/support/queue.ts";
import { liveItems, queueProblems } from "../../../../test/support/queue-check.ts";

type Message = Record<string, unknown>;

const key = "item.attributes.customer";
const groups = {
  throttle: { throttle: { key, limit: 1, period_ms: 60_000, burst: 1 } },
  concurrency: { concurrency: [{ key, limit: 1 }] },
};
const debounce = { key: "item.key", period_ms: 1_000 };
const singleton = { key: "item.key", mode: "keep_latest" };

interface Way {
  readonly admission?: Message;
  /** Brings an item behind a group that has no room beside this lease, and says which. */
  readonly bring: (bench: QueueBench, lease: LeasedItem) => string;
  /** It is the leased one itself: its slot is free again, its token is not. */
  readonly again?: true;
}

const ways: Readonly<Record<string, Way>> = {
  "is new": { bring: (bench) => enqueue(bench) },
  "was delayed": {
    bring: (bench) => {
      const id = enqueue(bench, { not_before: new Date(bench.driver.now + 500).toISOString() });
      bench.driver.advance(500);
      return id;
    },
  },
  "was debounced": {
    admission: { debounce },
    bring: (bench) => {
      const id = enqueue(bench);
      bench.driver.advance(1_000);
      return id;
    },
  },
  "was debounced until its window was cleared": {
    admission: { debounce },
    bring: (bench) => {
      const id = enqueue(bench);
      clear(bench, "debounce", id);
      return id;
    },
  },
  "waited for its singleton key": {
    admission: { singleton },
    bring: (bench) => {
      const active = leaseOther(bench);
      const id = enqueue(bench);
      bench.settle("complete", active);
      return id;
    },
  },
  "waited for its singleton key until that was cleared": {
    admission: { singleton },
    bring: (bench) => {
      leaseOther(bench);
      const id = enqueue(bench);
      clear(bench, "singleton", id);
      return id;
    },
  },
  "was given back": { again: true, bring: (bench, lease) => end(bench, lease, "release") },
  "is tried again": {
    again: true,
    bring: (bench, lease) => {
      end(bench, lease, "fail");
      bench.driver.advance(5_000);
      return lease.item.id;
    },
  },
  "lost its lease": {
    again: true,
    bring: (bench, lease) => {
      bench.driver.advance(10_000);
      return lease.item.id;
    },
  },
  "was a dead letter": {
    again: true,
    bring: (bench, lease) => {
      const id = end(bench, lease, "reject");
      bench.ask("DeadLetterService.Retry", { queue_item_ids: [id] });
      return id;
    },
  },
  "was a dead letter among all that are retried": {
    again: true,
    bring: (bench, lease) => {
      const id = end(bench, lease, "reject");
      bench.ask("DeadLetterService.RetryAll", {});
      bench.driver.advance(1);
      return id;
    },
  },
};

for (const [way, { admission, bring, again }] of Object.entries(ways))
  for (const kind of again ? (["throttle"] as const) : (["throttle", "concurrency"] as const))
    test(`a ${kind} that holds an item which ${way} lets it go, also after a restart`, (t) => {
      const bench = new QueueBench({ lease_seconds: 10, admission: { ...admission, ...groups[kind] } });
      enqueue(bench, { key: "first" });
      bench.driver.advance(1_000);
      const [first] = bench.claim();
      const id = bring(bench, first!);
      t.like(bench.get(id), { state: "ready", wait: { reason: kind } });
      t.deepEqual(queueProblems(bench), []);
      if (!again) bench.settle("complete", first!);
      bench.driver.restart();
      bench.driver.advance(60_000);
      t.true(bench.claim(5).some(({ item }) => item.id === id));
    });

function enqueue(bench: QueueBench, request: Message = {}): string {
  return bench.enqueue({ key: "k", attributes: { customer: "a" }, ...request }).item.id;
}

/** An item with the same key, of somebody the group does not hold back. */
function leaseOther(bench: QueueBench): LeasedItem {
  enqueue(bench, { attributes: { customer: "b" } });
  return bench.claim()[0]!;
}

function end(bench: QueueBench, lease: LeasedItem, outcome: string): string {
  bench.settle(outcome, lease);
  return lease.item.id;
}

function clear(bench: QueueBench, kind: "debounce" | "singleton", id: string): void {
  const { groups } = liveItems(bench).find((item) => item.id === id)!;
  const request = { constraint_kind: kind, group_id: groups[kind], reason: "test" };
  bench.ask("AdmissionService.ClearAdmissionGroup", request);
}
