import test from "ava";
import { limits, newUlid, Random } from "#base";
import { EntityDriver } from "../../test/support/entity.ts";
import { modules } from "../../test/support/module-parts.ts";
import type { Settled, Taken } from "./deliveries.ts";
import { type Webhook, webhookAt } from "./record.ts";
import type { State } from "./state.ts";

const tenant = "01JTENANT00000000000000000";
type Message = Record<string, unknown>;

interface Sent {
  readonly id: string;
  readonly body: { readonly id: string; readonly generation: number };
}

/** An endpoint, whose effects the test ends. */
function start(settings: Partial<Webhook> = {}) {
  const driver = new EntityDriver(modules.flatMap(({ actors }) => [...actors]));
  const id = newUlid(driver.now, new Random("webhook"));
  const at = webhookAt(tenant, id);
  const secret = { encrypted: "", version: 1, keyId: "k1" };
  const record: Webhook = {
    ...{ id, tenant, name: "w", url: "https://hooks.example.com", kinds: ["pool"], environment: "" },
    ...{
      disabledReason: "",
      signing: "v1",
      ordering: "none",
      maxInFlight: 4,
      headerNames: [],
      publicKey: "",
    },
    ...{ secret, previous: null, createdAt: driver.now, updatedAt: driver.now, recordVersion: 1 },
    ...settings,
  };
  driver.tell(at, { type: "create", record, cursor: [0, 0] });
  let seq = 0;
  const sends = () => driver.effects(at).filter(({ kind }) => kind === "webhook_send");
  const get = () => driver.ask(at, "WebhookService.GetWebhook", {}) as Message;
  return {
    driver,
    at,
    get,
    sends,
    list: () => (driver.ask(at, "WebhookService.ListDeliveries", {}) as { deliveries: Message[] }).deliveries,
    /** One event for each subject is taken. */
    take(subjects: readonly string[], more: Partial<Taken> = {}) {
      const events = subjects.map((subject) => {
        const eventId = `0-${++seq}-0`;
        return { eventId, kind: "pool.updated", subject, body: JSON.stringify({ seq }) };
      });
      const result = { from: [0, seq - subjects.length], events, position: [0, seq], ...more };
      driver.stepEffect(at, { type: "done", id: "pump", attempt: 1, result });
    },
    /** The answer to the send that is under way longest. */
    settle(status: number, more: Partial<Settled> = {}) {
      const { id: effect, body } = sends()[0]! as unknown as Sent;
      const result = { ...body, status, error: "", ...more };
      driver.stepEffect(at, { type: "done", id: effect, attempt: 1, result });
    },
  };
}

const hour = 3_600_000;

test("given an endpoint that always fails, then the waits are as decided, and the tenth failure exhausts", (t) => {
  const { driver, take, settle, list, get, sends } = start();
  take(["p"]);
  const waits: number[] = [];
  for (let attempt = 1; attempt < 10; attempt++) {
    settle(500);
    const [delivery] = list();
    t.like(delivery, { state: "retry_wait", attempts: attempt, last_status: 500 });
    waits.push(Date.parse(delivery!.next_attempt_at as string) - driver.now);
    driver.advance(waits.at(-1)!);
    t.is(sends().length, 1, `attempt ${attempt + 1}`);
  }
  const decided = [5_000, 300_000, 1_800_000, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hour)];
  for (const [i, wait] of waits.entries())
    t.true(wait >= decided[i]! * 0.8 - 1 && wait <= decided[i]! * 1.2 + 1, `${wait} for ${decided[i]}`);
  t.like(get(), { status: "active" });
  settle(500);
  t.like(list()[0], { state: "exhausted", attempts: 10 });
  t.true(driver.published.some(({ kind }) => kind === "webhook.exhausted"));
});

test("given five days without a success, then the endpoint is disabled, and what waits is held until it is enabled", (t) => {
  const { driver, at, take, settle, list, get, sends } = start();
  take(["p", "q"]);
  settle(500);
  driver.advance(5 * 24 * hour);
  settle(500);
  t.like(get(), { status: "disabled", disabled_reason: "failing" });
  driver.advance(1);
  t.false(list().some(({ state }) => state === "delivered"));
  t.deepEqual(
    driver.effects(at).filter(({ kind }) => kind === "webhook_pump"),
    [],
  );
  const cursor = [0, 9];
  driver.ask(at, "webhook.Change", { given: { status: "active" }, cursor });
  driver.advance(1);
  t.true(sends().length > 0);
  t.truthy(get().last_gap);
});

