/** Topics, their members, and how many broadcasts run; who is reached is test/sim/notify. */
import test from "ava";
import { limits } from "#base";
import { DrivenNotifications, type Message } from "../../test/support/notifications.ts";

async function start(members: number) {
  const module = new DrivenNotifications();
  module.integrate({});
  await module.call("TopicService.CreateTopic", { key: "news" });
  const ids: string[] = [];
  for (let n = 0; n < members; n++)
    ids.push(await module.subscriber(`user-${n}`, { email: `${n}@example.com` }));
  const add = (subscriber_ids: readonly string[], context_keys: readonly string[] = []) =>
    module.call("TopicService.AddMembers", { key: "news", subscriber_ids, context_keys });
  const topic = () => module.call("TopicService.GetTopic", { key: "news" });
  const stateOf = async (transaction_id: string) =>
    (await module.call("NotificationService.GetBroadcast", { transaction_id })).state;
  return { module, ids, add, topic, stateOf };
}

test("given members, when they are added again, then only another context counts, and unknown ones are told", async (t) => {
  const { module, ids, add, topic } = await start(3);
  const unknown = `${ids[0]!.slice(0, 18)}ZZZZZZZZ`;
  t.deepEqual(await add([...ids, ids[0]!, unknown], ["b", "a", "b"]), {
    added: 3,
    updated: 0,
    not_found: [unknown],
  });
  t.like(await add(ids, ["a", "b"]), { added: 0, updated: 0 });
  t.like(await add(ids.slice(0, 2)), { added: 0, updated: 2 });
  t.like(await topic(), { member_count: 3 });
  const { members } = await module.call<{ members: Message[] }>("TopicService.ListMembers", { key: "news" });
  const contexts = new Map(members.map(({ subscriber_id, context_keys }) => [subscriber_id, context_keys]));
  t.deepEqual(
    ids.map((id) => contexts.get(id)),
    [[], [], ["a", "b"]],
  );
});

test("given subscriptions of a subscriber, when it leaves or its topic is deleted, then they are gone", async (t) => {
  const { module, ids, topic } = await start(1);
  const [subscriber_id] = ids;
  await module.call("TopicService.CreateTopic", { key: "offers" });
  for (const topic_key of ["news", "offers"])
    await module.call("SubscriberService.Subscribe", { subscriber_id, topic_key });
  const subscriptions = async () =>
    (
      await module.call<{ subscriptions: Message[] }>("SubscriberService.ListSubscriptions", {
        subscriber_id,
      })
    ).subscriptions
      .map(({ topic_key }) => topic_key)
      .sort();
  t.deepEqual(await subscriptions(), ["news", "offers"]);
  await module.call("SubscriberService.Unsubscribe", { subscriber_id, topic_key: "news" });
  t.like(await topic(), { member_count: 0 });
  t.deepEqual(await subscriptions(), ["offers"]);
  await module.call("TopicService.DeleteTopic", { key: "offers" });
  module.driver.advance(1);
  t.deepEqual(await subscriptions(), []);
});

test("given 16 broadcasts that run, when more come, then they wait, and begin as others end", async (t) => {
  const { module, ids, add, stateOf } = await start(1);
  await add(ids);
  const broadcasts: string[] = [];
  for (let n = 0; n < limits.broadcastsRunningMax + 2; n++)
    broadcasts.push((await module.trigger({ topic: "news", channels: ["email"] })).transaction_id);
  module.driver.advance(1);
  const states = async () => Promise.all(broadcasts.map(stateOf));
  t.deepEqual(await states(), [
    ...Array.from({ length: limits.broadcastsRunningMax }, () => "delivering"),
    "waiting",
    "waiting",
  ]);
  await module.call("NotificationService.CancelBroadcast", { transaction_id: broadcasts[17]! });
  t.is(await stateOf(broadcasts[17]!), "cancelled");
  for (let round = 0; round < 3; round++) {
    await module.send();
    module.driver.advance(1);
  }
  t.deepEqual(new Set((await states()).slice(0, 17)), new Set(["completed"]));
});

test("given 1,000 broadcasts that wait, when another one comes, then it is RATE_LIMITED and nothing of it is stored", async (t) => {
  const { module, ids, add } = await start(1);
  await add(ids);
  const all = limits.broadcastsRunningMax + limits.broadcastsWaitingMax;
  t.is(limits.broadcastsWaitingMax, 1_000);
  for (let n = 0; n < all; n++) await module.trigger({ topic: "news", channels: ["email"] });
  const request = { workflow_key: "welcome", topic: "news", transaction_id: "one-more" };
  t.is(await module.refusal("NotificationService.Trigger", request), "RATE_LIMITED BROADCASTS_WAITING");
  t.is(await module.refusal("NotificationService.GetBroadcast", { transaction_id: "one-more" }), "NOT_FOUND");
});
