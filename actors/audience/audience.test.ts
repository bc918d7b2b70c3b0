import test from "ava";
import { DrivenNotifications, type Message } from "../../test/support/notifications.ts";
import { sinkMessages } from "../notify/outbound/sink.ts";

test("a trigger reaches the subscriber's address by the sink, and the delivery says so", async (t) => {
  const module = new DrivenNotifications();
  module.integrate({});
  const subscriber_id = await module.subscriber("user-7", { email: "ada@example.com" });
  const { transaction_id, outcomes } = await module.trigger({ subscriber_id, channels: ["email"] });
  t.like(outcomes, [{ channel: "email", status: "running", reason_code: "default" }]);
  await module.send();
  const delivery = await module.call("NotificationService.GetDelivery", {
    delivery_id: outcomes[0]!.delivery_id,
  });
  t.like(delivery, { status: "sent", identity: "ada@example.com", transaction_id, provider_key: "sink" });
  t.like(sinkMessages().at(-1), { to: "ada@example.com", subject: "Hello", text: "Welcome." });
  const listed = await module.call<{ deliveries: Message[]; total: number }>(
    "NotificationService.ListDeliveries",
    { transaction_id },
  );
  t.is(listed.total, 1);
  t.is(listed.deliveries[0]!.id, outcomes[0]!.delivery_id);
});

test("an integration that fails is followed by the next; when all have failed it waits, then it is tried again", async (t) => {
  const module = new DrivenNotifications();
  module.integrate(
    { id: "first", priority: 1, metadata: { answer: "fail" } },
    { id: "second", priority: 2, metadata: { answer: "fail" } },
  );
  const subscriber_id = await module.subscriber("user-1", { email: "a@example.com" });
  const { outcomes } = await module.trigger({ subscriber_id, channels: ["email"] });
  const delivery_id = outcomes[0]!.delivery_id;
  t.is(await module.send(), 2);
  const waiting = await module.call("NotificationService.GetDelivery", { delivery_id });
  t.like(waiting, { status: "queued", attempt: 2, failure: { phase: "connect", code: "NETWORK" } });
  t.truthy(waiting.retry_at);
  module.integrate({ id: "first", priority: 1 });
  module.driver.advance(10_000);
  await module.send();
  const sent = await module.call("NotificationService.GetDelivery", { delivery_id });
  t.like(sent, { status: "sent", attempt: 3 });
  t.is(sent.failure, undefined);
  t.is((sent.attempts as Message[])[0]!.code, "NETWORK");
});

test("what may have been sent is flagged, and redriven only with consent", async (t) => {
  const module = new DrivenNotifications();
  module.integrate({ metadata: { answer: "lose" } });
  const subscriber_id = await module.subscriber("user-1", { email: "a@example.com" });
  const { outcomes } = await module.trigger({ subscriber_id, channels: ["email"] });
  const { delivery_id } = outcomes[0]!;
  await module.send();
  const delivery = await module.call("NotificationService.GetDelivery", { delivery_id });
  t.like(delivery, { status: "failed", reconciliation_required: true, failure: { code: "OUTCOME_UNKNOWN" } });
  const dead_letter_id = delivery.dead_letter_id as string;
  const redrive = "NotificationService.RedriveDeadLetter";
  t.is(await module.refusal(redrive, { dead_letter_id }), "FAILED_PRECONDITION OUTCOME_UNKNOWN");
  module.integrate({});
  await module.call(redrive, { dead_letter_id, accept_duplicate: true });
  t.is(await module.refusal(redrive, { dead_letter_id, accept_duplicate: true }), "STATE_CONFLICT");
  await module.send();
  t.like(await module.call("NotificationService.GetDelivery", { delivery_id }), {
    status: "sent",
    generation: 2,
  });
  t.like(await module.call("NotificationService.GetDeadLetter", { dead_letter_id }), {
    status: "resolved",
    redrive_count: 1,
  });
});

test("an attempt that was interrupted after it began is flagged, one before is sent", async (t) => {
  const module = new DrivenNotifications();
  module.integrate({});
  const subscriber_id = await module.subscriber("user-1", { email: "a@example.com" });
  for (const [begun, status] of [
    [true, "failed"],
    [false, "sent"],
  ] as const) {
    const { outcomes } = await module.trigger({ subscriber_id, channels: ["email"] });
    const [effect] = module.due();
    await module.attempt(effect!.address, effect!.id, effect!.body, begun);
    const { delivery_id } = outcomes[0]!;
    t.like(await module.call("NotificationService.GetDelivery", { delivery_id }), { status });
  }
});

