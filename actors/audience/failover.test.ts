/** Which integration is tried, and what follows from what it answers. */
import test from "ava";
import { limits } from "#base";
import { DrivenNotifications, type Message } from "../../test/support/notifications.ts";
import type { SendResult } from "./deliveries/dispatch.ts";
import { sendBodyOf } from "./deliveries/send-body.ts";

const getDelivery = "NotificationService.GetDelivery";

/** A mail for which these integrations are there. */
async function delivering(...integrations: readonly object[]) {
  const module = new DrivenNotifications();
  module.integrate(...integrations);
  const subscriber_id = await module.subscriber("user-1", { email: "a@example.com" });
  const { outcomes } = await module.trigger({
    subscriber_id,
    channels: ["email"],
    payload: { subject: "s", body: "b", vip: true },
  });
  const { delivery_id } = outcomes[0]!;
  const look = () => module.call(getDelivery, { delivery_id });
  const triedBy = async () =>
    ((await look()).attempts as Message[]).map(({ integration_id }) => integration_id);
  /** The attempt that is due ends with this. */
  const end = (result: SendResult) => {
    const [effect] = module.due();
    module.driver.stepEffect(effect!.address, { type: "done", id: effect!.id, attempt: 1, result });
  };
  return { module, look, triedBy, end };
}

const notSent = (code: string, retryAfterMs?: number): SendResult => ({
  type: "not_sent",
  phase: "provider",
  code,
  message: "as the test asks",
  ...(retryAfterMs !== undefined && { retryAfterMs }),
});
const two = [
  { id: "first", priority: 1 },
  { id: "second", priority: 2 },
];

for (const code of ["NETWORK", "TIMEOUT", "UNAUTHORIZED", "RATE_LIMITED", "PROVIDER_ERROR", "EGRESS_DENIED"])
  test(`failover: not sent by ${code} goes to the next integration at once`, async (t) => {
    const { module, look, triedBy, end } = await delivering(...two);
    end(notSent(code));
    t.like(await look(), { status: "running", attempt: 2 });
    t.deepEqual(await triedBy(), ["first", "second"]);
    await module.send();
    t.like(await look(), { status: "sent" });
  });

test("failover: none after a refusal, and none after maybe sent", async (t) => {
  const results: SendResult[] = [
    { type: "refused", phase: "provider", code: "PROVIDER_REFUSED", message: "" },
    { type: "maybe_sent", phase: "provider", code: "TIMEOUT", message: "", keyed: false },
  ];
  for (const result of results) {
    const { module, look, triedBy, end } = await delivering(...two);
    end(result);
    t.like(await look(), { status: "failed", reconciliation_required: result.type === "maybe_sent" });
    t.deepEqual(await triedBy(), ["first"]);
    module.driver.advance(limits.deliveryTtlSeconds * 1_000);
    t.deepEqual(module.due(), []);
  }
});

test("failover: what is keyed and maybe sent is sent again by the same integration, with the same key", async (t) => {
  const { module, look, triedBy, end } = await delivering(...two);
  const { key } = sendBodyOf(module.due()[0]!.body);
  end({ type: "maybe_sent", phase: "provider", code: "TIMEOUT", message: "", keyed: true });
  module.driver.advance(limits.deliveryBackOffMs);
  t.is(sendBodyOf(module.due()[0]!.body).key, key);
  await module.send();
  t.like(await look(), { status: "sent" });
  t.deepEqual(await triedBy(), ["first", "first"]);
});

test("breaker: an integration that failed five times in a row is not called for half a minute, the next one is", async (t) => {
  const module = new DrivenNotifications();
  module.integrate({ id: "first", priority: 1, metadata: { answer: "fail" } }, { id: "second", priority: 2 });
  const subscriber_id = await module.subscriber("user-1", { email: "a@example.com" });
  const tried: unknown[] = [];
  const one = async () => {
    const { outcomes } = await module.trigger({ subscriber_id, channels: ["email"] });
    await module.send();
    const { status, attempts } = await module.call(getDelivery, { delivery_id: outcomes[0]!.delivery_id });
    t.is(status, "sent");
    tried.push((attempts as Message[]).map(({ integration_id, code }) => [integration_id, code]));
  };
  for (let n = 0; n <= limits.breakerFailures; n++) await one();
  const both = [
    ["first", "NETWORK"],
    ["second", ""],
  ];
  t.deepEqual(tried, [...Array.from({ length: limits.breakerFailures }, () => both), [["second", ""]]]);
  module.integrate({ id: "first", priority: 1 }, { id: "second", priority: 2 });
  module.driver.advance(limits.breakerOpenMs);
  await one();
  t.deepEqual(tried.at(-1), [["first", ""]]);
});

