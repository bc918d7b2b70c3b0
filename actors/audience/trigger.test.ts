/** What a trigger takes and refuses, whose content it sends, and what of a workflow a broadcast keeps. */
import test from "ava";
import { limits } from "#base";
import { DrivenNotifications, type Message } from "../../test/support/notifications.ts";
import { audienceOf } from "../notify/address.ts";
import { sinkMessages } from "../notify/outbound/sink.ts";

const trigger = "NotificationService.Trigger";
const tenant = "0000000000000000000000000A";

async function start(more: Message = {}) {
  const module = new DrivenNotifications(more);
  module.integrate({});
  const subscriber_id = await module.subscriber("user-1", { email: "a@example.com" });
  const refusal = (request: Message) =>
    module.refusal(trigger, { workflow_key: "welcome", wait_ms: 0, ...request });
  return { module, subscriber_id, refusal };
}

/** An object whose JSON has exactly so many bytes. */
function jsonOf(bytes: number): Message {
  return { text: "x".repeat(bytes - JSON.stringify({ text: "" }).length) };
}

test("given notification.dispatch.enabled is false, when a trigger comes, then it is DISPATCH_DISABLED, and all else works", async (t) => {
  const { module, subscriber_id, refusal } = await start({ "notification.dispatch.enabled": false });
  t.is(await refusal({ subscriber_id }), "FAILED_PRECONDITION DISPATCH_DISABLED");
  await module.call("TopicService.CreateTopic", { key: "news" });
  t.is(await refusal({ topic: "news" }), "FAILED_PRECONDITION DISPATCH_DISABLED");
  t.like(await module.call("SubscriberService.GetSubscriber", { subscriber_id }), { id: subscriber_id });
});

test("given no recipient, two of them, or a profile without its subscriber, when a trigger comes, then the field is named", async (t) => {
  const { subscriber_id, refusal } = await start();
  for (const [request, field] of [
    [{}, "subscriber_id"],
    [{ subscriber_id, topic: "news" }, "subscriber_id"],
    [{ subscriber_id, subscriber_external_id: "user-1" }, "subscriber_id"],
    [{ subscriber_id, subscriber: {} }, "subscriber"],
    [{ subscriber_external_id: "user-1", subscriber: { timezone: "Mars/Olympus" } }, "subscriber.timezone"],
  ] as const)
    t.is(await refusal(request), `INVALID_ARGUMENT ${field}`, JSON.stringify(request));
  t.is(await refusal({ topic: "no.such.topic" }), "NOT_FOUND");
  t.is(await refusal({ subscriber_external_id: "no.such.user" }), "NOT_FOUND");
});

test("given a payload or overrides of 256 KiB, when there is one byte more, then the field is named", async (t) => {
  const { subscriber_id, refusal } = await start();
  const whole = limits.notifyPayloadBytesMax;
  t.is(whole, 262_144);
  t.is(await refusal({ subscriber_id, payload: jsonOf(whole) }), undefined);
  t.is(await refusal({ subscriber_id, payload: jsonOf(whole + 1) }), "INVALID_ARGUMENT payload");
  t.is(await refusal({ subscriber_id, overrides: jsonOf(whole + 1) }), "INVALID_ARGUMENT overrides");
});

test("given settings of a mail that would add a recipient, when a trigger comes, then the header is named, and nothing is created", async (t) => {
  const { module, subscriber_id, refusal } = await start();
  const given = (provider: Message) => refusal({ subscriber_id, overrides: { email: { provider } } });
  const at = "overrides.email.provider";
  for (const name of ["Bcc", "bcc", "Cc", "To", "Resent-To", "X-SMTPAPI"])
    t.is(await given({ headers: { [name]: "c@d.com" } }), `INVALID_ARGUMENT ${at}.headers.${name}`);
  t.is(await given({ Headers: { Bcc: "c@d.com" } }), `INVALID_ARGUMENT ${at}.Headers.Bcc`);
  t.is(await given({ from: "a@b.com>" }), `INVALID_ARGUMENT ${at}.from`);
  t.is(await given({ reply_to: "a@b.com\r\nBcc: c@d.com" }), `INVALID_ARGUMENT ${at}.reply_to`);
  const { deliveries } = await module.call<{ deliveries: unknown[] }>("NotificationService.ListDeliveries", {
    subscriber_id,
  });
  t.deepEqual(deliveries, []);
  t.is(await given({ headers: { "X-Priority": "1" }, from: "A <a@b.com>" }), undefined);
});

