import { createHmac } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import test, { type ExecutionContext } from "ava";
import { type Observation, twilioAdapter } from "../../examples/twilio-adapter/adapter.ts";
import { isFromTwilio } from "../../examples/twilio-adapter/signature.ts";
import { runExample } from "../support/example-readme.ts";
import { freePort } from "../support/free-port.ts";
import { needing } from "../support/needing.ts";

test("given the example in Twilio's documentation, when it is checked, then its signature is accepted and others are not", (t) => {
  const url = "https://mycompany.com/myapp.php?foo=1&bar=2";
  const form = new URLSearchParams({
    CallSid: "CA1234567890ABCDE",
    Digits: "1234",
    From: "+14158675309",
    To: "+18005551212",
    Caller: "+14158675309",
  });
  const signature = "RSOYDt4T1cUTdK1PDd93/VVr8B8=";
  t.true(isFromTwilio("12345", { url, form, signature }));
  t.false(isFromTwilio("12346", { url, form, signature }));
  t.false(isFromTwilio("12345", { url: `${url}3`, form, signature }));
  t.false(isFromTwilio("12345", { url, form, signature: "" }));
  form.set("Digits", "12345");
  t.false(isFromTwilio("12345", { url, form, signature }));
});

async function start(t: ExecutionContext, record?: (observation: Observation) => Promise<void>) {
  const seen: Observation[] = [];
  const publicUrl = "https://hooks.example.com/twilio";
  const server = twilioAdapter({
    authToken: "secret",
    publicUrl,
    record: record ?? (async (observation) => void seen.push(observation)),
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const post = async (fields: Record<string, string>, key = "secret") => {
    const search = "?delivery_key=01JDELIVERY.2";
    const form = new URLSearchParams(fields);
    const text = Object.keys(fields)
      .sort()
      .map((name) => name + fields[name]);
    const mac = createHmac("sha1", key).update(publicUrl + search + text.join(""));
    const headers = { "x-twilio-signature": mac.digest("base64") };
    const answer = await fetch(`http://127.0.0.1:${port}/twilio${search}`, {
      method: "POST",
      headers,
      body: form,
    });
    return answer.status;
  };
  return { seen, post };
}

test("given a status signed by Twilio, when it arrives, then it is passed on; others are not", async (t) => {
  const { seen, post } = await start(t);
  t.is(await post({ MessageSid: "SM1", MessageStatus: "sent" }), 204);
  t.is(await post({ MessageSid: "SM1", MessageStatus: "delivered" }), 204);
  t.is(await post({ MessageSid: "SM1", MessageStatus: "undelivered", ErrorCode: "30005" }), 204);
  t.is(await post({ MessageSid: "SM1", MessageStatus: "delivered" }, "wrong"), 403);
  const about = { delivery_id: "01JDELIVERY", adapter: "twilio" } as const;
  t.deepEqual(seen, [
    { ...about, kind: "delivered", provider_event_id: "SM1:delivered", detail: { status: "delivered" } },
    {
      ...about,
      kind: "bounced",
      provider_event_id: "SM1:undelivered",
      detail: { status: "undelivered", code: "30005" },
    },
  ]);
});

test("given a service that cannot be reached, when a status arrives, then Twilio is asked to try again", async (t) => {
  const { post } = await start(t, () => Promise.reject(new Error("down")));
  t.is(await post({ MessageSid: "SM1", MessageStatus: "delivered" }), 503);
});

needing(
  test,
  "curl",
  "openssl",
)("the commands of the README of the Twilio adapter work as written", async (t) => {
  const port = await freePort();
  const said = await runExample(t, "twilio-adapter", {
    environment: ({ internal }) => ({
      PORT: `${port}`,
      SERVICE_INTERNAL_URL: `http://127.0.0.1:${internal}`,
    }),
  });
  t.regex(said, /delivered of 01J9ZC5T8NS0000012M2B6XH1D: there is no such delivery\n/);
  t.deepEqual(said.match(/^\d{3}$/gm), ["204", "403"]);
});
