import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import test, { type ExecutionContext } from "ava";
import { limits, RefusalError } from "#base";
import { type ConnectorWorld, startConnectors } from "../../test/support/connectors.ts";
import { eventually } from "../../test/support/eventually.ts";
import { routeContext, routeRequest } from "../../test/support/plain-route.ts";
import { standardSignature } from "../notify/outbound/webhook-signature.ts";

type Message = Record<string, unknown>;

const secret = `whsec_${Buffer.from("a secret of thirty-two characters").toString("base64")}`;

async function world(t: ExecutionContext): Promise<ConnectorWorld> {
  const made = await startConnectors();
  t.teardown(() => made.close());
  return made;
}

async function connected(made: ConnectorWorld, provider_key: string, config: object): Promise<string> {
  const { id } = await made.call<{ id: string }>("ProviderConfigService.CreateProviderConfig", {
    name: "c",
    provider_key,
    auth: "none",
    config,
  });
  await made.call("ProviderConfigService.ActivateProviderConfig", { provider_config_id: id });
  const session = await made.call<{ id: string; connection_id: string }>(
    "ConnectSessionService.CreateConnectSession",
    { provider_config_id: id },
  );
  const fields = { connect_session_id: session.id, fields: {} };
  await made.call("ConnectSessionService.SubmitConnectSession", fields);
  return session.connection_id;
}

const hooked = (made: ConnectorWorld) => connected(made, "webhook", { url: "http://127.0.0.1:9" });

async function pool(made: ConnectorWorld): Promise<string> {
  const { id } = await made.call<{ id: string }>("PoolService.CreatePool", { name: `p-${randomUUID()}` });
  return id;
}

async function subscribed(made: ConnectorWorld, more: object = {}) {
  const connection_id = await hooked(made);
  const request = { connection_id, trigger_key: "webhook.received", secret, ...more };
  return made.call<Message & { id: string; hook_url: string }>(
    "TriggerSubscriptionService.CreateTriggerSubscription",
    request,
  );
}

/** Posts to the address of a subscription as the gateway would. */
async function post(
  made: ConnectorWorld,
  hook_url: string,
  body: string | Buffer,
  headers: Readonly<Record<string, string>>,
) {
  const route = made.modules.flatMap(({ routes = [] }) => routes).find(({ path }) => path.includes("hooks"))!;
  const all: Record<string, string> = {
    host: "127.0.0.1:8080",
    "content-type": "application/json",
    ...headers,
  };
  return route.methods.POST!.handle(
    routeRequest({
      part: hook_url.split("/").at(-1)!,
      header: (name) => all[name],
      headers: () => all,
      body: async () => Buffer.from(body),
    }),
    routeContext({ asker: made.asker, clock: { now: () => Date.now() } as never }),
  );
}

function signed(id: string, body: string, at = Date.now()) {
  const timestamp = String(Math.floor(at / 1_000));
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": standardSignature(secret, { id, timestamp, body }),
  };
}

async function items(made: ConnectorWorld, pool_id: string, count: number): Promise<Message[]> {
  return eventually(`${count} items`, async () => {
    const page = await made.call<{ items: Message[]; total: number }>("QueueService.ListItems", {
      pool_id,
      page_size: 1_000,
    });
    return page.total >= count ? page.items : undefined;
  });
}

test("a signed event becomes an item; again, it is the same event", async (t) => {
  const made = await world(t);
  const pool_id = await pool(made);
  const { id, hook_url } = await subscribed(made, { target: { pool_id } });
  t.regex(hook_url, /^\/connect\/hooks\/[\w-]+$/);
  const body = JSON.stringify({ order: 7 });
  for (let n = 0; n < 3; n++)
    t.is((await post(made, hook_url, body, signed("e1", body))).status, 200, "the same again is no error");
  await post(made, hook_url, body, signed("e2", body));
  const found = await items(made, pool_id, 2);
  t.is(found.length, 2);
  t.like(
    found.map(({ payload }) => payload as Message).find(({ event_id }) => event_id === "e1"),
    {
      subscription_id: id,
      trigger_key: "webhook.received",
      event: { order: 7 },
    },
  );
  const shown = await made.call("TriggerSubscriptionService.GetTriggerSubscription", {
    trigger_subscription_id: id,
  });
  t.like(shown, { status: "active", hook_url });
  t.is(shown.secret, undefined);
  t.truthy(shown.last_event_at);
});

