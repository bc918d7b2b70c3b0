import test from "ava";
import { limits } from "#base";
import { DrivenNotifications, type Message } from "../../test/support/notifications.ts";
import { audienceOf } from "../notify/address.ts";
import { watchInbox } from "./methods.ts";

const audience = audienceOf("0000000000000000000000000A", "user-1");

async function start() {
  const module = new DrivenNotifications();
  const subscriber_id = await module.subscriber("user-1");
  const put = async (count = 1) => {
    for (let n = 0; n < count; n++) await module.trigger({ subscriber_id, channels: ["in_app"] });
    await module.send();
  };
  const list = (more: Message = {}) =>
    module.call<{
      messages: (Message & { id: string; sequence: number })[];
      total: number;
      unread_count: number;
    }>("InboxService.ListInbox", { subscriber_id, ...more });
  const mark = (as: string, more: Message) =>
    module.call("InboxService.MarkInbox", { subscriber_id, message_ids: [], all: false, as, ...more });
  return { module, subscriber_id, put, list, mark };
}

test("given an inbox of 1,000 messages, when another one comes, then the oldest goes, and the counters are right", async (t) => {
  const { put, list, mark } = await start();
  await put(2);
  const { messages } = await list();
  await mark("read", { message_ids: [messages.at(-1)!.id] });
  await put(limits.inboxMessagesMax - 2);
  t.is(limits.inboxMessagesMax, 1_000);
  t.like(await list(), { total: 1_000, unread_count: 999 });
  await put();
  const full = await list({ page_size: 1_000 });
  t.like(full, { total: 1_000, unread_count: 1_000 }, "the oldest was read");
  t.deepEqual([full.messages[0]!.sequence, full.messages.at(-1)!.sequence], [1_001, 2]);
  await put();
  t.like(await list(), { total: 1_000, unread_count: 1_000 });
});

test("given messages, when they are marked, then only what changes counts, and the list of unread ones follows", async (t) => {
  const { put, list, mark } = await start();
  await put(3);
  const ids = (await list()).messages.map(({ id }) => id);
  t.deepEqual(await mark("read", { message_ids: ids.slice(0, 2) }), { changed: 2, unread_count: 1 });
  t.deepEqual(await mark("read", { message_ids: [...ids.slice(0, 2), "unknown"] }), {
    changed: 0,
    unread_count: 1,
  });
  t.deepEqual(
    (await list({ unread: true })).messages.map(({ id }) => id),
    [ids[2]],
  );
  t.deepEqual(await mark("unread", { message_ids: [ids[0]] }), { changed: 1, unread_count: 2 });
  t.deepEqual(await mark("archived", { message_ids: [ids[2]] }), { changed: 1, unread_count: 1 });
  t.like(await list(), { total: 2, unread_count: 1 });
  t.deepEqual(await mark("read", { all: true }), { changed: 1, unread_count: 0 });
  t.deepEqual((await list({ unread: true })).messages, []);
});

test("given pages of an inbox, when messages come between two of them, then none is shown twice or left out", async (t) => {
  const { put, list } = await start();
  await put(5);
  const first = await list({ page_size: 2 });
  await put(2);
  const { next_page_token: page_token } = first as unknown as Message;
  const second = await list({ page_size: 10, page_token });
  t.deepEqual(
    [...first.messages, ...second.messages].map(({ sequence }) => sequence),
    [5, 4, 3, 2, 1],
  );
});

test("given a watcher that knows where the inbox stands, when a message comes or is read, then it is told, and not before", async (t) => {
  const { module, subscriber_id, put, mark } = await start();
  const watch = (seen?: Message) => {
    const told: Message[] = [];
    const request = {
      subscriberId: subscriber_id,
      waitMs: 20_000,
      ...(seen && { seen }),
    };
    const answer = module.driver.ask(audience, watchInbox.name, request, {
      later: (later) => void told.push(later as Message),
    });
    if (answer !== "parked") told.push(answer as Message);
    return told;
  };
  t.like(watch()[0], { messages: [], seen: { sequence: 0, unread: 0 } });
  const first = watch({ sequence: 0, unread: 0 });
  t.is(first.length, 0);
  await put();
  t.like(first[0], { messages: [{ sequence: 1 }], seen: { sequence: 1, unread: 1 } });
  const second = watch({ sequence: 1, unread: 1 });
  await mark("read", { all: true });
  t.like(second[0], { messages: [], seen: { sequence: 1, unread: 0 } });
  const third = watch({ sequence: 1, unread: 0 });
  module.driver.advance(20_000);
  t.like(third[0], { messages: [], seen: { sequence: 1, unread: 0 } }, "its time is over");
  await put(2);
  t.like(watch({ sequence: 1, unread: 0 })[0], { messages: [{ sequence: 2 }, { sequence: 3 }] });
});
