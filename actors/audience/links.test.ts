/** Links in messages: confirmations of addresses, and unsubscribing with one click. The sink is that of the thread: one test at a time. */
import test from "ava";
import { limits } from "#base";
import { DrivenNotifications, type Message } from "../../test/support/notifications.ts";
import { sinkMessages } from "../notify/outbound/sink.ts";

const send = "SubscriberService.SendEndpointConfirmation";
const base = { "server.public_url": "https://notify.example.com/" };

async function start(settings: Message = base) {
  const module = new DrivenNotifications(settings);
  module.integrate({});
  const subscriber_id = await module.subscriber("user-1");
  const endpointOf = async (request: Message = {}) => {
    const given = { subscriber_id, channel: "email", identity: "a@example.com", ...request };
    return (await module.call<{ id: string }>("SubscriberService.UpsertEndpoint", given)).id;
  };
  const endpoint_id = await endpointOf();
  const isVerified = async () => {
    const { endpoints } = await module.call<{ endpoints: Message[] }>("SubscriberService.ListEndpoints", {
      subscriber_id,
    });
    return endpoints.find(({ id }) => id === endpoint_id)!.verified;
  };
  /** The link that is sent. */
  const link = async (more: Message = {}) => {
    const { delivery_id } = await module.call(send, { subscriber_id, endpoint_id, ...more });
    await module.send();
    const message = sinkMessages().findLast(({ key }) => key === `${delivery_id}.1`)!;
    return message.payload.confirm_url as string;
  };
  return { module, subscriber_id, endpoint_id, endpointOf, isVerified, link };
}

test.serial(
  "given an address, when its owner posts to the link that was sent, then it is verified; a GET changes nothing, and a link is good once",
  async (t) => {
    const { module, subscriber_id, endpoint_id, isVerified, link } = await start();
    const url = await link();
    t.regex(url, /^https:\/\/notify\.example\.com\/notifications\/confirm\/[A-Za-z0-9_-]+$/);
    t.true(sinkMessages().at(-1)!.text.includes(url), "without a workflow the text has the link");
    t.is(sinkMessages().at(-1)!.unsubscribeUrl, undefined);
    for (let n = 0; n < 3; n++) t.regex(await module.visit("GET", url), /^200 .*Nothing is changed/);
    t.false(await isVerified());
    t.is(await module.visit("POST", url), "200 The address is confirmed.");
    t.true(await isVerified());
    t.regex(await module.visit("POST", url), /^410 /);
    t.is(await module.refusal(send, { subscriber_id, endpoint_id }), "FAILED_PRECONDITION ALREADY_VERIFIED");
  },
);

test.serial(
  "given a link, when its 7 days are over or a newer one was sent, then it confirms nothing",
  async (t) => {
    const { module, isVerified, link } = await start();
    const old = await link();
    const replaced = await link();
    t.regex(await module.visit("POST", old), /^410 /);
    t.is(limits.confirmationMs, 7 * 86_400_000);
    module.driver.advance(limits.confirmationMs);
    t.regex(await module.visit("POST", replaced), /^410 /);
    t.false(await isVerified());
    const last = await link();
    module.driver.advance(limits.confirmationMs - 1);
    t.regex(await module.visit("POST", last), /^200 /);
  },
);

test.serial(
  "given a link, when one character of its token is another, then it is 404, and nothing is confirmed",
  async (t) => {
    const { module, isVerified, link } = await start();
    const url = await link();
    const [, head, token] = /^(.*\/)([^/]+)$/.exec(url)!;
    for (let at = 0; at < token!.length; at++) {
      const other = token![at] === "A" ? "B" : "A";
      const flipped = `${head}${token!.slice(0, at)}${other}${token!.slice(at + 1)}`;
      // The last character has bits that mean nothing.
      if (Buffer.from(flipped.slice(head!.length), "base64url").equals(Buffer.from(token!, "base64url")))
        continue;
      t.regex(await module.visit("POST", flipped), /^404 /, String(at));
    }
    t.regex(await module.visit("POST", url.replace("/confirm/", "/unsubscribe/")), /^404 /);
    t.false(await isVerified());
    t.regex(await module.visit("POST", url), /^200 /);
  },
);

test.serial(
  "given require_verified and other addresses, when a confirmation is sent, then it reaches the address that is not verified, and only it",
  async (t) => {
    const { module, endpoint_id, endpointOf, link } = await start({
      ...base,
      "notification.require_verified": true,
    });
    await endpointOf({ identity: "b@example.com", verified: true });
    const before = sinkMessages().length;
    const url = await link({ page_url: "https://www.example.com/confirm?lang=de" });
    t.deepEqual(
      sinkMessages()
        .slice(before)
        .map(({ to }) => to),
      ["a@example.com"],
    );
    const token = /^https:\/\/www\.example\.com\/confirm\?lang=de&token=([A-Za-z0-9_-]+)$/.exec(url)![1];
    t.regex(await module.visit("POST", `https://x/notifications/confirm/${token}`), /^200 /);
    t.truthy(endpoint_id);
  },
);

test.serial(
  "given a caller with notification:write alone, when it says that an address is verified, then it is refused",
  async (t) => {
    const { module, subscriber_id, endpoint_id, isVerified } = await start();
    module.may = (permission) => permission !== "notification_verification:admin";
    const upsert = (verified: boolean) =>
      module.refusal("SubscriberService.UpsertEndpoint", {
        subscriber_id,
        channel: "email",
        identity: "a@example.com",
        verified,
      });
    t.is(await upsert(true), "PERMISSION_DENIED");
    t.false(await isVerified());
    t.is(await upsert(false), undefined);
    module.may = () => true;
    t.like(await module.call("SubscriberService.VerifyEndpoint", { subscriber_id, endpoint_id }), {
      id: endpoint_id,
      verified: true,
    });
  },
);

