/** What a recipient does with a mail, with the real service and a real mail server: confirm an address, and unsubscribe with one click. */
import anyTest, { type TestFn } from "ava";
import { type RunningService, startDev } from "../process/support.ts";
import { mailServer } from "../support/mail-server.ts";
import { api, connected, type Message } from "./support.ts";

const test = anyTest as TestFn<{ service: RunningService }>;
const at = "/api/v2/notification";

test("given a mail server, when an address is confirmed and its owner unsubscribes by the links of the mails, then each POST counts and no GET does", async (t) => {
  t.timeout(120_000);
  const service = await startDev(t, ["--set", "server.public_url=https://notify.example.com"]);
  const call = api({ service });
  const { port, mails } = await mailServer(t);
  const config = { host: "127.0.0.1", port, security: "none" };
  const connection_id = await connected(call, { provider_key: "smtp", auth: "none", config }, {});
  const integration = { channel: "email", name: "mail", provider_key: "smtp", connection_id };
  const metadata = { from: "Hello <hello@example.com>" };
  const made = await call("POST", `${at}/integrations`, { ...integration, metadata });
  t.is(made.status, 201, JSON.stringify(made.body));
  const { id } = (await call("POST", `${at}/subscribers`, { external_id: "ada" })).data;
  const endpoints = `${at}/subscribers/${id}/endpoints`;
  const endpoint = await call("POST", endpoints, { channel: "email", identity: "ada@example.com" });
  const asked = await call("POST", `${endpoints}/${endpoint.data.id}:sendConfirmation`, {});
  t.is(asked.status, 200, JSON.stringify(asked.body));
  const confirmation = await mailOf(() => mails.shift());
  t.notRegex(confirmation, /List-Unsubscribe/);
  const visit = async (method: string, url: string, body?: string) => {
    const { pathname } = new URL(url);
    const answer = await fetch(`http://127.0.0.1:${service.ports.http}${pathname}`, {
      method,
      ...(body !== undefined && { body, headers: { "content-type": "application/x-www-form-urlencoded" } }),
    });
    t.regex(answer.headers.get("content-type")!, /^text\/plain/);
    await answer.text();
    return answer.status;
  };
  const verified = async () => ((await call("GET", endpoints)).body.data as Message[])[0]!.verified;
  const [link] = /https:\/\/notify\.example\.com\/notifications\/confirm\/[\w-]+/.exec(confirmation)!;
  t.is(await visit("GET", link), 200);
  t.false(await verified());
  t.is(await visit("POST", link, ""), 200);
  t.true(await verified());
  t.is(await visit("POST", link, ""), 410);
  t.is(await visit("POST", `${link.slice(0, -4)}AAAA`, ""), 404);
  const trigger = async () => {
    const { data, body } = await call("POST", "/api/v2/notifications/trigger", {
      workflow_key: "digest",
      subscriber_id: id,
      channels: ["email"],
      payload: { subject: "News", body: "of today" },
    });
    return (data?.outcomes as Message[])?.[0] ?? body;
  };
  t.like(await trigger(), { outcome: "sent" });
  const mail = mails.shift()!;
  t.regex(mail, /^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r?$/m);
  const header = /^List-Unsubscribe:\s*<([^>]+)>\r?$/m.exec(mail.replaceAll(/\r?\n[ \t]+/g, ""))!;
  t.is(await visit("GET", header[1]!), 200);
  t.like(await trigger(), { outcome: "sent" }, "programs that look at mails follow links");
  t.is(await visit("POST", header[1]!, "List-Unsubscribe=One-Click"), 200);
  t.like(await trigger(), { outcome: "skipped", reason_code: "disabled" });
});

/** The next mail, as one text without the breaks of quoted-printable. */
async function mailOf(next: () => string | undefined): Promise<string> {
  for (;;) {
    const mail = next();
    if (mail !== undefined) return mail.replaceAll(/=\r\n/g, "").replaceAll("=3D", "=");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
