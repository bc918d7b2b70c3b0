/** What a broadcast to many does to one audience: its slots, what the topic is told, and an integration that goes in the middle. */
import test from "ava";
import { limits } from "#base";
import { DrivenNotifications } from "../../test/support/notifications.ts";
import { audienceOf, topicAddress } from "../notify/address.ts";
import type { Progress } from "../topics/record.ts";
import { sendBodyOf } from "./deliveries/send-body.ts";

const tenant = "0000000000000000000000000A";
const audience = audienceOf(tenant, "user");

/** External ids that all have their subscribers in one audience. */
function neighbours(count: number): readonly string[] {
  const found: string[] = [];
  for (let n = 0; found.length < count; n++)
    if (audienceOf(tenant, `user-${n}`).key === audience.key) found.push(`user-${n}`);
  return found;
}

/** A broadcast to so many subscribers of one audience, as far as it goes without an attempt; the integrations are told apart by name. */
async function broadcasting(count: number, ...names: readonly string[]) {
  const module = new DrivenNotifications();
  const integrations = new Map<string, string>();
  for (const [priority, name] of names.entries()) {
    const { id } = await module.call<{ id: string }>("IntegrationService.CreateIntegration", {
      channel: "email",
      name,
      provider_key: "sink",
      priority,
    });
    integrations.set(name, id);
  }
  await module.call("TopicService.CreateTopic", { key: "news" });
  const subscriber_ids: string[] = [];
  for (const external_id of neighbours(count))
    subscriber_ids.push(await module.subscriber(external_id, { email: `${external_id}@example.com` }));
  await module.call("TopicService.AddMembers", { key: "news", subscriber_ids });
  const { transaction_id } = await module.trigger({ topic: "news", channels: ["email"] });
  module.driver.advance(1);
  return {
    module,
    transaction_id,
    integrations,
    broadcast: () => module.call("NotificationService.GetBroadcast", { transaction_id }),
    runOne: async () => {
      const [effect] = module.due();
      await module.attempt(effect!.address, effect!.id, effect!.body);
    },
    remove: (name: string) =>
      module.call("IntegrationService.DeleteIntegration", { integration_id: integrations.get(name) }),
  };
}

const most =
  limits.integrationRunningMax - Math.floor(limits.integrationRunningMax * limits.directSlotsShare);

test("given deliveries of a broadcast that wait, when attempts end one by one, then some start at a time, and all are sent", async (t) => {
  const { module, broadcast, runOne } = await broadcasting(100, "only");
  t.is(module.due().length, most);
  const counts: number[] = [];
  for (let n = 0; n < limits.broadcastSlotsRefilled; n++) {
    await runOne();
    counts.push(module.due().length);
  }
  const ended = Array.from({ length: limits.broadcastSlotsRefilled - 1 }, (_, n) => most - 1 - n);
  t.deepEqual(counts, [...ended, most]);
  await module.send();
  t.like(await broadcast(), { state: "completed", sent: 100 });
});

test("given a part of a broadcast, when most of its deliveries have ended, then the topic is told that it is answered", async (t) => {
  const { module, transaction_id, broadcast, runOne } = await broadcasting(40, "only");
  const answered = () => {
    const [row] = module.driver
      .rows(topicAddress(tenant, "news"), "progress")
      .scan({ collection: "progress", prefix: [transaction_id], limit: 1 });
    return (row!.value as Progress).parts;
  };
  while (module.due().length > limits.broadcastBusyLow) {
    t.is(answered(), 0, `${module.due().length} are at work`);
    await runOne();
  }
  t.is(answered(), 1);
  t.like(await broadcast(), { state: "delivering" });
  await module.send();
  t.like(await broadcast(), { state: "completed", sent: 40 });
});

test("given a broadcast to many, when its integration is deleted in the middle, then it is never chosen again and the other one sends the rest", async (t) => {
  const count = 300;
  const { module, integrations, broadcast, runOne, remove } = await broadcasting(count, "first", "second");
  for (let n = 0; n < 60; n++) await runOne();
  const chosen = new Map(module.due().map(({ id, body }) => [id, sendBodyOf(body).integration.id]));
  t.true(chosen.size >= most / 2, "many are under way");
  t.true([...chosen.values()].every((id) => id === integrations.get("first")));
  await remove("first");
  let later = 0;
  for (let due = module.due(); due.length > 0; due = module.due())
    for (const { address, id, body } of due) {
      if (!chosen.has(id)) {
        later++;
        t.is(sendBodyOf(body).integration.id, integrations.get("second")!);
      }
      await module.attempt(address, id, body);
    }
  t.is(later, count - 60 - chosen.size);
  t.like(await broadcast(), { state: "completed", sent: count, failed: 0 });
});

test("given a broadcast to many, when its only integration is deleted in the middle, then the rest fails with a dead letter each", async (t) => {
  const count = 200;
  const { module, broadcast, runOne, remove } = await broadcasting(count, "only");
  for (let n = 0; n < 60; n++) await runOne();
  await remove("only");
  module.driver.advance(1);
  await module.send();
  module.driver.advance(1);
  const { state, sent, failed } = (await broadcast()) as { state: string; sent: number; failed: number };
  t.is(state, "completed_with_failures");
  t.is(sent + failed, count);
  t.true(sent < count && sent >= 60);
  const letters = await module.call("NotificationService.ListDeadLetters", {});
  t.like(letters, { total: failed });
});