test("what is not signed with the secret, now, by the letter, is refused and leaves nothing", async (t) => {
  const made = await world(t);
  const pool_id = await pool(made);
  const { hook_url } = await subscribed(made, { target: { pool_id } });
  const body = JSON.stringify({ n: 1 });
  const status = async (sent: string, headers: Record<string, string>) =>
    (await post(made, hook_url, sent, headers)).status;
  const good = signed("e1", body);
  t.is(await status(`${body} `, good), 401, "another body");
  t.is(await status(body, { ...good, "webhook-id": "e2" }), 401, "another id");
  t.is(await status(body, { ...good, "webhook-signature": "v1,AAAA" }), 401);
  t.is(await status(body, {}), 401);
  t.is(await status(body, signed("e1", body, Date.now() - 6 * 60_000)), 401, "old");
  t.is(await status(body, signed("e1", body, Date.now() + 6 * 60_000)), 401, "of the future");
  t.is(await status("no json", signed("e1", "no json")), 400);
  const large = JSON.stringify("x".repeat(limits.triggerEventBytesMax));
  t.is(await status(large, signed("e1", large)), 413);
  const other = hook_url.slice(0, -1) + (hook_url.endsWith("A") ? "B" : "A");
  t.is((await post(made, other, body, good)).status, 404, "an address that is not quite it");
  t.is((await post(made, "/connect/hooks/short", body, good)).status, 404);
  t.is((await made.call<{ total: number }>("QueueService.ListItems", { pool_id })).total, 0);
});

test("a filter drops events, a disabled or deleted subscription has no address", async (t) => {
  const made = await world(t);
  const pool_id = await pool(made);
  const subscription = await subscribed(made, {
    target: { pool_id },
    filter: "event.n > 1 && type == 'received'",
  });
  const { hook_url, id: trigger_subscription_id } = subscription;
  for (const n of [1, 2, 3]) {
    const body = JSON.stringify({ n });
    t.is((await post(made, hook_url, body, signed(`e${n}`, body))).status, 200);
  }
  t.is((await items(made, pool_id, 2)).length, 2);
  const set = (status: string) =>
    made.call("TriggerSubscriptionService.UpdateTriggerSubscription", { trigger_subscription_id, status });
  const again = async (id: string) => (await post(made, hook_url, '{"n":9}', signed(id, '{"n":9}'))).status;
  await set("disabled");
  t.is(await again("e8"), 404);
  await set("active");
  t.is(await again("e8"), 200);
  await made.call("TriggerSubscriptionService.DeleteTriggerSubscription", { trigger_subscription_id });
  t.is(await again("e10"), 404);
});

test("a workflow is started for each event, and a target that refuses makes the subscription fail until it takes it", async (t) => {
  const made = await world(t);
  const draft = { steps: [{ id: "end", type: "end", output: "${input.event.n}" }] };
  const { id } = await made.call<{ id: string }>("WorkflowDefinitionService.CreateDefinition", {
    key: "hooked",
    draft,
  });
  const subscription = await subscribed(made, { target: { workflow_key: "hooked" } });
  const body = JSON.stringify({ n: 5 });
  await post(made, subscription.hook_url, body, signed("e1", body));
  const shown = () =>
    made.call("TriggerSubscriptionService.GetTriggerSubscription", {
      trigger_subscription_id: subscription.id,
    });
  await eventually(
    "it fails: nothing is published yet",
    async () => (await shown()).status === "failing" || undefined,
  );
  t.like(await shown(), { waiting: 1 });
  await made.call("WorkflowDefinitionService.PublishDefinition", { id });
  await eventually("it came through", async () => (await shown()).status === "active" || undefined);
  const { runs } = await made.call<{ runs: Message[] }>("WorkflowRunService.ListRuns", { definition_id: id });
  t.is(runs.length, 1);
  t.like(await shown(), { waiting: 0, status_reason: "" });
});