test("given texts that are no mail address, when a subscriber or an endpoint gets them, then the field is named", async (t) => {
  const { module, subscriber_id, refusal } = await start();
  for (const email of ["a@b.com>", "a@b.com,c@d.com", "<a@b.com>", "a@b.com;", "a@b..com"]) {
    const upsert = "SubscriberService.UpsertSubscriber";
    t.is(await module.refusal(upsert, { external_id: "other", email }), "INVALID_ARGUMENT email", email);
    const replace = "SubscriberService.ReplaceSubscriber";
    t.is(await module.refusal(replace, { subscriber_id, email }), "INVALID_ARGUMENT email", email);
    const inline = { subscriber_external_id: "inline", subscriber: { email } };
    t.is(await refusal(inline), "INVALID_ARGUMENT subscriber.email", email);
    const add = { subscriber_id, channel: "email", identity: email };
    t.is(await module.refusal("SubscriberService.UpsertEndpoint", add), "INVALID_ARGUMENT identity", email);
  }
});

test("given a payload_context of 64 KiB, when there is one byte more, then the field is named", async (t) => {
  const { module, subscriber_id } = await start();
  const preview = (payload_context: Message) =>
    module.refusal("SubscriberService.PreviewPreferences", {
      subscriber_id,
      workflow_key: "welcome",
      payload_context,
    });
  t.is(limits.previewPayloadBytesMax, 65_536);
  t.is(await preview(jsonOf(65_536)), undefined);
  t.is(await preview(jsonOf(65_537)), "INVALID_ARGUMENT payload_context");
});

test("given deliveries, when they are listed by no filter or by two, then both fields are named", async (t) => {
  const { module, subscriber_id } = await start();
  const { transaction_id } = await module.trigger({ subscriber_id, channels: ["email"] });
  const list = (request: Message) => module.refusal("NotificationService.ListDeliveries", request);
  const both = "INVALID_ARGUMENT transaction_id subscriber_id";
  t.is(await list({}), both);
  t.is(await list({ transaction_id, subscriber_id }), both);
  t.is(await list({ transaction_id }), undefined);
  t.is(await list({ subscriber_id }), undefined);
});

test("given a workflow, overrides and a payload, when they are sent, then overrides go first, then the workflow, then the payload; without any it is NO_CONTENT", async (t) => {
  const { module, subscriber_id } = await start();
  const payload = { subject: "of the payload", body: "payload" };
  const content = { engine: "liquid", subject: "of the workflow", body: "workflow" };
  await module.call("NoticeService.PutNotice", { workflow_key: "written", channels: { email: content } });
  const overrides = { email: { subject: "of the override", body: "override" } };
  const sent = async (request: Message) => {
    const { outcomes } = await module.trigger({ subscriber_id, channels: ["email"], ...request });
    await module.send();
    const { delivery_id } = outcomes[0]!;
    const { status, failure } = await module.call("NotificationService.GetDelivery", { delivery_id });
    const taken = sinkMessages().find(({ key }) => key === `${delivery_id}.1`);
    return status === "sent" ? [taken?.subject, taken?.text] : failure;
  };
  const written = { workflow_key: "written", payload };
  t.deepEqual(await sent({ ...written, overrides }), ["of the override", "override"]);
  t.deepEqual(await sent(written), ["of the workflow", "workflow"]);
  t.deepEqual(await sent({ payload }), ["of the payload", "payload"]);
  t.like(await sent({ payload: {} }), { phase: "render", code: "NO_CONTENT" });
});

