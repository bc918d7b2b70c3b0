import test from "ava";
import { limits } from "#base";
import { QueueBench } from "../../../../test/support/queue.ts";
import type { RouterView } from "../../router.ts";
import { wake } from "./wake.ts";

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

test("behind an item that costs too much, a claim that waits is woken for one it has room for", (t) => {
  const bench = new QueueBench({}, [{ capacity: 2 }, { capacity: 3 }]);
  const [small, large] = bench.recipientIds;
  bench.enqueue({ cost: 5 });
  const got: string[] = [];
  bench.poll(9, (items) => got.push(...items.map(({ item }) => `small ${item.cost}`)), {
    recipient_id: small,
  });
  bench.poll(9, (items) => got.push(...items.map(({ item }) => `large ${item.cost}`)), {
    recipient_id: large,
  });
  bench.enqueue({ cost: 4 });
  t.deepEqual(got, []);
  bench.enqueue({ cost: 3 });
  t.deepEqual(got, ["large 3"]);
  bench.enqueue({ cost: 1 });
  t.deepEqual(got, ["large 3", "small 1"]);
});

test("an item in line that memory does not know may be one that a waiting claim has room for", (t) => {
  const bench = new QueueBench({}, [{ capacity: 2 }]);
  bench.enqueue({ cost: 1 });
  bench.driver.advance(20_000);
  t.is(bench.rows("ready"), 1);
  bench.driver.restart();
  bench.ask("QueueControlService.PauseQueue");
  const got: unknown[] = [];
  bench.poll(1, (items) => got.push(...items.map(({ item }) => item.cost)));
  const { priority } = bench.enqueue({ cost: 5 }).item;
  for (let band = 1; band <= limits.queueBands; band++)
    bench.state.ready.window("c0", band).complete = band !== priority;
  bench.ask("QueueControlService.ResumeQueue");
  t.deepEqual(got, [1]);
});

test("after a restart, an item goes to the one of several waiting claims that has room for it", (t) => {
  for (let draw = 0; draw < 8; draw++) {
    const bench = new QueueBench({}, [{ capacity: 2 }, { capacity: 3 }]);
    bench.driver.restart();
    bench.driver.now += draw * 977;
    const got: string[] = [];
    for (const [index, recipient_id] of bench.recipientIds.entries())
      bench.poll(1, (items) => items.length > 0 && got.push(`${index}`), { recipient_id });
    bench.enqueue({ cost: 3 });
    t.deepEqual(got, ["1"]);
  }
});

test("a queue that is paused until a time wakes no claim before it", (t) => {
  const bench = new QueueBench();
  const until = bench.driver.now + 5_000;
  bench.ask("QueueControlService.PauseQueue", { until: new Date(until).toISOString() });
  bench.enqueue();
  const claim = {
    type: "claim",
    recipientId: bench.recipientIds[0]!,
    maxItems: 1,
    leaseSeconds: 0,
    waitMs: 1,
  };
  const twin = () => bench.driver.state<RouterView>(bench.at("router"));
  const wokenAt = (now: number) => wake(bench.state, [claim as never], { now, twin } as never);
  t.deepEqual(wokenAt(until - 1), []);
  t.deepEqual(wokenAt(until), [0]);
});

test("a claim that waits is told at once when its recipient or its pool is set aside, or goes", (t) => {
  const cases: readonly [method: string, request: Record<string, unknown>, code: string][] = [
    ["RecipientService.PauseRecipient", {}, "FAILED_PRECONDITION"],
    ["RecipientService.UpdateRecipient", { status: "STATUS_DRAINING" }, "FAILED_PRECONDITION"],
    ["RecipientService.DeleteRecipient", {}, "NOT_FOUND"],
    ["PoolService.SetPoolEnabled", { enabled: false }, "FAILED_PRECONDITION"],
    ["PoolService.DeletePool", {}, "NOT_FOUND"],
  ];
  for (const [method, request, code] of cases) {
    const bench = new QueueBench({}, [{}, {}]);
    const answers: unknown[] = [];
    const [recipient_id] = bench.recipientIds;
    const claim = { recipient_id, max_items: 1, wait_seconds: 30 };
    t.is(bench.ask("QueueService.Claim", claim, (answer) => answers.push(answer)) as unknown, "parked");
    bench.pool("RecipientService.PauseRecipient", { recipient_id: bench.recipientIds[1] });
    t.is(answers.length, 0, "of no concern to it");
    bench.pool(method, { recipient_id, ...request });
    t.like(answers[0], { code }, method);
  }
});

