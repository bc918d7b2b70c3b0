/**
 * A trigger that reaches real servers, through preferences, integration, layout, render thread, connection and
 * provider.
 */
import { randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { mailServer } from "../support/mail-server.ts";
import { recorder } from "../support/recorder.ts";
import { api, connected, type Message, test } from "./support.ts";

const integrationsAt = "/api/v2/notification/integrations";

test("given an integration, a layout and a subscriber, when a workflow is triggered, then a signed webhook and a mail in the layout arrive", async (t) => {
  const call = api(t.context);
  const { url, seen } = await recorder(t);
  const secret = `whsec_${randomBytes(24).toString("base64")}`;
  const hook = await connected(
    call,
    { provider_key: "webhook", auth: "secret", config: { url } },
    { secret },
  );
  const { port, mails } = await mailServer(t);
  const config = { host: "127.0.0.1", port, security: "none" };
  const mail = await connected(call, { provider_key: "smtp", auth: "none", config }, {});
  const layout = {
    channel: "email",
    name: "company",
    engine: "liquid",
    body: "<main>{{ content }}</main>",
    is_default: true,
  };
  t.is((await call("POST", "/api/v2/layouts", layout)).status, 201);
  const made = await call("POST", integrationsAt, {
    channel: "email",
    name: "hook",
    provider_key: "webhook",
    connection_id: hook,
    priority: 1,
  });
  t.is(made.status, 201, JSON.stringify(made.body));
  const workflow = {
    channels: {
      email: { engine: "handlebars", subject: "Hello", body: "<p>Hello {{ subscriber.first_name }}</p>" },
    },
  };
  const put = await call("PUT", "/api/v2/notification/workflows/welcome", workflow);
  t.is(put.status, 200, JSON.stringify(put.body));
  const trigger = async () =>
    (
      await call("POST", "/api/v2/notifications/trigger", {
        workflow_key: "welcome",
        subscriber_external_id: "ada",
        subscriber: { email: "ada@example.com", first_name: "<Ada>" },
        channels: ["email"],
        payload: {},
      })
    ).data;
  t.like(((await trigger()).outcomes as Message[])[0], { channel: "email", outcome: "sent" });
  const [{ headers, body }] = seen as [(typeof seen)[0]];
  const { data } = new Webhook(secret).verify(body, headers) as { data: Message };
  t.like(data, { to: "ada@example.com", subject: "Hello", html: "<main><p>Hello &lt;Ada&gt;</p></main>" });
  t.is((await call("DELETE", `${integrationsAt}/${made.data.id}`)).status, 200);
  const smtp = {
    channel: "email",
    name: "mail",
    provider_key: "smtp",
    connection_id: mail,
    rate: { per_second: 50 },
  };
  const other = await call("POST", integrationsAt, { ...smtp, metadata: { from: "hello@example.com" } });
  t.is(other.status, 201, JSON.stringify(other.body));
  const { outcomes } = await trigger();
  t.like((outcomes as Message[])[0], { outcome: "sent" }, JSON.stringify(outcomes));
  t.is(seen.length, 1, "a deleted integration is not chosen");
  t.regex(mails[0]!, /Subject: Hello[\s\S]*To: ada@example\.com|To: ada@example\.com[\s\S]*Subject: Hello/);
  t.regex(mails[0]!, /<main><p>Hello &lt;Ada&gt;<\/p><\/main>/);
});
