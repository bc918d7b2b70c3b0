/** The table of deliveries in docs/notifications.md, row by row; and what bounds and observations do to them. */
import test from "ava";
import { limits } from "#base";
import { DrivenNotifications, type Message } from "../../test/support/notifications.ts";
import { audienceOf } from "../notify/address.ts";
import type { Rate } from "../notify/outbound/types.ts";
import { sendBodyOf, sendFewEffect } from "./deliveries/send-body.ts";

const getDelivery = "NotificationService.GetDelivery";
const redrive = "NotificationService.RedriveDeadLetter";

/** A subscriber with an address, and a delivery to it. */
async function delivering(...integrations: readonly object[]) {
  const module = new DrivenNotifications();
  if (integrations.length > 0) module.integrate(...integrations);
  const subscriber_id = await module.subscriber("user-1", { email: "a@example.com" });
  const { outcomes, transaction_id } = await module.trigger({ subscriber_id, channels: ["email"] });
  const { delivery_id } = outcomes[0]!;
  const look = () => module.call(getDelivery, { delivery_id });
  return { module, subscriber_id, delivery_id, transaction_id, look };
}

const answering = (answer: string, more: object = {}) => ({ metadata: { answer }, ...more });

test("queued: with a rate it waits for a grant, and runs when it is granted", async (t) => {
  const rate: Rate = { perSecond: 1, burst: 2 };
  const { module, look } = await delivering({ id: "paced", rate, paceEpoch: 1 });
  t.like(await look(), { status: "queued", integration_id: "paced", attempt: 0 });
  const { now } = module.driver;
  const slots = [{ tier: "direct", atMs: now + 5, untilMs: now + 1_000 }];
  const grant = { type: "pacer_granted", integrationId: "paced", slots };
  const audience = audienceOf("0000000000000000000000000A", "user-1");
  module.driver.tell(audience, { ...grant, epoch: 2 });
  t.like(await look(), { status: "queued" }, "a grant of another epoch");
  module.driver.tell(audience, { ...grant, epoch: 1 });
  t.like(await look(), { status: "running", attempt: 1 });
  t.is(await module.send(), 0, "not before its time");
  module.driver.advance(5);
  await module.send();
  t.like(await look(), { status: "sent" });
});

test("running: a slot that was over before the attempt began is no attempt", async (t) => {
  const rate: Rate = { perSecond: 1, burst: 2 };
  const { module, look } = await delivering({ id: "paced", rate, paceEpoch: 1 });
  const { now } = module.driver;
  const slots = [{ tier: "direct", atMs: now, untilMs: now + 10 }];
  const audience = audienceOf("0000000000000000000000000A", "user-1");
  module.driver.tell(audience, { type: "pacer_granted", integrationId: "paced", epoch: 1, slots });
  module.driver.advance(10);
  await module.send();
  t.like(await look(), { status: "queued", attempt: 0, attempts: [] });
});

test("queued: where no integration fits it fails, and its dead letter says why", async (t) => {
  const { module, look } = await delivering();
  const delivery = await look();
  t.like(delivery, { status: "failed", failure: { phase: "select", code: "NO_INTEGRATION" } });
  t.like(
    await module.call("NotificationService.GetDeadLetter", { dead_letter_id: delivery.dead_letter_id }),
    { reason: "NO_INTEGRATION", phase: "select", status: "open", redrive_count: 0 },
  );
});

test("queued: when its time to live is over it fails as EXPIRED", async (t) => {
  const { module, look } = await delivering(answering("fail"));
  await module.send();
  t.like(await look(), { status: "queued" });
  module.driver.advance(limits.deliveryTtlSeconds * 1_000);
  for (let round = 0; round < limits.deliveryAttemptsMax; round++) {
    await module.send();
    module.driver.advance(limits.deliveryTtlSeconds * 1_000);
  }
  t.like(await look(), { status: "failed", failure: { code: "EXPIRED" } });
});

test("running: taken is sent, refused is failed, and the sixth attempt that was not sent is failed", async (t) => {
  const taken = await delivering({});
  await taken.module.send();
  t.like(await taken.look(), { status: "sent", attempt: 1, provider_attempts: 1 });
  const refused = await delivering(answering("refuse"));
  await refused.module.send();
  t.like(await refused.look(), { status: "failed", attempt: 1, failure: { code: "PROVIDER_REFUSED" } });
  const { module, look } = await delivering(answering("fail"));
  for (let round = 1; round < limits.deliveryAttemptsMax; round++) {
    await module.send();
    t.like(await look(), { status: "queued", attempt: round });
    module.driver.advance(limits.deliveryBackOffMsMax);
  }
  await module.send();
  t.like(await look(), { status: "failed", attempt: 6, failure: { phase: "connect", code: "NETWORK" } });
});