/** Recipients that are out for a reason of their own, each with what takes them out and what brings them back. */
const out = {
  RECIPIENT_WEIGHT_ZERO: {
    leave: (bench: QueueBench) => void weigh(bench, 0),
    comeBack: (bench: QueueBench) => void weigh(bench, 1),
  },
  RECIPIENT_OFFLINE: {
    leave: (bench: QueueBench) => {
      beat(bench);
      bench.driver.advance(1_000);
    },
    comeBack: beat,
  },
  RECIPIENT_EJECTED: {
    leave: (bench: QueueBench) => {
      const recipient_id = bench.recipientIds[0];
      const outcome = { queue_item_id: "01JVVVVVVVVVVVVVVVVVVVVVVV", recipient_id, result: "failure" };
      const outcomes = Array.from({ length: 5 }, () => outcome);
      bench.driver.ask(bench.at("router"), "router.RecordOutcomes", { outcomes, single: false });
    },
    comeBack: (bench: QueueBench) =>
      void bench.pool("RecipientService.ResumeRecipient", { recipient_id: bench.recipientIds[0] }),
  },
};

function weigh(bench: QueueBench, weight: number): void {
  bench.pool("RecipientService.UpdateRecipient", { recipient_id: bench.recipientIds[0], weight });
}

function beat(bench: QueueBench): void {
  const recipient_id = bench.recipientIds[0];
  bench.driver.ask(bench.at("router"), "RecipientService.Heartbeat", { recipient_id, ttl_seconds: 1 });
}

for (const [reason, { leave, comeBack }] of Object.entries(out))
  test(`a claim is refused with ${reason}, also one that waits, and gets its item when the recipient is back`, (t) => {
    const bench = new QueueBench({}, [{}, {}]);
    const answers: unknown[] = [];
    const claim = { recipient_id: bench.recipientIds[0], max_items: 1, wait_seconds: 30 };
    t.is(bench.ask("QueueService.Claim", claim, (answer) => answers.push(answer)) as unknown, "parked");
    leave(bench);
    t.like(answers[0], { code: "FAILED_PRECONDITION", reason });
    const { item } = bench.enqueue();
    t.like(bench.ask("QueueService.Claim", claim), { code: "FAILED_PRECONDITION", reason });
    t.is(bench.get(item.id).state, "ready");
    comeBack(bench);
    t.is(bench.claim()[0]?.item.id, item.id);
  });

test("a Work stream waits for the end of an ejection, and ends where its recipient is offline", (t) => {
  for (const [reason, refused] of [
    ["RECIPIENT_EJECTED", false],
    ["RECIPIENT_OFFLINE", true],
    ["RECIPIENT_WEIGHT_ZERO", true],
  ] as const)
    for (const max_items of [0, 1]) {
      const bench = new QueueBench({}, [{}, {}]);
      const answers: unknown[] = [];
      const listen = (holds: boolean) =>
        bench.ask(
          "queue.WorkWait",
          { recipient_id: bench.recipientIds[0], max_items, first: 0, holds },
          (answer) => answers.push(answer),
        ) as unknown;
      t.is(listen(false), "parked");
      out[reason].leave(bench);
      t.is(answers.length, refused ? 1 : 0, `${reason} ${max_items}`);
      if (refused) t.like(answers[0], { code: "FAILED_PRECONDITION", reason });
      if (max_items === 0) t.is(listen(true), "parked", "it listens for the leases that it holds");
    }
});
