/**
 * One run through every module that it touches, with real parts: an HTTP server, a worker, a stream and a mail server.
 */
import { randomUUID } from "node:crypto";
import { standardSignature } from "../../actors/notify/outbound/webhook-signature.ts";
import { eventually } from "../support/eventually.ts";
import { mailServer } from "../support/mail-server.ts";
import { recorder } from "../support/recorder.ts";
import { api, connected, connectedTo, type Message, openStream, test } from "./support.ts";

test("given a signed hook, when its order is large, then the run calls the stock server, waits for a worker and a stream, and sends a mail", async (t) => {
  const call = api(t.context);
  const made = async (path: string, body: object) => {
    const { status, body: answer, data } = await call("POST", path, body);
    if (status >= 300) throw new Error(`${path}: ${JSON.stringify(answer)}`);
    return data;
  };
  const stock = await recorder(t, { shelf: "B7" });
  const connection_id = await connectedTo(call, stock.url);
  const pool_id = (await made("/api/pools", { name: "packing" })).id as string;
  const recipient_id = (await made(`/api/pools/${pool_id}/recipients`, { name: "packer" })).id;
  const { port, mails } = await mailServer(t);
  const smtp = { provider_key: "smtp", auth: "none", config: { host: "127.0.0.1", port, security: "none" } };
  await made("/api/v2/notification/integrations", {
    channel: "email",
    name: "mail",
    provider_key: "smtp",
    connection_id: await connected(call, smtp, {}),
    metadata: { from: "shop@example.com" },
  });

  const definition = await made("/api/workflow-definitions", {
    key: "order",
    draft: {
      channels: {
        email: {
          engine: "handlebars",
          subject: "Order {{ payload.id }}",
          body: "Packed as {{ payload.parcel }}.",
        },
      },
      steps: [
        {
          id: "size",
          type: "branch",
          cases: [
            {
              when: "input.event.amount >= 100",
              steps: [
                {
                  id: "reserve",
                  type: "action",
                  action_key: "http.request",
                  connection_id,
                  input: { url: "/reserve", method: "POST", body: "${input.event.id}" },
                  select: "output.result.body.shelf",
                },
                {
                  id: "pack",
                  type: "enqueue",
                  pool_id,
                  payload: { shelf: "${steps.reserve.output}" },
                  wait: true,
                },
              ],
            },
          ],
          else: [{ id: "small", type: "end", status: "failed" }],
        },
        { id: "checked", type: "wait_event", event_key: "stream.checks", select: "output.payload.sequence" },
        {
          id: "tell",
          type: "notify",
          to: { subscriber_external_id: "${input.event.user}", subscriber: { email: "ada@example.com" } },
          channels: ["email"],
          payload: {
            id: "${input.event.id}",
            parcel: "${has(steps.pack.output) ? steps.pack.output.result.parcel : ''}",
          },
        },
      ],
      output: { checked: "${steps.checked.output}", sent: "${steps.tell.output.transaction_id}" },
    },
  });
  t.deepEqual(definition.problems, []);
  await made(`/api/workflow-definitions/${definition.id}/publish`, {});

  const hooks = { provider_key: "webhook", auth: "none", config: { url: "http://127.0.0.1:9" } };
  const subscription = await made("/api/v2/connector/trigger-subscriptions", {
    connection_id: await connected(call, hooks, {}),
    trigger_key: "webhook.received",
    target: { workflow_key: "order" },
  });
  const { hook_url, secret } = subscription as { hook_url: string; secret: string };
  const hook = async () => {
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const headers = {
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": standardSignature(secret, { id, timestamp, body }),
    };
    const url = `http://127.0.0.1:${t.context.service.ports.http}${hook_url}`;
    return (await fetch(url, { method: "POST", headers, body })).status;
  };
  const id = `event-${randomUUID()}`;
  const body = JSON.stringify({ id: "o-7", user: "ada", amount: 250 });
  t.deepEqual([await hook(), await hook()], [200, 200], "the provider sends it twice");

  const { client, stream } = openStream(t.context, "QueueService", "Work");
  t.teardown(() => client.close());
  const packed = new Promise<Message>((resolve, reject) => {
    stream.on("error", reject);
    stream.on(
      "data",
      (frame: { assigned?: { items: { item: Message; lease_token: string }[] }; settled?: object }) => {
        for (const { item, lease_token } of frame.assigned?.items ?? []) {
          const settled = {
            queue_item_id: item.id,
            lease_token,
            outcome: "complete",
            result: { parcel: "P1" },
          };
          stream.write({ settle: { settlements: [settled] } });
          resolve(item.payload as Message);
        }
      },
    );
  });
  stream.write({ hello: { pool_id, recipient_id, credit: 1 } });
  t.deepEqual(await packed, { shelf: "B7" });

  const [{ id: run }] = (await call("GET", "/api/workflow-runs")).body.data as [{ id: string }];
  const found = async () => (await call("GET", `/api/workflow-runs/${run}`)).data;
  await eventually("the run waits for its stream", async () => {
    const [waiting] = (await found()).waiting_for as Message[];
    return waiting?.kind === "event" || undefined;
  });
  const streams = `/api/workflow-streams/runs/${run}/streams`;
  const checks = await made(streams, { name: "checks", content_classes: ["json"] });
  const records = [{ kind: "input", payload: { ok: true } }];
  await made(`${streams}/${checks.id}/records`, { records });

  const ended = await eventually("the run ends", async () => {
    const data = await found();
    return data.ended_at === undefined ? undefined : data;
  });
  t.is(ended.status, "succeeded", JSON.stringify(ended.error));
  t.deepEqual(ended.output, { checked: 1, sent: `${run}.tell` });
  const mail = await eventually("the mail arrives", async () => mails[0]);
  t.regex(mail, /Subject: Order o-7/);
  t.regex(mail, /Packed as P1\./);
  t.deepEqual(
    stock.seen.map(({ body: said }) => JSON.parse(said)),
    ["o-7"],
    "one action",
  );
  t.is((await call("GET", "/api/workflow-runs")).body.total, 1, "one run for both hooks");
  stream.end();
});
