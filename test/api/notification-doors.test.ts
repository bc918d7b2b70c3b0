/** Notifications at the public door: what bad input is told, the inbox as server-sent events, and hostile templates. */
import { openEvents } from "../contract/support/sse-client.ts";
import { eventually } from "../support/eventually.ts";
import { api, type Message, test } from "./support.ts";

const at = "/api/v2/notification";
const triggerAt = "/api/v2/notifications/trigger";

test.serial(
  "given bad input, when it comes, then it is 400 with the field, and a place where it is code",
  async (t) => {
    const call = api(t.context);
    const { id } = (await call("POST", `${at}/subscribers`, { external_id: "bad-input" })).data;
    const subscriber = `${at}/subscribers/${id}`;
    const workflow = `${at}/workflows/bad.input`;
    const email = { engine: "liquid", subject: "s", body: "b" };
    const layout = { channel: "email", name: "n", engine: "handlebars", body: "{{ content }}" };
    for (const [method, path, body, field, reason] of [
      ["POST", triggerAt, { workflow_key: "w", subscriber_id: id, channels: ["fax"] }, /^channels/, /./],
      ["POST", `${subscriber}/endpoints`, { channel: "fax", identity: "x" }, /^channel$/, /./],
      ["POST", `${at}/subscribers`, { external_id: "x", timezone: "Mars/Olympus" }, /^timezone$/, /IANA/],
      ["POST", `${at}/subscribers`, { external_id: "x", locale: "not a tag" }, /^locale$/, /BCP 47/],
      ["POST", `${at}/subscribers`, { external_id: "x", phone: "030 901820" }, /^phone$/, /./],
      ["POST", `${at}/topics`, { key: "Not A Slug" }, /^key$/, /./],
      ["POST", `${subscriber}/preferences`, { topic_key: "news" }, /^workflow_key$/, /required/],
      [
        "POST",
        `${subscriber}/preferences`,
        { condition: "payload.urgent ==" },
        /^condition$/,
        /1:\d+|line 1/,
      ],
      [
        "POST",
        `${subscriber}/preferences`,
        { schedule: { timezone: "Mars/Olympus", ranges: [{ days: ["mon"], start: "09:00", end: "17:00" }] } },
        /^schedule\.timezone$/,
        /./,
      ],
      [
        "POST",
        `${subscriber}/preferences`,
        { schedule: { ranges: [{ days: ["mon"], start: "09:00", end: "09:00" }] } },
        /^schedule\.ranges\[0\]/,
        /./,
      ],
      [
        "PUT",
        workflow,
        { channels: { email: { ...email, body: "a\n  {% nope %}" } } },
        /^channels.*email.*body$/,
        /2:3|line 2/,
      ],
      ["POST", "/api/v2/layouts", { ...layout, body: "{{ content }}\n{{> p}}" }, /^body$/, /2:1|line 2/],
      ["POST", "/api/v2/layouts", { ...layout, body: "<p></p>" }, /^body$/, /content/],
      ["POST", "/api/v2/layouts", { ...layout, body: `{{ content }}${"x".repeat(65_536)}` }, /^body$/, /./],
      [
        "POST",
        `${subscriber}/preferences:preview`,
        { workflow_key: "w", payload_context: { text: "x".repeat(65_537) } },
        /^payload_context$/,
        /65536 bytes/,
      ],
      ["GET", "/api/v2/notifications/deliveries", undefined, /^transaction_id$/, /exactly one/],
      [
        "GET",
        `/api/v2/notifications/deliveries?transaction_id=x&subscriber_id=${id}`,
        undefined,
        /^transaction_id$/,
        /exactly one/,
      ],
    ] as const) {
      const { status, body: told } = await call(method, path, body);
      const title = `${method} ${path} ${JSON.stringify(body)?.slice(0, 100)}: ${JSON.stringify(told)}`;
      t.is(status, 400, title);
      const fields = told.errors as { field: string; reason: string }[] | undefined;
      t.regex(fields?.[0]?.field ?? "", field, title);
      t.regex(fields?.[0]?.reason ?? "", reason, title);
    }
  },
);