test("given 429 and then successes, then fewer are under way, and more again", (t) => {
  const { take, settle, sends } = start({ maxInFlight: 4 });
  take(["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]);
  t.is(sends().length, 4);
  settle(429);
  settle(429);
  t.is(sends().length, 2);
  settle(429);
  t.is(sends().length, 1);
  settle(204);
  t.is(sends().length, 2);
});

for (const [ordering, most] of [
  ["none", 4],
  ["subject", 2],
  ["strict", 1],
] as const)
  test(`given ordering ${ordering} and two subjects, then ${most} are under way, also after a restart`, (t) => {
    const { driver, take, sends, settle } = start({ ordering });
    take(["p", "q", "p", "q", "p"]);
    t.is(sends().length, most);
    driver.restart();
    settle(204);
    t.is(sends().length, Math.min(most, 4));
  });

test("given a page that does not begin where the endpoint stands, then nothing of it is taken", (t) => {
  const { take, list, at, driver } = start();
  take(["p"], { from: [0, 7] });
  t.deepEqual(list(), []);
  t.is(driver.effects(at).length, 1, "it asks again");
});

test("given deliveries that have ended, when their time is over, then nothing of them is left", (t) => {
  const { driver, take, settle, list } = start();
  const kept = () => driver.rowsOf(tenant).filter((name) => /body|ended|open/.test(name));
  take(["p", "q"]);
  t.true(kept().length > 0);
  settle(204);
  settle(204);
  driver.advance(limits.webhookKeptMs - 2 * hour);
  t.is(list().length, 2);
  driver.advance(4 * hour);
  t.is(list().length, 0);
  t.deepEqual(kept(), []);
});

test("given no room, when a large event comes, then as many small ones go as it takes", (t) => {
  const { driver, at, take, settle, sends } = start();
  const small = Array.from({ length: limits.webhookStepMax + 200 }, (_, n) => `p${n}`);
  take(small);
  while (sends().length > 0) settle(204);
  // All that is kept has ended, and is as much as may be kept.
  const { flow } = driver.state<State>(at);
  Object.assign(flow, { bytes: limits.webhookBytesMax });
  const body = "x".repeat(small.length * 10);
  const pages = () => driver.effects(at).find(({ kind }) => kind === "webhook_pump")!;
  const [from, position] = [
    [0, small.length],
    [0, small.length + 1],
  ];
  const events = [{ eventId: "1", kind: "pool.updated", subject: "large", body }];
  for (let again = 0; again < 3 && sends().length === 0; again++) {
    driver.advance(Math.max(0, pages().dueMs - driver.now));
    driver.stepEffect(at, { type: "done", id: "pump", attempt: 1, result: { from, events, position } });
  }
  t.is(sends().length, 1);
});

test("given no room, when a test is asked for, then it is refused", (t) => {
  const { driver, at } = start();
  Object.assign(driver.state<State>(at).flow, { bytes: limits.webhookBytesMax });
  t.like(driver.ask(at, "WebhookService.TestWebhook", {}), { reason: "WEBHOOK_FULL" });
});

test("given an endpoint that does not answer, then fewer are under way", (t) => {
  const { take, settle, sends } = start({ maxInFlight: 4 });
  take(["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]);
  t.is(sends().length, 4);
  settle(0);
  settle(0);
  settle(0);
  t.is(sends().length, 1);
});

test("given pages of one moment and a strict order, when it is restarted, then it is the same order", (t) => {
  const { driver, take, sends, settle, list } = start({ ordering: "strict" });
  const subjects = ["a", "b", "c", "d", "e", "f"];
  for (const subject of subjects) take([subject]);
  const sent: string[] = [];
  for (let i = 0; i < subjects.length; i++) {
    driver.restart();
    const { id } = (sends()[0] as unknown as Sent).body;
    sent.push(list().find((one) => one.id === id)!.subject as string);
    settle(204);
  }
  t.deepEqual(sent, subjects);
});

test("given deliveries whose time is over, when a job sends them again as they would be forgotten, then they are sent with their bodies", (t) => {
  const { driver, at, take, settle, sends, list } = start();
  const rows = () => driver.rowsOf(tenant).filter((name) => /body|open/.test(name));
  take(["p"]);
  settle(204);
  // Nothing has looked at what is over yet: the timer is late.
  driver.now += limits.webhookKeptMs + hour;
  driver.ask(at, "WebhookService.RedeliverAll", { since: new Date(0).toISOString(), kinds: [], states: [] });
  driver.advance(1);
  const [{ body }] = sends() as unknown as [Sent];
  const open = driver.ask(at, "webhook.Open", body) as { body: string };
  t.is(open.body, JSON.stringify({ seq: 1 }));
  t.is(list().length, 1);
  settle(204);
  driver.advance(limits.webhookKeptMs + 2 * hour);
  t.deepEqual(rows(), []);
});

test("given a delivery that is about to be sent, when the endpoint is disabled before, then no attempt is counted", (t) => {
  const { driver, at, take, settle, list, get, sends } = start();
  take(["p"]);
  const [{ body }] = sends() as unknown as [Sent];
  driver.ask(at, "webhook.Change", { given: { status: "disabled" } });
  t.is(driver.ask(at, "webhook.Open", body), null);
  settle(0, { off: true });
  driver.advance(1);
  t.like(list()[0], { state: "held", attempts: 0, last_error: "" });
  t.is(get().failing_since, undefined);
});

test("given many deliveries that wait, when the endpoint is deleted, then only what is under way is ended, and no row is left", (t) => {
  const { driver, at, take } = start({ maxInFlight: 2 });
  take(Array.from({ length: 50 }, (_, n) => `p${n}`));
  driver.ask(at, "WebhookService.DeleteWebhook", {});
  t.deepEqual(driver.effects(at), []);
  t.deepEqual(driver.timers(at), []);
  t.deepEqual(
    driver.rowsOf(tenant).filter((name) => name.includes("webhook") && !name.includes("directory")),
    [],
  );
});

test("given a test event, then its body has all members that those of others have", (t) => {
  const { driver, at, get, list } = start({ environment: "staging" });
  const { id, event_id } = driver.ask(at, "WebhookService.TestWebhook", {}) as Message;
  const { body } = driver.ask(at, "WebhookService.GetDelivery", { delivery_id: id }) as { body: string };
  t.is(list().length, 1);
  t.like(JSON.parse(body), {
    type: "webhook.test",
    data: {},
    tenant_id: tenant,
    id: event_id,
    environment: "staging",
    subject: get().id,
  });
});