test("running: a render that runs out of time is tried again after a while, and the third one is failed", async (t) => {
  const failing = (code: string, retryable: boolean) => () =>
    ({ type: "failed", code, message: "as the test asks", retryable }) as never;
  const { module, look } = await delivering({ id: "first", priority: 1 }, { id: "second", priority: 2 });
  const { render } = module;
  module.render = failing("TIMEOUT", true);
  await module.send();
  t.like(await look(), { status: "queued", attempt: 1, failure: { phase: "render", code: "TIMEOUT" } });
  t.truthy((await look()).retry_at, "not at once: the machine is busy");
  module.render = render;
  module.driver.advance(limits.deliveryBackOffMs);
  await module.send();
  t.like(await look(), { status: "sent", attempt: 2 });
  t.is((await look()).failure, undefined);

  const slow = await delivering({});
  slow.module.render = failing("TIMEOUT", true);
  for (let attempt = 1; attempt <= limits.renderTimeoutAttemptsMax; attempt++) {
    t.like(await slow.look(), { status: "running", attempt });
    await slow.module.send();
    slow.module.driver.advance(limits.deliveryBackOffMsMax);
  }
  t.like(await slow.look(), {
    status: "failed",
    attempt: limits.renderTimeoutAttemptsMax,
    failure: { phase: "render", code: "TIMEOUT" },
  });

  const wrong = await delivering({});
  wrong.module.render = failing("SYNTAX", false);
  await wrong.module.send();
  t.like(await wrong.look(), { status: "failed", attempt: 1, failure: { code: "SYNTAX" } });
});

test("running: not sent goes to the next integration at once, and after all of them waits 2 s, times 3", async (t) => {
  const { module, look } = await delivering(
    answering("fail", { id: "first", priority: 1 }),
    answering("fail", { id: "second", priority: 2 }),
  );
  const waits: number[] = [];
  for (let round = 0; round < 2; round++) {
    await module.send();
    const delivery = await look();
    t.is(delivery.status, "queued");
    waits.push(Date.parse(delivery.retry_at as string) - module.driver.now);
    module.driver.advance(waits.at(-1)!);
  }
  const attempts = (await look()).attempts as Message[];
  t.deepEqual(
    attempts.slice(0, 4).map(({ integration_id }) => integration_id),
    ["first", "second", "first", "second"],
  );
  for (const [round, waitMs] of waits.entries()) {
    const full = limits.deliveryBackOffMs * 3 ** round;
    t.true(waitMs >= full / 2 && waitMs <= full, `${waitMs} in round ${round}`);
  }
});

test("running: maybe sent goes on with the same integration and key where repeats are known or accepted", async (t) => {
  const { module, look } = await delivering(
    answering("lose", { id: "first", priority: 1, onUnknown: "resend" }),
    { id: "second", priority: 2 },
  );
  const keys: string[] = [];
  for (let attempt = 1; attempt <= limits.deliveryAttemptsMax; attempt++) {
    const [effect] = module.due();
    const { integration, key } = sendBodyOf(effect!.body);
    keys.push(`${integration.id} ${key}`);
    await module.attempt(effect!.address, effect!.id, effect!.body);
    if (attempt < limits.deliveryAttemptsMax) t.like(await look(), { status: "running" });
    module.driver.advance(limits.deliveryBackOffMsMax);
  }
  t.is(new Set(keys).size, 1, keys.join());
  t.like(await look(), {
    status: "failed",
    reconciliation_required: true,
    failure: { code: "OUTCOME_UNKNOWN" },
  });
  const held = await delivering(answering("lose", { id: "first", priority: 1 }), {
    id: "second",
    priority: 2,
  });
  await held.module.send();
  t.like(await held.look(), { status: "failed", attempt: 1, reconciliation_required: true });
});

