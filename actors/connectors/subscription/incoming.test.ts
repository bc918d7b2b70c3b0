import test from "ava";
import { limits, newChildUlid, Random } from "#base";
import {
  connectionAt as at,
  connectedDriver,
  connectionId,
  tenant,
} from "../../../test/support/connection.ts";

type Message = Record<string, unknown>;

const pool_id = "01JD0000000000000000000009";

function subscribed(kind: "webhook" | "polling" = "webhook", target: object = { pool_id }) {
  const driver = connectedDriver();
  const id = newChildUlid(driver.now, at.key, new Random("subscription"));
  driver.ask(at, "connection.Subscribe", {
    id,
    triggerKey: "webhook.received",
    kind,
    config: {},
    filter: "",
    target,
    tokenHash: "",
    encrypted: kind === "webhook" ? "encrypted" : "",
    keyId: "k1",
    pollSeconds: 300,
  });
  const receive = (eventId: string) =>
    driver.ask(at, "connection.Receive", {
      id,
      event: { id: eventId, type: "t", event: { eventId } },
    }) as Message;
  const message = () =>
    (driver.ask(at, "connection.LookAtSubscription", { id }) as { message: Message }).message;
  const effects = () => driver.effects(at).map((effect) => effect.id);
  const done = (result: object) => {
    for (const effect of effects()) driver.stepEffect(at, { type: "done", id: effect, attempt: 1, result });
  };
  const told = (kindOf: string) =>
    driver.published.filter(({ kind: one }) => one === `connector_trigger.${kindOf}`).length;
  return { driver, id, receive, message, effects, done, told };
}

test("an event is the same for 72 hours, over restarts, and another one after that", (t) => {
  const { driver, receive, done, effects, told } = subscribed();
  t.deepEqual(receive("a"), { duplicate: false });
  driver.restart();
  t.deepEqual(receive("a"), { duplicate: true });
  t.is(effects().length, 1);
  done({ type: "delivered" });
  t.deepEqual(effects(), []);
  driver.advance(limits.triggerSeenMs - 1_000);
  t.deepEqual(receive("a"), { duplicate: true });
  driver.advance(2 * 3_600_000);
  t.deepEqual(receive("a"), { duplicate: false });
  t.is(told("fired"), 2);
});

test("a target that refuses is tried again for a day, then the event is dropped and told", (t) => {
  const { driver, receive, done, effects, message, told } = subscribed();
  receive("a");
  const failed = { type: "failed", reason: "NOT_FOUND: no pool" };
  let tries = 0;
  for (; effects().length > 0; tries++) {
    done(failed);
    driver.restart();
    driver.advance(limits.triggerBackOffMsMax);
  }
  t.like(message(), { status: "failing", status_reason: "NOT_FOUND: no pool", waiting: 0 });
  t.is(told("dropped"), 1);
  t.true(tries > 50, `${tries} tries`);
  receive("b");
  done({ type: "delivered" });
  t.like(message(), { status: "active", status_reason: "" });
});

test("more than its pace are refused, and taken a second later; a result of an older attempt changes nothing", (t) => {
  const { driver, id, receive, effects, message } = subscribed("webhook", {});
  const answers = Array.from({ length: 2 * limits.triggerEventsPerSecond }, (_, n) => receive(`e${n}`));
  const refused = answers.filter(({ code }) => code === "RATE_LIMITED");
  t.true(refused.length > 50 && refused.length < limits.triggerEventsPerSecond + 1, `${refused.length}`);
  t.deepEqual(effects(), [], "events without a target are only told");
  driver.advance(1_000);
  t.deepEqual(receive("late"), { duplicate: false });
  t.truthy(message().last_event_at);
  t.is(driver.published.filter(({ subject }) => subject === id).length, answers.length - refused.length + 1);
});

test("polling: a cursor moves with its events, and a poll that was replaced changes nothing", (t) => {
  const { driver, id, effects, told } = subscribed("polling");
  const poll = () => driver.ask(at, "connection.PollState", { id }) as { polling: Message };
  driver.advance(1);
  t.deepEqual(effects(), [`poll.${id}.1`]);
  const result = (ids: string[], cursor: string) => ({
    type: "polled",
    events: ids.map((one) => ({ id: one, type: "t", event: one })),
    known: [],
    cursor,
    more: false,
  });
  const end = (effect: string, of: object) =>
    driver.stepEffect(at, { type: "done", id: effect, attempt: 1, result: of });
  end(`poll.${id}.1`, result(["a", "b"], "c1"));
  t.like(poll().polling, { cursor: "c1", baseline: false });
  t.is(told("fired"), 0, "what is there at first is not told");
  driver.restart();
  driver.advance(300_000);
  end(`poll.${id}.2`, result(["b", "c"], "c2"));
  t.is(told("fired"), 1);
  t.like(poll().polling, { cursor: "c2" });
  driver.advance(300_000);
  const [stale] = effects().filter((effect) => effect.startsWith("poll."));
  driver.ask(at, "connection.UpdateSubscription", {
    id,
    given: { config: { other: 1 }, update_mask: ["config"] },
  });
  end(stale!, result(["d"], "c3"));
  t.like(poll().polling, { cursor: null, baseline: true });
});

test("a purge of the tenant leaves nothing of a subscription and its events", (t) => {
  const { driver, id, receive } = subscribed();
  receive("a");
  driver.tell(at, { type: "purge", id, tenant });
  driver.tell(at, { type: "purge", id: connectionId, tenant });
  t.deepEqual(
    driver.rowsOf(tenant).filter((row) => row.startsWith("connection/")),
    [],
  );
});
