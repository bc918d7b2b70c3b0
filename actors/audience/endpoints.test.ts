/** Addresses of subscribers: whose they are, how many there are, and which are not used. */
import test from "ava";
import { limits } from "#base";
import { DrivenNotifications, type Message } from "../../test/support/notifications.ts";

const upsert = "SubscriberService.UpsertEndpoint";

async function start(more: Message = {}) {
  const module = new DrivenNotifications(more);
  module.integrate({}, { id: "push", channel: "push" });
  const ids = [await module.subscriber("user-1"), await module.subscriber("user-2")] as const;
  const put = (subscriber_id: string, endpoint: Message) =>
    module.call<Message & { id: string }>(upsert, { subscriber_id, channel: "email", ...endpoint });
  const refusal = (subscriber_id: string, endpoint: Message) =>
    module.refusal(upsert, { subscriber_id, channel: "email", ...endpoint });
  const list = async (subscriber_id: string) =>
    (await module.call<{ endpoints: Message[] }>("SubscriberService.ListEndpoints", { subscriber_id }))
      .endpoints;
  const reach = async (subscriber_id: string, channel = "email") => {
    const { outcomes } = await module.trigger({ subscriber_id, channels: [channel] });
    await module.send();
    return outcomes.map(({ reason_code, status }) => (status === "skipped" ? reason_code : status));
  };
  return { module, ids, put, refusal, list, reach };
}

test("given an address of a subscriber, when another one adds it, then it is ENDPOINT_TAKEN until the first one removes it", async (t) => {
  const { module, ids, put, refusal } = await start();
  const [first, second] = ids;
  const identity = "a@example.com";
  const { id: endpoint_id } = await put(first, { identity });
  t.is(await refusal(second, { identity }), "ALREADY_EXISTS ENDPOINT_TAKEN");
  t.is(
    await refusal(second, { identity, provider_key: "smtp" }),
    undefined,
    "of another provider it is another",
  );
  t.is((await put(first, { identity, verified: true })).id, endpoint_id, "its own one is the same");
  await module.call("SubscriberService.RemoveEndpoint", { subscriber_id: first, endpoint_id });
  t.is(await refusal(second, { identity }), undefined);
  t.is(await refusal(first, { identity }), "ALREADY_EXISTS ENDPOINT_TAKEN");
});

test("given a push token of a subscriber, when another one adds it, then it moves", async (t) => {
  const { ids, put, list, reach } = await start();
  const [first, second] = ids;
  await put(first, { channel: "push", identity: "token" });
  await put(second, { channel: "push", identity: "token" });
  t.like((await list(second))[0], { identity: "token", active: true });
  t.deepEqual(
    (await list(first)).filter(({ active }) => active),
    [],
  );
  t.deepEqual(await reach(first, "push"), ["no_endpoint"]);
  t.deepEqual(await reach(second, "push"), ["running"]);
});

test("given 20 active addresses, when there is one more, then it is refused, and nobody has it", async (t) => {
  const { module, ids, put, refusal } = await start();
  const [first, second] = ids;
  let last = "";
  for (let n = 0; n < limits.endpointsMax; n++)
    last = (await put(first, { identity: `${n}@example.com` })).id;
  t.is(limits.endpointsMax, 20);
  t.is(await refusal(first, { identity: "more@example.com" }), "FAILED_PRECONDITION LIMIT_REACHED");
  t.is(await refusal(second, { identity: "more@example.com" }), undefined, "the claim was given back");
  await module.call("SubscriberService.RemoveEndpoint", { subscriber_id: first, endpoint_id: last });
  t.is(await refusal(first, { identity: "other@example.com" }), undefined);
});

test("given an address that a provider says is gone, when triggers come, then it is not used until it is added again", async (t) => {
  const { module, ids, put, list, reach } = await start();
  const [first] = ids;
  await put(first, { identity: "a@example.com" });
  await module.trigger({ subscriber_id: first, channels: ["email"] });
  const [effect] = module.due();
  const result = {
    type: "refused",
    phase: "provider",
    code: "PROVIDER_REFUSED",
    message: "",
    suppress: "gone",
  };
  module.driver.stepEffect(effect!.address, { type: "done", id: effect!.id, attempt: 1, result });
  t.like(await list(first), [{ active: true, suppressed: { reason: "gone" } }]);
  t.true(module.driver.published.some(({ kind }) => kind === "endpoint.suppressed"));
  t.deepEqual(await reach(first), ["no_endpoint"]);
  module.driver.restart();
  t.deepEqual(await reach(first), ["no_endpoint"]);
  await put(first, { identity: "a@example.com" });
  t.is((await list(first))[0]!.suppressed, undefined);
  t.deepEqual(await reach(first), ["running"]);
});

test("given notification.require_verified, when an address is not verified, then it is not used, and neither is the profile's", async (t) => {
  const { module, ids, put, reach } = await start({ "notification.require_verified": true });
  const [first] = ids;
  await module.subscriber("user-1", { email: "profile@example.com" });
  t.deepEqual(await reach(first), ["no_endpoint"]);
  await put(first, { identity: "a@example.com" });
  t.deepEqual(await reach(first), ["no_endpoint"]);
  await put(first, { identity: "a@example.com", verified: true });
  t.deepEqual(await reach(first), ["running"]);
});

test("given an inactive subscriber, when triggers come, then nothing is sent; only a POST makes it active again", async (t) => {
  const { module, ids, put, reach } = await start();
  const [first] = ids;
  await put(first, { identity: "a@example.com" });
  await module.call("SubscriberService.DeleteSubscriber", { subscriber_id: first });
  t.deepEqual(await reach(first), ["subscriber_inactive"]);
  const inline = { subscriber_external_id: "user-1", subscriber: { first_name: "Ada" }, channels: ["email"] };
  t.like((await module.trigger(inline)).outcomes, [{ reason_code: "subscriber_inactive" }]);
  await module.subscriber("user-1");
  t.deepEqual(await reach(first), ["running"]);
});

test("given endpoints of almost 64 KiB, when a profile grows, then it is refused by field, and the subscriber stays as it is", async (t) => {
  const { module, ids, put, refusal } = await start();
  const [first] = ids;
  const metadata = { text: "x".repeat(4_000) };
  for (let n = 0; n < 15; n++) await put(first, { identity: `${n}@example.com`, metadata });
  t.is(await refusal(first, { identity: "more@example.com", metadata }), "FAILED_PRECONDITION LIMIT_REACHED");
  const data = { text: "x".repeat(8_000) };
  const upsert = { external_id: "user-1", data };
  t.is(await module.refusal("SubscriberService.UpsertSubscriber", upsert), "INVALID_ARGUMENT data");
  const replace = { subscriber_id: first, data };
  t.is(await module.refusal("SubscriberService.ReplaceSubscriber", replace), "INVALID_ARGUMENT data");
  const inline = { workflow_key: "w", subscriber_external_id: "user-1", subscriber: { data } };
  t.is(await module.refusal("NotificationService.Trigger", inline), "INVALID_ARGUMENT subscriber.data");
  t.is((await module.call("SubscriberService.GetSubscriber", { subscriber_id: first })).data, undefined);
  t.is(
    await module.refusal("SubscriberService.UpsertSubscriber", { external_id: "user-1", first_name: "Ada" }),
    undefined,
  );
});