test("failed: a redrive resolves anew, and at most ten times", async (t) => {
  const { module, subscriber_id, look } = await delivering(answering("refuse"));
  await module.send();
  const { dead_letter_id } = await look();
  for (let count = 1; count <= limits.redrivesMax; count++) {
    t.like(await module.call(redrive, { dead_letter_id }), { status: "redriven", redrive_count: count });
    t.like(await look(), { status: "running", generation: count + 1, attempt: 1 });
    await module.send();
    t.like(await look(), { status: "failed", dead_letter_id });
  }
  t.is(await module.refusal(redrive, { dead_letter_id }), "FAILED_PRECONDITION LIMIT_REACHED");
  const other = await module.trigger({ subscriber_id, channels: ["email"] });
  const { delivery_id } = other.outcomes[0]!;
  await module.send();
  await module.call("SubscriberService.PutPreference", { subscriber_id, all: { enabled: false } });
  const letter = (await module.call(getDelivery, { delivery_id })).dead_letter_id;
  await module.call(redrive, { dead_letter_id: letter });
  t.like(await module.call(getDelivery, { delivery_id }), { status: "skipped", reason_code: "disabled" });
  t.like(await module.call("NotificationService.GetDeadLetter", { dead_letter_id: letter }), {
    status: "resolved",
  });
});

/** As the internal plane records them. */
function observed(module: DrivenNotifications, delivery_id: string) {
  let events = 0;
  return async (kind: string, detail: Message = {}, provider_event_id = `e${events++}`) => {
    const observation = { delivery_id, kind, provider_event_id, adapter: "test", detail };
    const { results } = await module.call<{ results: { outcome: string; error?: Message }[] }>(
      "NotificationService.RecordObservations",
      { observations: [observation] },
    );
    return results[0]!.error?.error_code ?? results[0]!.outcome;
  };
}

test("observations: what they say of a delivery only rises, and a repeat is known", async (t) => {
  const { module, delivery_id, look } = await delivering({});
  await module.send();
  const observe = observed(module, delivery_id);
  for (const [kind, state] of [
    ["deferred", "deferred"],
    ["opened", "opened"],
    ["delivered", "opened"],
    ["clicked", "clicked"],
  ] as const) {
    t.is(await observe(kind), "recorded");
    t.is((await look()).observation_state, state);
  }
  t.is(await observe("delivered", {}, "e0"), "known");
  const listed = await module.call<{ observations: Message[]; total: number }>(
    "NotificationService.ListObservations",
    { delivery_id, page_size: 2 },
  );
  t.is(listed.total, 4);
  t.deepEqual(
    listed.observations.map(({ seq, kind }) => [seq, kind]),
    [
      [1, "deferred"],
      [2, "opened"],
    ],
  );
});

test("observations: an unknown outcome that is seen to arrive is sent, and its dead letter is resolved", async (t) => {
  const { module, delivery_id, look } = await delivering(answering("lose"));
  await module.send();
  const { dead_letter_id } = await look();
  t.is(await observed(module, delivery_id)("delivered"), "recorded");
  t.like(await look(), { status: "sent", reconciliation_required: false });
  t.like(await module.call("NotificationService.GetDeadLetter", { dead_letter_id }), { status: "resolved" });
  t.is(await module.refusal(redrive, { dead_letter_id, accept_duplicate: true }), "STATE_CONFLICT");
});

test("observations: hard bounces, complaints and unsubscribes suppress the address, soft bounces do not", async (t) => {
  for (const [kind, detail, isSuppressed] of [
    ["bounced", {}, false],
    ["bounced", { hard: true }, true],
    ["complained", {}, true],
    ["unsubscribed", {}, true],
  ] as const) {
    const { module, delivery_id, subscriber_id } = await delivering({});
    await module.send();
    await observed(module, delivery_id)(kind, detail);
    const { outcomes } = await module.trigger({ subscriber_id, channels: ["email"] });
    t.is(
      outcomes[0]!.reason_code,
      isSuppressed ? "no_endpoint" : "default",
      `${kind} ${JSON.stringify(detail)}`,
    );
  }
});

test("observations: a delivery has at most 1,000", async (t) => {
  const { module, delivery_id } = await delivering({});
  await module.send();
  const observations = Array.from({ length: limits.observationsMax }, (_, n) => ({
    delivery_id,
    kind: "opened",
    provider_event_id: `o${n}`,
    adapter: "test",
  }));
  for (let from = 0; from < observations.length; from += 100)
    await module.call("NotificationService.RecordObservations", {
      observations: observations.slice(from, from + 100),
    });
  t.is(await observed(module, delivery_id)("opened"), "FAILED_PRECONDITION");
});

