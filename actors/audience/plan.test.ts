/** Which rows are the layers of a trigger, and which zone its quiet hours are in: by hand, beside the resolver's own tests. */
import test from "ava";
import { DrivenNotifications, type Message } from "../../test/support/notifications.ts";

const put = "SubscriberService.PutPreference";
const off = { all: { enabled: false } };
const days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

async function start(more: Message = {}) {
  const module = new DrivenNotifications(more);
  module.integrate({});
  await module.call("TopicService.CreateTopic", { key: "news" });
  const subscriber_id = await module.subscriber("user-1", { email: "a@example.com" });
  const preview = async (asked: Message = {}) => {
    const request = { subscriber_id, workflow_key: "digest", channels: ["email"], ...asked };
    const { channels } = await module.call<{ channels: Message[] }>(
      "SubscriberService.PreviewPreferences",
      request,
    );
    const { reason_code, winning_layer, trace } = channels[0]!;
    return {
      reason: reason_code,
      layer: winning_layer,
      states: (trace as Message[]).map(({ state }) => state),
    };
  };
  /** What a broadcast to it as the only member decides. */
  const broadcast = async (context_keys: readonly string[], asked: Message = {}) => {
    const member = { key: "news", subscriber_ids: [subscriber_id] };
    await module.call("TopicService.AddMembers", { ...member, context_keys });
    const request = { workflow_key: "digest", topic: "news", channels: ["email"], ...asked };
    const { transaction_id } = await module.trigger(request);
    module.driver.advance(1);
    await module.send();
    await module.call("TopicService.RemoveMembers", member);
    const { deliveries } = await module.call<{ deliveries: Message[] }>(
      "NotificationService.ListDeliveries",
      {
        transaction_id,
      },
    );
    return { reason: deliveries[0]!.reason_code, layer: deliveries[0]!.winning_layer };
  };
  return { module, subscriber_id, preview, broadcast };
}

test("given rows of several context sets, when a member's context is the same set, then that row counts, else the one without", async (t) => {
  const { module, subscriber_id, preview, broadcast } = await start();
  const of = { subscriber_id, workflow_key: "digest", topic_key: "news" };
  await module.call(put, { ...of, context_keys: ["eu", "beta"], ...off });
  const asked = (...context_keys: string[]) => preview({ topic_key: "news", context_keys });
  t.like(await asked("beta", "eu", "beta"), { reason: "disabled", layer: 5 });
  t.like(await asked("eu"), { reason: "default", layer: 0 });
  t.like(await asked(), { reason: "default", layer: 0 });
  await module.call(put, { ...of, all: { enabled: true } });
  t.like(await asked("eu"), { reason: "enabled", layer: 5 });
  t.like(await asked("eu", "beta"), { reason: "disabled", layer: 5 });
  t.deepEqual(await broadcast(["beta", "eu"]), { reason: "disabled", layer: 5 });
  t.deepEqual(await broadcast(["us"]), { reason: "enabled", layer: 5 });
});

test("given rows of other workflows, topics and users, when a trigger comes, then they are no layers of it", async (t) => {
  const { module, subscriber_id, preview } = await start();
  await module.call("NoticeService.PutNotice", { workflow_key: "digest", channels: {} });
  await module.call("NoticeService.PutUserPreference", {
    workflow_key: "digest",
    user_id: "u",
    preference: off,
  });
  await module.call(put, { subscriber_id, workflow_key: "other", ...off });
  await module.call(put, { subscriber_id, workflow_key: "digest", topic_key: "offers", ...off });
  t.deepEqual((await preview()).states, ["absent", "not_applicable", "absent", "absent", "not_applicable"]);
  const whole = await preview({ topic_key: "news", user_id: "someone" });
  t.deepEqual(whole.states, ["absent", "absent", "absent", "absent", "absent"]);
  t.like(await preview({ user_id: "u" }), { reason: "disabled", layer: 2 });
  await module.call(put, { subscriber_id, all: { enabled: true } });
  t.like(await preview({ user_id: "u" }), { reason: "enabled", layer: 3 });
  await module.call(put, { subscriber_id, workflow_key: "digest", ...off });
  t.like(await preview({ user_id: "u" }), { reason: "disabled", layer: 4 });
});

test("given quiet hours without a zone, when it is quiet, then by the subscriber's zone, else the tenant's, else the setting's", async (t) => {
  const settings = { "dynamic_config.enabled": true, "notification.timezone": "Asia/Kathmandu" };
  const { module, subscriber_id, preview, broadcast } = await start(settings);
  // 2023-11-14T22:13:20Z: 03:58 in Kathmandu, 11:13 the next day in Auckland, 17:13 in New York.
  const hours = (start: string, end: string, timezone?: string) =>
    module.call(put, {
      subscriber_id,
      schedule: { ranges: [{ days, start, end }], ...(timezone && { timezone }) },
    });
  const decided = async () => {
    const { reason } = await preview();
    t.is((await broadcast([])).reason, reason, "a broadcast decides alike");
    return reason;
  };
  await hours("03:50", "04:10");
  t.is(await decided(), "quiet_hours");
  module.tenantSettings = { "notification.timezone": "Pacific/Auckland" };
  t.is(await decided(), "default");
  await hours("11:00", "11:30");
  t.is(await decided(), "quiet_hours");
  await module.subscriber("user-1", { timezone: "America/New_York" });
  t.is(await decided(), "default");
  await hours("17:00", "17:30");
  t.is(await decided(), "quiet_hours");
  await hours("17:00", "17:30", "UTC");
  t.is(await decided(), "default");
});