test("in_app writes into the inbox once, and marks count", async (t) => {
  const module = new DrivenNotifications();
  const subscriber_id = await module.subscriber("user-1");
  await module.trigger({ subscriber_id, channels: ["in_app"] });
  await module.trigger({ subscriber_id, channels: ["in_app"] });
  await module.send();
  const list = () => module.call<{ messages: Message[] }>("InboxService.ListInbox", { subscriber_id });
  const before = await list();
  t.like(before, { total: 2, unread_count: 2 });
  t.like(before.messages[0], { subject: "Hello", body: "Welcome.", sequence: 2, read: false });
  const mark = { subscriber_id, message_ids: [before.messages[0]!.id], all: false };
  t.deepEqual(await module.call("InboxService.MarkInbox", { ...mark, as: "read" }), {
    changed: 1,
    unread_count: 1,
  });
  await module.call("InboxService.MarkInbox", { ...mark, as: "archived" });
  t.like(await list(), { total: 1, unread_count: 1 });
});

test("a caller's transaction id: the same body is the same deliveries, another body is a conflict", async (t) => {
  const module = new DrivenNotifications();
  module.integrate({});
  const subscriber_id = await module.subscriber("user-1", { email: "a@example.com" });
  const request = { subscriber_id, channels: ["email"], transaction_id: "order-7" };
  const first = await module.trigger(request);
  const again = await module.trigger(request);
  t.is(again.outcomes[0]!.delivery_id, first.outcomes[0]!.delivery_id);
  t.is(await module.send(), 1);
  await t.throwsAsync(module.trigger({ ...request, user_id: "u" }), { message: /ALREADY_EXISTS/ });
});

test("broadcast: members at the cut-off are reached, who leaves later too, who joins later not", async (t) => {
  const module = new DrivenNotifications();
  module.integrate({});
  const key = "news";
  await module.call("TopicService.CreateTopic", { key });
  const ids: string[] = [];
  for (let i = 0; i < 150; i++) ids.push(await module.subscriber(`user-${i}`, { email: `${i}@example.com` }));
  const members = ids.slice(0, 120);
  await module.call("TopicService.AddMembers", { key, subscriber_ids: members });
  await module.call("TopicService.RemoveMembers", { key, subscriber_ids: members.slice(0, 20) });
  const { transaction_id, broadcast } = await module.trigger({ topic: key, channels: ["email"] });
  t.like(broadcast, { state: "expanding", member_count: 100 });
  await module.call("TopicService.RemoveMembers", { key, subscriber_ids: members.slice(20, 60) });
  await module.call("TopicService.AddMembers", { key, subscriber_ids: ids.slice(120) });
  await module.call("TopicService.AddMembers", {
    key,
    subscriber_ids: members.slice(20, 30),
    context_keys: ["eu"],
  });
  await module.call("TopicService.DeleteTopic", { key });
  await module.call("TopicService.CreateTopic", { key });
  module.driver.advance(1);
  module.driver.restart();
  await module.send();
  module.driver.advance(1);
  const get = () => module.call("NotificationService.GetBroadcast", { transaction_id });
  t.like(await get(), { state: "completed", expanded: 100, deliveries: 100, sent: 100 });
  const reached = new Set<string>();
  let page_token = "";
  do {
    const page = await module.call<{ deliveries: { subscriber_id: string }[]; next_page_token: string }>(
      "NotificationService.ListDeliveries",
      { transaction_id, page_size: 30, page_token },
    );
    for (const { subscriber_id } of page.deliveries) {
      t.false(reached.has(subscriber_id));
      reached.add(subscriber_id);
    }
    page_token = page.next_page_token;
  } while (page_token !== "");
  t.deepEqual([...reached].sort(), members.slice(20).sort());
});

test("broadcast: a cancel skips what waits, and an integration that is removed is not chosen again", async (t) => {
  const module = new DrivenNotifications();
  module.integrate({ metadata: { answer: "fail" } });
  await module.call("TopicService.CreateTopic", { key: "news" });
  const subscriber_id = await module.subscriber("user-1", { email: "a@example.com" });
  await module.call("SubscriberService.Subscribe", { subscriber_id, topic_key: "news" });
  const { transaction_id } = await module.trigger({ topic: "news", channels: ["email"] });
  module.driver.advance(1);
  await module.send();
  await module.call("NotificationService.CancelBroadcast", { transaction_id });
  module.driver.advance(1);
  const get = () => module.call("NotificationService.GetBroadcast", { transaction_id });
  t.like(await get(), { state: "cancelled", deliveries: 1, skipped: 1, sent: 0 });
  module.disintegrate("integration-0");
  const { outcomes } = await module.trigger({ subscriber_id, channels: ["email"] });
  t.like(outcomes[0], { outcome: "failed", failure: { phase: "select", code: "NO_INTEGRATION" } });
});

test("a cursor opens only the list it was made for", async (t) => {
  const module = new DrivenNotifications();
  await module.subscriber("user-1");
  await module.subscriber("user-2");
  const { next_page_token: page_token } = await module.call("SubscriberService.ListSubscribers", {
    page_size: 1,
  });
  t.is(await module.refusal("SubscriberService.ListSubscribers", { page_size: 1, page_token }), undefined);
  const refusal = await module.refusal("NotificationService.ListDeadLetters", { page_size: 1, page_token });
  t.is(refusal, "INVALID_ARGUMENT page_token");
});
