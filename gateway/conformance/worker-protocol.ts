import { inSandbox, suite } from "./case.ts";
import { expect } from "./failures.ts";
import type { Tester } from "./tester.ts";

const made = ["PoolService.CreatePool", "RecipientService.CreateRecipient", "QueueService.Enqueue"];
const claimed = [...made, "QueueService.Claim"];
const getItem = "QueueService.GetItem";

/** A pool with a worker that holds one item. */
async function leased(t: Tester, config: object = {}, lease_seconds = 30) {
  const pool_id = await t.pool({ config });
  const recipient_id = await t.recipient(pool_id);
  const { item } = await t.enqueue(pool_id);
  const [lease] = await t.claim(pool_id, recipient_id, { lease_seconds });
  expect(lease?.item.id === item.id, "the item was not claimed");
  return {
    pool_id,
    recipient_id,
    ref: { pool_id, queue_item_id: item.id as string, lease_token: lease.lease_token as string },
  };
}

/** Waits until the lease has ended and the item is claimed anew. */
async function redelivered(t: Tester, { pool_id, recipient_id }: { pool_id: string; recipient_id: string }) {
  const [again] = await t.claim(pool_id, recipient_id, { wait_seconds: 15 });
  expect(again !== undefined, "the item was not delivered again");
  return again;
}

const shortBackoff = { backoff: { initial_ms: 100, max_ms: 100, multiplier: 1 } };