test.serial(
  "given no public URL, a removed endpoint or a channel without links, when a confirmation is asked for, then it says why not",
  async (t) => {
    const nowhere = await start({});
    const { subscriber_id, endpoint_id } = nowhere;
    t.is(
      await nowhere.module.refusal(send, { subscriber_id, endpoint_id }),
      "FAILED_PRECONDITION PUBLIC_URL_UNSET",
    );
    const { module, endpointOf, ...here } = await start();
    const ask = (id: string) => module.refusal(send, { subscriber_id: here.subscriber_id, endpoint_id: id });
    t.is(
      await ask(await endpointOf({ channel: "push", identity: "token" })),
      "FAILED_PRECONDITION CHANNEL_WITHOUT_LINKS",
    );
    await module.call("SubscriberService.RemoveEndpoint", {
      subscriber_id: here.subscriber_id,
      endpoint_id: here.endpoint_id,
    });
    t.is(await ask(here.endpoint_id), "NOT_FOUND");
  },
);

async function mailing(settings: Message = base) {
  const { module, subscriber_id } = await start(settings);
  const sent = async (request: Message = {}) => {
    const { outcomes } = await module.trigger({ subscriber_id, channels: ["email"], ...request });
    await module.send();
    const { delivery_id, reason_code } = outcomes[0]!;
    const message = sinkMessages().findLast(({ key }) => key === `${delivery_id}.1`);
    return { reason_code, unsubscribeUrl: message?.unsubscribeUrl, message };
  };
  const preferences = async () =>
    (await module.call<{ preferences: Message[] }>("SubscriberService.ListPreferences", { subscriber_id }))
      .preferences;
  return { module, subscriber_id, sent, preferences };
}

test.serial(
  "given a mail, when its unsubscribe address is posted to, then mails of the workflow are skipped, and nothing else; a GET changes nothing",
  async (t) => {
    const { module, sent, preferences } = await mailing();
    const { unsubscribeUrl } = await sent();
    t.regex(
      unsubscribeUrl!,
      /^https:\/\/notify\.example\.com\/notifications\/unsubscribe\/[A-Za-z0-9_-]{1,512}$/,
    );
    t.regex(await module.visit("GET", unsubscribeUrl!), /^200 .*Nothing is changed/);
    t.deepEqual(await preferences(), []);
    for (let n = 0; n < 2; n++)
      t.is(await module.visit("POST", unsubscribeUrl!), "200 You are unsubscribed.");
    const rows = await preferences();
    t.is(rows.length, 1);
    t.like(rows[0], { layer: 4, workflow_key: "welcome", channels: { email: { enabled: false } } });
    t.is((await sent()).reason_code, "disabled");
    t.is((await sent({ workflow_key: "other" })).reason_code, "default");
    t.is((await sent({ channels: ["in_app"] })).reason_code, "default");
  },
);

test.serial(
  "given a row of the subscriber, when it unsubscribes, then only the entry of e-mail changes",
  async (t) => {
    const { module, subscriber_id, sent, preferences } = await mailing();
    await module.call("SubscriberService.PutPreference", {
      subscriber_id,
      workflow_key: "welcome",
      channels: { email: { enabled: true, condition: "true" }, sms: { enabled: false } },
    });
    const { unsubscribeUrl } = await sent();
    await module.visit("POST", unsubscribeUrl!);
    const [row, ...more] = await preferences();
    t.deepEqual(more, []);
    t.deepEqual(row!.channels, { email: { enabled: false }, sms: { enabled: false } });
  },
);

test.serial(
  "given a mail of a topic, when its recipient unsubscribes, then mails of the workflow to that topic are skipped, with any context keys",
  async (t) => {
    const { module, subscriber_id, sent, preferences } = await mailing();
    const subscriber_ids = [subscriber_id];
    for (const key of ["news", "other"]) {
      await module.call("TopicService.CreateTopic", { key });
      await module.call("TopicService.AddMembers", { key, subscriber_ids, context_keys: ["eu"] });
    }
    const row = { subscriber_id, workflow_key: "welcome", topic_key: "news", context_keys: ["eu"] };
    await module.call("SubscriberService.PutPreference", { ...row, all: { enabled: true } });
    const broadcast = async (topic: string) => {
      const before = sinkMessages().length;
      await module.trigger({ topic, channels: ["email"] });
      module.driver.advance(1);
      await module.send();
      return sinkMessages().slice(before);
    };
    const [mail] = await broadcast("news");
    await module.visit("POST", mail!.unsubscribeUrl!);
    t.is((await broadcast("news")).length, 0);
    t.is((await broadcast("other")).length, 1);
    t.is((await sent()).reason_code, "default", "a direct one");
    t.deepEqual((await preferences()).map(({ layer }) => layer).sort(), [5, 5]);
  },
);

test.serial(
  "given a workflow that locks the channel, another channel, or no public URL, when it is sent, then there is no unsubscribe address",
  async (t) => {
    const { module, sent } = await mailing();
    const content = { engine: "liquid", subject: "s", body: "b" };
    for (const preference of [
      { read_only: true },
      { all: { enabled: true, read_only: true } },
      { channels: { email: { enabled: true, read_only: true } } },
    ]) {
      const workflow = { workflow_key: "locked", channels: { email: content }, preference };
      await module.call("NoticeService.PutNotice", workflow);
      t.is((await sent({ workflow_key: "locked" })).unsubscribeUrl, undefined, JSON.stringify(preference));
    }
    const nowhere = await mailing({});
    t.is((await nowhere.sent()).unsubscribeUrl, undefined);
  },
);