test("polling: what is there at first is not told, then every new element once", async (t) => {
  const made = await world(t);
  const list: Message[] = [{ id: 1 }, { id: "two" }];
  let fails = false;
  const server = createServer((_request, response) => {
    response.writeHead(fails ? 500 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(list));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => server.close());
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const connection_id = await connected(made, "http", { base_url });
  const pool_id = await pool(made);
  const { id } = await made.call<{ id: string }>("TriggerSubscriptionService.CreateTriggerSubscription", {
    connection_id,
    trigger_key: "http.element_added",
    config: { url: "/list" },
    target: { pool_id },
    poll_seconds: 30,
  });
  // Changing how often it polls polls at once.
  let seconds = 30;
  const poll = () =>
    made.call("TriggerSubscriptionService.UpdateTriggerSubscription", {
      trigger_subscription_id: id,
      poll_seconds: ++seconds,
    });
  await eventually("the first poll is over", async () => {
    await poll();
    list.push({ id: `n${list.length}` });
    const page = await made.call<{ total: number }>("QueueService.ListItems", { pool_id });
    return page.total > 0 || undefined;
  });
  const known = list.length;
  list.push(...Array.from({ length: 50 }, (_, n) => ({ id: 1_000 + n })));
  fails = true;
  await poll();
  await eventually("a list that cannot be read makes it fail", async () => {
    const shown = await made.call("TriggerSubscriptionService.GetTriggerSubscription", {
      trigger_subscription_id: id,
    });
    return shown.status === "failing" || undefined;
  });
  fails = false;
  await poll();
  const found = await eventually("all of them", async () => {
    const page = await made.call<{ items: Message[] }>("QueueService.ListItems", {
      pool_id,
      page_size: 1_000,
    });
    const ids = page.items.map(({ payload }) => (payload as Message).event_id as string);
    return ids.filter((one) => one.startsWith("10")).length === 50 ? ids : undefined;
  });
  t.is(new Set(found).size, found.length, "none twice");
  t.true(found.length < known + 50, "what was there at first is not among them");
  t.false(found.includes("1") || found.includes("two"));
});

test("subscriptions are refused by field before anything is stored", async (t) => {
  const made = await world(t);
  const connection_id = await hooked(made);
  const refusal = async (request: object) => {
    const error = await t.throwsAsync<RefusalError>(
      made.call("TriggerSubscriptionService.CreateTriggerSubscription", {
        connection_id,
        trigger_key: "webhook.received",
        ...request,
      }),
      { instanceOf: RefusalError },
    );
    const { code, fields, reason } = error.refusal;
    return `${reason ?? code} ${fields?.[0]?.field ?? ""}`.trim();
  };
  t.is(await refusal({ trigger_key: "webhook.nothing" }), "INVALID_ARGUMENT trigger_key");
  t.is(await refusal({ trigger_key: "github.event" }), "INVALID_ARGUMENT connection_id");
  t.is(await refusal({ filter: "event.x ==" }), "INVALID_ARGUMENT filter");
  t.is(await refusal({ filter: "nothing.x" }), "INVALID_ARGUMENT filter");
  t.is(await refusal({ poll_seconds: 60 }), "INVALID_ARGUMENT poll_seconds");
  const nobody = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
  t.is(await refusal({ target: { pool_id: nobody } }), "NOT_FOUND");
  t.is(await refusal({ target: { workflow_key: "none" } }), "NOT_FOUND");
  t.is(await refusal({ target: { pool_id: nobody, workflow_key: "a" } }), "INVALID_ARGUMENT target");
  const list = await made.call("TriggerSubscriptionService.ListTriggerSubscriptions", {});
  t.is(list.total, 0);
});

test("a secret is drawn where none is given, shown once, and a new one takes its place", async (t) => {
  const made = await world(t);
  const connection_id = await hooked(made);
  const create = "TriggerSubscriptionService.CreateTriggerSubscription";
  const request = { connection_id, trigger_key: "webhook.received" };
  const first = await made.call<Message & { id: string; secret: string; hook_url: string }>(create, request, {
    key: "k",
  });
  t.regex(first.secret, /^whsec_/);
  const again = await made.call<Message>(create, request, { key: "k" });
  t.is(again.id, first.id);
  t.is(again.secret, undefined);
  t.is(again.hook_url, first.hook_url);
  const update = { trigger_subscription_id: first.id, secret };
  const changed = await made.call("TriggerSubscriptionService.UpdateTriggerSubscription", update);
  t.like(changed, { secret_version: 2 });
  const sign = (key: string) => {
    const timestamp = String(Math.floor(Date.now() / 1_000));
    return {
      "webhook-id": "e",
      "webhook-timestamp": timestamp,
      "webhook-signature": standardSignature(key, { id: "e", timestamp, body: "{}" }),
    };
  };
  t.is((await post(made, first.hook_url, "{}", sign(first.secret))).status, 401);
  t.is((await post(made, first.hook_url, "{}", sign(secret))).status, 200);
});