test("breaker: a delivery that waits for its only integration loses no attempt, and is sent when the integration works again", async (t) => {
  const { module, look, triedBy, end } = await delivering({ id: "only" });
  end(notSent("NETWORK"));
  const until = async () => Date.parse((await look()).retry_at as string);
  const next = async () => module.driver.advance((await until()) - module.driver.now);
  await next();
  for (let n = 0; n < 3 * limits.deliveryAttemptsMax; n++) {
    end({ type: "breaker_open", waitMs: limits.breakerOpenMs });
    t.like(await look(), {
      status: "queued",
      attempt: 1,
      provider_attempts: 1,
      failure: { code: "NETWORK" },
    });
    t.true((await until()) - module.driver.now >= limits.breakerOpenMs);
    await next();
  }
  await module.send();
  t.like(await look(), { status: "sent", attempt: 2, provider_attempts: 2 });
  t.deepEqual(await triedBy(), ["only", "only"]);
});

test("breaker: a delivery that waits until its time to live is over fails as expired", async (t) => {
  const { module, look, end } = await delivering({ id: "only" });
  for (let n = 0; n < 200 && module.due().length > 0; n++) {
    end({ type: "breaker_open", waitMs: limits.breakerOpenMs });
    const { retry_at } = await look();
    if (retry_at) module.driver.advance(Date.parse(retry_at as string) - module.driver.now);
  }
  t.like(await look(), { status: "failed", attempt: 0, failure: { code: "EXPIRED" } });
});

test("Retry-After: it is waited for where it is longer than the usual wait, and for an hour at most", async (t) => {
  for (const [retryAfterMs, least, most] of [
    [1, limits.deliveryBackOffMs / 2, limits.deliveryBackOffMs],
    [60_000, 60_000, 60_000],
    [86_400_000, 3_600_000, 3_600_000],
  ] as const) {
    const { module, look, end } = await delivering({ id: "only" });
    const { now } = module.driver;
    end(notSent("RATE_LIMITED", retryAfterMs));
    const delivery = await look();
    t.is(delivery.status, "queued");
    const waitMs = Date.parse(delivery.retry_at as string) - now;
    t.true(waitMs >= least && waitMs <= most, `${waitMs} ms for ${retryAfterMs}`);
    module.driver.advance(waitMs - 1);
    t.is(module.due().length, 0);
    module.driver.advance(1);
    t.is(module.due().length, 1);
  }
});

test("selection: by priority, then the older one, then the id; only where the condition is exactly true", async (t) => {
  const { triedBy } = await delivering(
    { id: "d", priority: 5 },
    { id: "c", priority: 1, createdAt: 2 },
    { id: "b", priority: 1, createdAt: 1 },
    { id: "a", priority: 1, createdAt: 1 },
    { id: "false", priority: 0, condition: "!payload.vip" },
    { id: "error", priority: 0, condition: "payload.none" },
    { id: "text", priority: 0, condition: '"true"' },
    { id: "other channel", priority: 0, channel: "sms" },
  );
  t.deepEqual(await triedBy(), ["a"]);
  const vip = await delivering(
    { id: "plain", priority: 1 },
    { id: "vip", priority: 0, condition: "payload.vip" },
  );
  t.deepEqual(await vip.triedBy(), ["vip"]);
});

test("selection: an address of a provider or a connection is sent to by that one only", async (t) => {
  const module = new DrivenNotifications();
  module.integrate(
    { id: "first", priority: 1, channel: "push", providerKey: "fcm", connectionId: "one" },
    { id: "second", priority: 2, channel: "push", providerKey: "sink", connectionId: "two" },
    { id: "third", priority: 3, channel: "push", providerKey: "sink", connectionId: "three" },
  );
  const chosen = async (endpoint: Message) => {
    const subscriber_id = await module.subscriber(`user ${endpoint.identity}`);
    await module.call("SubscriberService.UpsertEndpoint", { subscriber_id, channel: "push", ...endpoint });
    const { outcomes } = await module.trigger({ subscriber_id, channels: ["push"] });
    const { delivery_id } = outcomes[0]!;
    return (await module.call(getDelivery, { delivery_id })).integration_id;
  };
  t.is(await chosen({ identity: "any" }), "first");
  t.is(await chosen({ identity: "of a provider", provider_key: "sink" }), "second");
  t.is(await chosen({ identity: "of a connection", connection_id: "three" }), "third");
  t.is(await chosen({ identity: "of nobody", connection_id: "four" }), undefined);
});