test("retention: what ended longer ago than the tenant keeps it is forgotten with all that belongs to it", async (t) => {
  const { module, subscriber_id, delivery_id, transaction_id } = await delivering(answering("refuse"));
  await module.send();
  const { dead_letter_id } = await module.call(getDelivery, { delivery_id });
  await observed(module, delivery_id)("deferred");
  const list = (filter: Message) =>
    module.call<{ total: number }>("NotificationService.ListDeliveries", filter);
  module.driver.advance(29 * 86_400_000);
  t.like(await module.call(getDelivery, { delivery_id }), { status: "failed" });
  module.driver.advance(2 * 86_400_000);
  t.is(await module.refusal(getDelivery, { delivery_id }), "NOT_FOUND");
  t.is(await module.refusal("NotificationService.GetDeadLetter", { dead_letter_id }), "NOT_FOUND");
  t.is((await list({ subscriber_id })).total, 0);
  t.is((await list({ transaction_id })).total, 0);
  t.like(await module.call("NotificationService.ListDeadLetters", {}), { total: 0 });
  const left = module.driver
    .rowsOf("0000000000000000000000000A")
    .filter(
      (row) =>
        /^audience.* (deliveries|by_|observ|manifest|tallies|dead)/.test(row) && !row.includes("counts"),
    );
  t.deepEqual(left, []);
});

test("retention: a delivery that is not over stays, and a tenant may keep them for another time", async (t) => {
  const module = new DrivenNotifications({
    "dynamic_config.enabled": true,
    "notification.retention_days": 30,
  });
  module.tenantSettings = { "notification.retention_days": 1 };
  module.integrate({});
  const subscriber_id = await module.subscriber("user-1", { email: "a@example.com" });
  const { outcomes } = await module.trigger({ subscriber_id, channels: ["email"] });
  const { delivery_id } = outcomes[0]!;
  module.driver.advance(3 * 86_400_000);
  t.like(await module.call(getDelivery, { delivery_id }), { status: "running" });
  await module.send();
  t.like(await module.call(getDelivery, { delivery_id }), { status: "sent" }, "its content is there");
  module.driver.advance(86_400_000);
  t.is(await module.refusal(getDelivery, { delivery_id }), "NOT_FOUND");
});

test("lanes: a direct message does not stand behind those of broadcasts, and of mails few are under way", async (t) => {
  const module = new DrivenNotifications();
  module.integrate({ providerKey: "smtp", connectionId: "mail" });
  await module.call("TopicService.CreateTopic", { key: "news" });
  const subscriber_id = await module.subscriber("user-1", { email: "a@example.com" });
  await module.call("SubscriberService.Subscribe", { subscriber_id, topic_key: "news" });
  await module.trigger({ topic: "news", channels: ["email"] });
  module.driver.advance(1);
  await module.trigger({ subscriber_id, channels: ["email"] });
  const effects = module.driver.effects(audienceOf("0000000000000000000000000A", "user-1"));
  t.deepEqual(
    effects.map(({ kind, lane }) => [kind, lane]),
    [
      [sendFewEffect, "mail broadcast"],
      [sendFewEffect, "mail direct"],
    ],
  );
});

test("slots: an audience runs 128 attempts, a tenth stays for broadcasts, and the rest follows when some have ended", async (t) => {
  const module = new DrivenNotifications();
  // One integration takes 64: three leave the audience's own bound.
  module.integrate(...["a", "b", "c"].map((id) => ({ id, condition: `payload.to == "${id}"` })));
  const subscriber_id = await module.subscriber("user-1", { email: "a@example.com" });
  for (let n = 0; n < 150; n++)
    await module.trigger({
      subscriber_id,
      channels: ["email"],
      payload: { subject: "s", body: "b", to: "abc"[n % 3] },
    });
  const most = limits.audienceRunningMax - Math.floor(limits.audienceRunningMax * limits.broadcastSlotsShare);
  t.is(module.due().length, most);
  t.is(await module.send(), 150);
});

test("slots: what waits for a slot is not touched when another one gets it", async (t) => {
  const module = new DrivenNotifications();
  module.integrate({});
  const subscriber_id = await module.subscriber("user-1", { email: "a@example.com" });
  const ids: string[] = [];
  for (let n = 0; n < 80; n++)
    ids.push((await module.trigger({ subscriber_id, channels: ["email"] })).outcomes[0]!.delivery_id);
  module.driver.advance(1_000);
  const due = module.due();
  await module.attempt(due[0]!.address, due[0]!.id, due[0]!.body);
  t.is(module.due().length, due.length, "the next one runs");
  const all = await Promise.all(ids.map((delivery_id) => module.call(getDelivery, { delivery_id })));
  const changed = all.filter(({ created_at, updated_at }) => created_at !== updated_at);
  t.deepEqual(changed.map(({ status }) => status).sort(), ["running", "sent"]);
});
