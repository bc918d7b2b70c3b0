import test from "ava";
import { defineActor } from "#runtime";
import { QueueBench } from "../../../../test/support/queue.ts";

type Message = Record<string, unknown>;

/** Takes down what it is told. */
const told: Message[] = [];
const listener = defineActor({
  kind: "listener",
  placement: "key",
  empty: () => ({}),
  resident: [],
  restore: () => {},
  decide: (_state: object, message: Message) => ({ events: [message] }),
  apply: (_state: object, message: Message) => void told.push(message),
  methods: {},
  onMessage: (message) => message as Message,
});

class OriginBench extends QueueBench {
  enqueueFor(ref: string, request: Message = {}): Message {
    const caller = { origin: { kind: "listener", key: "l", ref } };
    const answer = this.driver.ask(
      this.at("queue"),
      "QueueService.Enqueue",
      { pool_id: this.poolId, payload: 1, attributes: {}, ...request },
      { caller },
    ) as { item: Message };
    return answer.item;
  }

  claimOne(): { id: string; lease_token: string } {
    const request = { recipient_id: this.recipientIds[0], max_items: 1 };
    const { items } = this.ask("QueueService.Claim", request) as {
      items: { item: Message; lease_token: string }[];
    };
    return { id: items[0]!.item.id as string, lease_token: items[0]!.lease_token };
  }
}

function start(config: Message = {}) {
  told.length = 0;
  const bench = new OriginBench(config);
  bench.driver.define(listener);
  return bench;
}

test("an item that has an origin tells its end there, once, also after a restart; others tell none", (t) => {
  const bench = start();
  bench.enqueueFor("a");
  bench.ask("QueueService.Enqueue", { payload: 2, attributes: {} });
  bench.driver.restart();
  const first = bench.claimOne();
  bench.ask("QueueService.Complete", {
    queue_item_id: first.id,
    lease_token: first.lease_token,
    result: { x: 1 },
  });
  t.deepEqual(told, [
    { type: "finished", ref: "a", finished: { ok: true, state: "completed", result: { x: 1 } } },
  ]);
  const second = bench.claimOne();
  bench.ask("QueueService.Complete", { queue_item_id: second.id, lease_token: second.lease_token });
  t.is(told.length, 1);
});

test("dead letters and cancelled items are ends, and a retried dead letter has ended", (t) => {
  const bench = start();
  bench.enqueueFor("dead");
  const { id, lease_token } = bench.claimOne();
  bench.ask("QueueService.Reject", { queue_item_id: id, lease_token, error: "broken" });
  bench.ask("DeadLetterService.Retry", { queue_item_ids: [id] });
  const again = bench.claimOne();
  bench.ask("QueueService.Complete", { queue_item_id: again.id, lease_token: again.lease_token });
  const cancelled = bench.enqueueFor("cancelled");
  bench.ask("QueueService.Cancel", { queue_item_id: cancelled.id });
  t.deepEqual(
    told.map(({ ref, finished }) => [ref, finished]),
    [
      ["dead", { ok: false, state: "dead", error: "broken" }],
      ["cancelled", { ok: false, state: "cancelled" }],
    ],
  );
});

test("who is answered with another item hears of that one, at once where it is over", (t) => {
  const bench = start();
  const first = bench.enqueueFor("a", { dedup_id: "d" });
  t.is(bench.enqueueFor("b", { dedup_id: "d" }).id, first.id);
  const { id, lease_token } = bench.claimOne();
  bench.ask("QueueService.Complete", { queue_item_id: id, lease_token });
  bench.enqueueFor("c", { dedup_id: "d" });
  t.deepEqual(
    told.map(({ ref }) => ref),
    ["a", "b", "c"],
  );
});

test("a deleted pool ends the items of origins", (t) => {
  const bench = start();
  bench.enqueueFor("a");
  bench.pool("PoolService.DeletePool", { force: true });
  t.like(told, [{ ref: "a", finished: { ok: false, state: "cancelled" } }]);
});