/** What a worker can rely on: claim, fence, extend, redelivery, dead letter, credit of a Work session. */
export const workerProtocol = suite({
  id: "worker_protocol",
  title: "Claim, fence, extend, redelivery, dead letters, Work credit",
  cases: {
    "claim-one": inSandbox("an item goes to one claimer only", claimed, async (t) => {
      const { pool_id, recipient_id } = await leased(t);
      const second = await t.claim(pool_id, recipient_id, { wait_seconds: 0 });
      expect(second.length === 0, "the item was delivered twice");
    }),
    "claim-waits": inSandbox("a claim that waits is woken by an item", claimed, async (t) => {
      const pool_id = await t.pool();
      const recipient_id = await t.recipient(pool_id);
      const waiting = t.claim(pool_id, recipient_id, { wait_seconds: 10 });
      await t.enqueue(pool_id);
      expect((await waiting).length === 1, "the claim was not woken");
    }),
    "claim-order": inSandbox("items of one key class come in order", claimed, async (t) => {
      const pool_id = await t.pool();
      const recipient_id = await t.recipient(pool_id);
      const sent = [];
      for (let n = 0; n < 5; n++) sent.push((await t.enqueue(pool_id, { payload: n })).item.id);
      const got = await t.claim(pool_id, recipient_id, { max_items: 5 });
      const ids = got.map(({ item }: { item: { id: string } }) => item.id);
      expect(JSON.stringify(ids) === JSON.stringify(sent), "the order is another one");
    }),
    priority: inSandbox("a more urgent item goes first", claimed, async (t) => {
      const pool_id = await t.pool();
      const recipient_id = await t.recipient(pool_id);
      await t.enqueue(pool_id, { priority: 5 });
      const { item } = await t.enqueue(pool_id, { priority: 1 });
      const [first] = await t.claim(pool_id, recipient_id);
      expect(first?.item.id === item.id, "the less urgent item went first");
    }),
    complete: inSandbox(
      "a completed item is done",
      [...claimed, "QueueService.Complete", getItem],
      async (t) => {
        const { pool_id, ref } = await leased(t);
        await t.ok("QueueService.Complete", { ...ref, result: { done: true } });
        const item = await t.item(pool_id, ref.queue_item_id);
        expect(item.state === "completed" && item.result?.done === true, `the item is ${item.state}`);
      },
    ),
    "complete-replays": inSandbox(
      "the same completion again is answered again",
      [...claimed, "QueueService.Complete"],
      async (t) => {
        const { ref } = await leased(t);
        await t.ok("QueueService.Complete", ref);
        const again = await t.ok("QueueService.Complete", ref);
        expect(JSON.stringify(again).includes("completed"), "the repeat was answered otherwise");
      },
    ),
    "lease-fence": inSandbox(
      "an old lease token settles nothing",
      [...claimed, "QueueService.Complete", getItem],
      async (t) => {
        const held = await leased(t, { max_attempts: 3, ...shortBackoff }, 1);
        const again = await redelivered(t, held);
        await t.refused("QueueService.Complete", held.ref, "LEASE_LOST");
        const item = await t.item(held.pool_id, held.ref.queue_item_id);
        expect(item.state === "leased", `the item is ${item.state}`);
        await t.ok("QueueService.Complete", { ...held.ref, lease_token: again.lease_token });
      },
    ),
    redelivery: inSandbox("an item whose worker is silent is delivered again", claimed, async (t) => {
      const held = await leased(t, { max_attempts: 3, ...shortBackoff }, 1);
      const again = await redelivered(t, held);
      expect(
        again.item.deliveries === 2 && again.item.attempts === 1,
        "deliveries and attempts do not count it",
      );
    }),
    extend: inSandbox(
      "an extended lease ends later",
      [...claimed, "QueueService.Extend", getItem],
      async (t) => {
        const { pool_id, ref } = await leased(t);
        const before = await t.item(pool_id, ref.queue_item_id);
        await t.ok("QueueService.Extend", { ...ref, lease_seconds: 300 });
        const after = await t.item(pool_id, ref.queue_item_id);
        const later = Date.parse(after.lease?.expires_at) - Date.parse(before.lease?.expires_at);
        expect(later > 200_000, "the lease ends as before");
      },
    ),
    release: inSandbox(
      "a released item costs a delivery and no attempt",
      [...claimed, "QueueService.Release"],
      async (t) => {
        const { pool_id, recipient_id, ref } = await leased(t);
        await t.ok("QueueService.Release", ref);
        const [again] = await t.claim(pool_id, recipient_id);
        expect(again?.item.deliveries === 2 && again.item.attempts === 0, "it was counted otherwise");
      },
    ),
    "fail-retries": inSandbox(
      "a failed item waits and is tried again",
      [...claimed, "QueueService.Fail", getItem],
      async (t) => {
        const held = await leased(t, { max_attempts: 3 });
        const dueMs = Date.now() + 300;
        await t.ok("QueueService.Fail", { ...held.ref, error: "no", delay_ms: 300 });
        const item = await t.item(held.pool_id, held.ref.queue_item_id);
        // On a slow machine its wait may be over before the answer comes.
        const waits = item.state === "retry_wait" || Date.now() >= dueMs;
        expect(waits && item.attempts === 1, `the item is ${item.state}`);
        await redelivered(t, held);
      },
    ),
    "fail-final": inSandbox(
      "a failure that cannot be retried is a dead letter at once",
      [...claimed, "QueueService.Fail", "DeadLetterService.ListDeadLetters"],
      async (t) => {
        const { pool_id, ref } = await leased(t);
        await t.ok("QueueService.Fail", { ...ref, error: "no", retryable: false });
        const { dead_letters } = await t.ok("DeadLetterService.ListDeadLetters", { pool_id });
        expect(dead_letters[0]?.id === ref.queue_item_id, "it is no dead letter");
      },
    ),
    reject: inSandbox(
      "a rejected item is a dead letter at once",
      [...claimed, "QueueService.Reject", "DeadLetterService.GetDeadLetterStats"],
      async (t) => {
        const { pool_id, ref } = await leased(t);
        await t.ok("QueueService.Reject", { ...ref, error: "no" });
        const { depth } = await t.ok("DeadLetterService.GetDeadLetterStats", { pool_id });
        expect(depth === 1, `there are ${depth} dead letters`);
      },
    ),
    "attempts-exhausted": inSandbox(
      "after max_attempts an item is a dead letter",
      [...claimed, "QueueService.Fail", getItem],
      async (t) => {
        const { pool_id, ref } = await leased(t, { max_attempts: 1 });
        await t.ok("QueueService.Fail", { ...ref, error: "no" });
        const { state } = await t.item(pool_id, ref.queue_item_id);
        expect(state === "dead", `the item is ${state}`);
      },
    ),
    "dead-letter-retry": inSandbox(
      "a retried dead letter is delivered again",
      [...claimed, "QueueService.Reject", "DeadLetterService.Retry"],
      async (t) => {
        const { pool_id, recipient_id, ref } = await leased(t);
        await t.ok("QueueService.Reject", { ...ref, error: "no" });
        await t.ok("DeadLetterService.Retry", { pool_id, queue_item_ids: [ref.queue_item_id] });
        const [again] = await t.claim(pool_id, recipient_id);
        expect(
          again?.item.id === ref.queue_item_id && again.item.retry_count === 1,
          "it was not delivered again",
        );
      },
    ),
    "settle-batch": inSandbox(
      "a batch settles each item by itself",
      [...claimed, "QueueService.SettleBatch"],
      async (t) => {
        const { pool_id, ref } = await leased(t);
        const { queue_item_id, lease_token } = ref;
        const settlements = [
          { queue_item_id, lease_token, outcome: "complete" },
          { queue_item_id, lease_token: "another", outcome: "complete" },
        ];
        const { results } = await t.ok("QueueService.SettleBatch", { pool_id, settlements });
        expect(
          results[0]?.error === undefined && results[1]?.error !== undefined,
          "they were not settled apart",
        );
      },
    ),
    pause: inSandbox(
      "a paused queue gives nothing out, a resumed one does",
      [...claimed, "QueueControlService.PauseQueue", "QueueControlService.ResumeQueue"],
      async (t) => {
        const pool_id = await t.pool();
        const recipient_id = await t.recipient(pool_id);
        await t.ok("QueueControlService.PauseQueue", { pool_id, reason: "conformance" });
        await t.enqueue(pool_id);
        const none = await t.claim(pool_id, recipient_id, { wait_seconds: 0 });
        expect(none.length === 0, "a paused queue gave an item out");
        await t.ok("QueueControlService.ResumeQueue", { pool_id });
        expect((await t.claim(pool_id, recipient_id)).length === 1, "the resumed queue gave nothing out");
      },
    ),
    "work-credit": inSandbox(
      "a Work session gets as many items as it has credit",
      [...made, "QueueService.Work", getItem],
      async (t) => {
        const pool_id = await t.pool();
        const recipient_id = await t.recipient(pool_id);
        const ids = [(await t.enqueue(pool_id)).item.id, (await t.enqueue(pool_id)).item.id];
        const session = await t.work({ pool_id, recipient_id, credit: 1 });
        try {
          const { assigned } = await session.next();
          expect(assigned?.items.length === 1, "it was assigned more than its credit");
          const [{ item, lease_token }] = assigned.items;
          expect(item.id === ids[0], "it was assigned another item");
          expect((await t.item(pool_id, ids[1])).state === "ready", "an item was leased without credit");
          session.send({
            settle: { settlements: [{ queue_item_id: item.id, lease_token, outcome: "complete" }] },
          });
          session.send({ credit: { items: 1 } });
          const seen = [await session.next(), await session.next()];
          expect(
            seen.some(({ settled }) => settled?.results.length === 1),
            "the settlement was not answered",
          );
          expect(
            seen.some((one) => one.assigned?.items[0]?.item.id === ids[1]),
            "new credit brought nothing",
          );
        } finally {
          session.close();
        }
      },
    ),
  },
});