test("given an override for the provider, when the integration has a casing, then it goes over the metadata in that casing", async (t) => {
  const { module, subscriber_id } = await start();
  const overrides = { email: { provider: { Answer: "refuse" } } };
  const outcome = async () => {
    const { outcomes } = await module.trigger({ subscriber_id, channels: ["email"], overrides });
    await module.send();
    return module.call("NotificationService.GetDelivery", { delivery_id: outcomes[0]!.delivery_id });
  };
  t.like(await outcome(), { status: "sent" }, "the sink knows no Answer");
  module.integrate({ casing: "snake_case" });
  t.like(await outcome(), { status: "failed", failure: { code: "PROVIDER_REFUSED" } });
});

test("given a broadcast, when its workflow is changed before a member's turn, then the member gets the workflow of the trigger", async (t) => {
  const { module, subscriber_id } = await start();
  const put = (body: string, more: Message = {}) =>
    module.call("NoticeService.PutNotice", {
      workflow_key: "news",
      channels: { email: { engine: "liquid", subject: "s", body } },
      ...more,
    });
  await module.call("TopicService.CreateTopic", { key: "all" });
  await module.call("TopicService.AddMembers", { key: "all", subscriber_ids: [subscriber_id] });
  await put("first");
  const { transaction_id } = await module.trigger({ workflow_key: "news", topic: "all" });
  await put("second", { preference: { all: { enabled: false } } });
  module.driver.advance(1);
  await module.send();
  t.like(await module.call("NotificationService.GetBroadcast", { transaction_id }), { sent: 1, skipped: 0 });
  const { deliveries } = await module.call<{ deliveries: { id: string }[] }>(
    "NotificationService.ListDeliveries",
    { transaction_id },
  );
  t.is(sinkMessages().find(({ key }) => key === `${deliveries[0]!.id}.1`)?.text, "first");
});

test("given notification.queue.mode, when it is single, then deliveries of broadcasts are not behind direct ones", async (t) => {
  for (const [mode, lane] of [
    ["single", "direct"],
    ["tiered", "broadcast"],
  ]) {
    const { module, subscriber_id } = await start({ "notification.queue.mode": mode });
    await module.call("TopicService.CreateTopic", { key: "all" });
    await module.call("TopicService.AddMembers", { key: "all", subscriber_ids: [subscriber_id] });
    await module.trigger({ topic: "all", channels: ["email"] });
    module.driver.advance(1);
    const [effect] = module.driver.effects(audienceOf(tenant, "user-1"));
    t.true(effect?.lane?.endsWith(` ${lane}`), `${mode}: ${effect?.lane}`);
  }
});

test("given a caller's transaction id, when seven days have passed, then it is refused while its deliveries are kept, and is free after that", async (t) => {
  const { module, subscriber_id } = await start();
  await module.call("TopicService.CreateTopic", { key: "all" });
  const recipients = [
    { subscriber_id, channels: ["email"] },
    { topic: "all", channels: ["email"] },
  ];
  for (const [index, recipient] of recipients.entries()) {
    const transaction_id = `order-${index}`;
    const request = { ...recipient, transaction_id };
    await module.trigger(request);
    await module.send();
    t.is((await module.trigger(request)).transaction_id, transaction_id);
    const other = { workflow_key: "welcome", ...request, user_id: "u", wait_ms: 0 };
    const conflict = "ALREADY_EXISTS TRANSACTION_ID_CONFLICT";
    module.driver.advance(limits.transactionClaimMs - 1);
    t.is(await module.refusal(trigger, other), conflict);
    module.driver.advance(2);
    t.is(
      await module.refusal(trigger, other),
      conflict,
      "it would be taken for the old one, and nothing sent",
    );
    module.driver.advance(limits.broadcastKeptMs + limits.transactionClaimMs);
    const sent = await module.trigger({ ...other, payload: { subject: "s", body: "b" } });
    t.true(sent.broadcast !== undefined || sent.outcomes[0]!.status === "running");
    await module.send();
    module.driver.advance(limits.transactionClaimMs * 2);
  }
});
