/** `service notify` against a running service, with the sink as provider. */
import { runCommand } from "../support/cli.ts";
import { api, type Message, test } from "./support.ts";

const integrationsAt = "/api/v2/notification/integrations";

test("given a sink for every channel, when the command line triggers, lists and redrives, then it prints the results", async (t) => {
  const call = api(t.context);
  const at = ["--url", `http://127.0.0.1:${t.context.service.ports.http}`];
  const notify = (...args: string[]) => runCommand(["notify", ...args, ...at]);
  const of = async (...args: string[]) => {
    const { code, out, err } = await notify(...args, "-o", "json");
    t.is(code, 0, err + out);
    return JSON.parse(out) as unknown;
  };
  for (const channel of ["email", "sms", "push", "chat"]) t.like(await of("sink", channel), { channel });
  const profile = { external_id: "grace", email: "grace@example.com", phone: "+12025550123" };
  const { id } = (await call("POST", "/api/v2/notification/subscribers", profile)).data;
  const content = ["--payload", '{"subject":"Hi","body":"There"}'];
  const sent = await notify("trigger", "hello", "--subscriber-external-id", "grace", ...content);
  t.is(sent.code, 0, sent.err);
  t.regex(sent.out, /transaction_id +\w{26}[\s\S]*email +\w{26} +sent/);
  const listed = (await of("deliveries", "--subscriber-id", id as string)) as Message[];
  t.true(listed.length > 0 && listed.every(({ status }) => status === "sent"), JSON.stringify(listed));
  t.regex((await notify("preview", "grace", "hello", "--channels", "email")).out, /email +true/);
  // From here on the mail integration loses every message.
  const { data } = (await call("GET", `${integrationsAt}?channel=email`)) as unknown as { data: Message[] };
  const { id: integration, version } = data[0]!;
  const lost = { name: "sink", provider_key: "sink", active: true, metadata: { answer: "lose" }, version };
  const put = await call("PUT", `${integrationsAt}/${integration}`, lost);
  t.is(put.status, 200, JSON.stringify(put.body));
  const failed = await notify(
    "trigger",
    "hello",
    "--subscriber-id",
    id as string,
    "--channels",
    "email",
    ...content,
  );
  t.regex(failed.out, /email +\w{26} +failed/);
  const letters = (await of("dead-letters", "--status", "open", "--channel", "email")) as Message[];
  t.is(letters.length, 1);
  const letter = letters[0]!.id as string;
  const refused = await notify("redrive", letter);
  t.is(refused.code, 1);
  t.regex(refused.out, /it may have been sent: say accept_duplicate/);
  t.is((await notify("redrive", letter, "--accept-duplicate")).code, 0);
  t.is((await notify("frobnicate")).code, 2);
  t.is((await notify("redrive")).code, 1);
  t.is((await notify("trigger", "hello", "--payload", "{")).code, 2);
  const metrics = await (await fetch(`http://127.0.0.1:${t.context.service.ports.metrics}/metrics`)).text();
  for (const line of [
    /service_notification_deliveries_total\{channel="email",provider="sink",status="sent"\} [1-9]/,
    /service_notification_lag_seconds_count\{tier="direct"\} [1-9]/,
    /service_notification_renders_total\{outcome="ok"\} [1-9]/,
  ])
    t.regex(metrics, line);
});