test.serial(
  "given an inbox that is watched by server-sent events, when messages come and are read, then each comes once, and the count follows",
  async (t) => {
    const call = api(t.context);
    const { id } = (await call("POST", `${at}/subscribers`, { external_id: "watcher" })).data;
    const port = t.context.service.ports.http;
    const watch = async (headers: Record<string, string> = {}) => {
      const reader = await openEvents(port, `${at}/subscribers/${id}/inbox/subscribe`, headers);
      t.teardown(() => reader.close());
      t.is(reader.headers.get("content-type"), "text/event-stream");
      const events = reader.events();
      const next = async () => {
        const { event, id: sequence, data } = (await events.next()).value!;
        return { event, sequence, data: JSON.parse(data ?? "{}") as Message };
      };
      return { next, close: () => reader.close() };
    };
    let count = 0;
    const put = async (body: string) => {
      const payload = { subject: "s", body };
      const request = { workflow_key: "w", subscriber_id: id, channels: ["in_app"], payload, wait_ms: 0 };
      const { status, body: told } = await call("POST", triggerAt, request);
      t.is(status, 200, JSON.stringify(told));
      count++;
      await eventually("it is in the inbox", async () => {
        const { body: list } = await call("GET", `${at}/subscribers/${id}/inbox`);
        return list.total === count || undefined;
      });
    };
    const first = await watch();
    t.like(await first.next(), { event: "count", data: { unread_count: 0 } });
    await put("one");
    t.like(await first.next(), { event: "message", sequence: "1", data: { body: "one", read: false } });
    t.like(await first.next(), { event: "count", data: { unread_count: 1 } });
    first.close();
    await put("two");
    await put("three");
    const again = await watch({ "last-event-id": "1" });
    t.like(await again.next(), { event: "count", data: { unread_count: 3 } });
    t.like(await again.next(), { sequence: "2", data: { body: "two" } });
    t.like(await again.next(), { sequence: "3", data: { body: "three" } });
    await call("POST", `${at}/subscribers/${id}/inbox:mark`, { all: true, as: "read" });
    t.like(await again.next(), { event: "count", data: { unread_count: 0 } });
  },
);

test.serial(
  "given a template that never ends, when it is sent, then its delivery fails as render/TIMEOUT, others are sent, and the kill is counted",
  async (t) => {
    const call = api(t.context);
    const sink = { channel: "chat", name: "sink", provider_key: "sink" };
    t.is((await call("POST", `${at}/integrations`, sink)).status, 201);
    const { id } = (await call("POST", `${at}/subscribers`, { external_id: "hostile" })).data;
    const endpoint = { channel: "chat", identity: "room" };
    t.is((await call("POST", `${at}/subscribers/${id}/endpoints`, endpoint)).status, 200);
    const loop = "{{#each payload.l}}".repeat(4) + "{{/each}}".repeat(4);
    const body = loop.replaceAll("payload.l", "@root.payload.l");
    const put = await call("PUT", `${at}/workflows/endless`, {
      channels: { chat: { engine: "handlebars", body } },
    });
    t.is(put.status, 200, JSON.stringify(put.body));
    const payload = { body: "fine", l: Array.from({ length: 200 }, () => 1) };
    const send = async (workflow_key: string) => {
      const request = { workflow_key, subscriber_id: id, channels: ["chat"], payload, wait_ms: 0 };
      const { outcomes } = (await call("POST", triggerAt, request)).data;
      return `/api/v2/notifications/deliveries/${(outcomes as Message[])[0]!.delivery_id}`;
    };
    const over = (delivery: string) =>
      eventually("the delivery has ended", async () => {
        const { data } = await call("GET", delivery);
        return data.status === "failed" || data.status === "sent" ? data : undefined;
      });
    const endless = await send("endless");
    t.like(await over(await send("plain")), { status: "sent" });
    t.like(await over(endless), { status: "failed", failure: { phase: "render", code: "TIMEOUT" } });
    t.like(await over(await send("plain")), { status: "sent" });
    const metrics = await (await fetch(`http://127.0.0.1:${t.context.service.ports.metrics}/metrics`)).text();
    t.regex(metrics, /service_notification_render_kills_total(\{[^}]*\})? [1-9]/);
    t.regex(metrics, /service_notification_renders_total\{outcome="TIMEOUT"\} [1-9]/i);
  },
);

test.serial(
  "given the capabilities, when they are listed, then notifications and their dispatch are there and on",
  async (t) => {
    const { data } = (await api(t.context)("GET", "/api/v2/capabilities?limit=1000")) as unknown as {
      data: Message[];
    };
    for (const id of ["notifications", "notification_dispatch"])
      t.like(
        data.find((one) => one.id === id),
        { mode: "active" },
        JSON.stringify(data).slice(0, 2_000),
      );
  },
);
