/** A preview says what the next trigger does: random rows of all five layers. `PREVIEW_CASES=20000` for all of them. */
import test from "ava";
import { Random } from "#base";
import { DrivenNotifications, type Message } from "../../test/support/notifications.ts";

const cases = Number(process.env.PREVIEW_CASES ?? 100);
const days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const always = { timezone: "UTC", ranges: [{ days, start: "00:00", end: "24:00" }] };

test("given random rows in every layer, when a preview and then a trigger come, then both decide alike", async (t) => {
  t.timeout(300_000 + 100 * cases);
  let module = await start();
  const random = new Random("preview");
  const entry = (): Message => ({
    ...random.pick([{}, { enabled: true }, { enabled: false }]),
    ...random.pick([{}, {}, { read_only: true }]),
    ...random.pick([{}, {}, { condition: "payload.yes" }, { condition: "!payload.yes" }]),
  });
  const row = (): Message => ({
    ...random.pick([{}, { all: entry() }]),
    ...random.pick([{}, { channels: { email: entry() } }]),
    ...random.pick([{}, {}, {}, { schedule: always }]),
    ...random.pick([{}, {}, {}, { read_only: true }]),
    ...random.pick([{}, {}, { condition: "payload.yes" }, { condition: "payload.none" }]),
  });
  const seen = new Set<string>();
  for (let n = 0; n < cases; n++) {
    // What is there already costs time, and says nothing about the next case.
    if (n % 200 === 199) module = await start();
    const workflow_key = `w${n}`;
    const put = async (method: string, request: Message) => {
      if (random.chance(0.6)) await module.call(method, request);
    };
    const subscriber_id = await module.subscriber(`user-${n}`, { email: `${n}@example.com` });
    const content = { email: { engine: "liquid", subject: "s", body: "b" } };
    await module.call("NoticeService.PutNotice", {
      workflow_key,
      channels: content,
      ...random.pick([{}, { preference: row() }]),
    });
    await put("NoticeService.PutUserPreference", { workflow_key, user_id: "u", preference: row() });
    const put_preference = "SubscriberService.PutPreference";
    await put(put_preference, { subscriber_id, ...row() });
    await put(put_preference, { subscriber_id, workflow_key, ...row() });
    await put(put_preference, { subscriber_id, workflow_key, topic_key: "news", ...row() });
    await put(put_preference, {
      subscriber_id,
      workflow_key,
      topic_key: "news",
      context_keys: ["eu"],
      ...row(),
    });
    const context_keys = random.pick([[], ["eu"]]);
    const payload = { yes: true };
    const topic = random.chance(0.5);
    const user = random.pick([{}, { user_id: "u" }]);
    const preview = await module.call<{ channels: Message[] }>("SubscriberService.PreviewPreferences", {
      subscriber_id,
      workflow_key,
      ...user,
      ...(topic && { topic_key: "news", context_keys }),
      channels: ["email"],
      payload_context: payload,
    });
    const { allowed, reason_code, winning_layer } = preview.channels[0]!;
    const asked = { workflow_key, channels: ["email"], payload, ...user };
    let transaction_id: string;
    if (topic) {
      const member = { key: "news", subscriber_ids: [subscriber_id] };
      await module.call("TopicService.AddMembers", { ...member, context_keys });
      ({ transaction_id } = await module.trigger({ ...asked, topic: "news" }));
      module.driver.advance(1);
      await module.call("TopicService.RemoveMembers", member);
    } else ({ transaction_id } = await module.trigger({ ...asked, subscriber_id }));
    const { deliveries } = await module.call<{ deliveries: Message[] }>(
      "NotificationService.ListDeliveries",
      {
        transaction_id,
      },
    );
    t.is(deliveries.length, 1);
    const { status } = deliveries[0]!;
    t.like(deliveries[0], { reason_code, winning_layer }, `case ${n}`);
    t.is(status === "skipped", !allowed, `case ${n}: ${status}`);
    seen.add(reason_code as string);
    await module.send();
  }
  t.deepEqual([...seen].sort(), [
    "default",
    "disabled",
    "disabled_locked",
    "enabled",
    "enabled_locked",
    "quiet_hours",
    "quiet_hours_bypassed",
  ]);
});

async function start(): Promise<DrivenNotifications> {
  const module = new DrivenNotifications();
  module.integrate({});
  await module.call("TopicService.CreateTopic", { key: "news" });
  return module;
}
