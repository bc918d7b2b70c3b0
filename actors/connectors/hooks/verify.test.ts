/** Signatures both ways: what the providers' own libraries sign is taken, and what is taken here they take. */
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { sign as githubSign, verify as githubVerify } from "@octokit/webhooks-methods";
import test, { type ExecutionContext } from "ava";
import { Webhook } from "standardwebhooks";
import Stripe from "stripe";
import twilio from "twilio";
import { limits } from "#base";
import { standardSignature } from "../../notify/outbound/webhook-signature.ts";
import { loadCatalogue } from "../catalogue/load.ts";
import type { VerifyFile } from "../catalogue/types.ts";
import { refusalOf } from "./verify.ts";

const catalogue = loadCatalogue({ disabled: [] });
const now = Date.now();
const url = "https://hooks.example.com/connect/hooks/token";
const secret = "a secret that is long enough";
const body = JSON.stringify({ id: "evt_1", type: "charge.succeeded", text: "ünïcode ✓" });

const verifyOf = (trigger: string): VerifyFile => catalogue.triggers.get(trigger)!.file.verify!;

/** Why it is refused, of these headers. */
function taken(
  trigger: string,
  headers: Readonly<Record<string, string>>,
  given: { body?: string | Buffer; secret?: string; now?: number; url?: string } = {},
): string | undefined {
  const request = {
    body: Buffer.from(given.body ?? body),
    url: given.url ?? url,
    header: (name: string) => headers[name],
  };
  return refusalOf(verifyOf(trigger), given.secret ?? secret, request, given.now ?? now);
}

/** Every way to be wrong: another body, another secret, nothing at all, each byte of the signature. */
function refusesOthers(t: ExecutionContext, trigger: string, headers: Record<string, string>) {
  t.is(taken(trigger, headers), undefined);
  t.truthy(taken(trigger, headers, { body: `${body} ` }));
  t.truthy(taken(trigger, headers, { secret: "another secret" }));
  t.truthy(taken(trigger, {}));
  for (const name of Object.keys(headers)) {
    t.truthy(taken(trigger, { ...headers, [name]: "" }), `without ${name}`);
    t.truthy(taken(trigger, { ...headers, [name]: `${headers[name]!.slice(0, -2)}zz` }), `another ${name}`);
  }
}

test("Stripe: its library's header is taken, old ones are not, and one of several signatures is enough", (t) => {
  const stripe = new Stripe("sk_test_x");
  const header = (at = now) =>
    stripe.webhooks.generateTestHeaderString({
      payload: body,
      secret,
      timestamp: Math.floor(at / 1_000),
    });
  refusesOthers(t, "stripe.event", { "stripe-signature": header() });
  const skew = limits.triggerSkewMs + 2_000;
  for (const at of [now - skew, now + skew])
    t.regex(taken("stripe.event", { "stripe-signature": header(at) })!, /5 min/);
  const rolled = header().replace("v1=", "v1=00,v1=");
  t.is(taken("stripe.event", { "stripe-signature": rolled }), undefined);
  t.notThrows(() => stripe.webhooks.constructEvent(body, header(), secret));
});

test("GitHub: what octokit signs is taken, and octokit takes what is signed the same way", async (t) => {
  const signature = await githubSign(secret, body);
  refusesOthers(t, "github.event", { "x-hub-signature-256": signature });
  const ours = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
  t.true(await githubVerify(secret, body, ours));
});

test("Standard Webhooks: both ways with its library, with and without the prefix of a secret", (t) => {
  const key = `whsec_${Buffer.from("thirty-two bytes of a signing key").toString("base64")}`;
  const library = new Webhook(key);
  const timestamp = String(Math.floor(now / 1_000));
  const headers = {
    "webhook-id": "msg_1",
    "webhook-timestamp": timestamp,
    "webhook-signature": library.sign("msg_1", new Date(now), body),
  };
  t.is(taken("webhook.received", headers, { secret: key }), undefined);
  t.truthy(taken("webhook.received", { ...headers, "webhook-id": "msg_2" }, { secret: key }));
  t.truthy(taken("webhook.received", headers, { secret: key, now: now + limits.triggerSkewMs + 2_000 }));
  const signature = standardSignature(key, { id: "msg_1", timestamp, body });
  t.deepEqual(
    library.verify(body, { ...headers, "webhook-signature": `v1,AAAA ${signature}` }),
    JSON.parse(body),
  );
  t.is(
    taken("webhook.received", { ...headers, "webhook-signature": `v1,AAAA ${signature}` }, { secret: key }),
    undefined,
  );
});

test("Twilio: forms by their parameters and other bodies by their hash, as its library has them", (t) => {
  const form = { MessageSid: "SM1", Body: "hello & bye", From: "+4911" };
  const encoded = new URLSearchParams(form).toString();
  const signature = twilio.getExpectedTwilioSignature(secret, url, form);
  const header = { "x-twilio-signature": signature };
  t.is(taken("twilio.message_received", header, { body: encoded }), undefined);
  t.true(twilio.validateRequest(secret, signature, url, form));
  t.truthy(taken("twilio.message_received", header, { body: `${encoded}&More=1` }));
  t.truthy(taken("twilio.message_received", header, { body: encoded, url: `${url}?x=1` }));
  t.truthy(taken("twilio.message_received", {}, { body: encoded }));
  const hashed = `${url}?bodySHA256=${twilio.getExpectedBodyHash(body)}`;
  const json = { "x-twilio-signature": twilio.getExpectedTwilioSignature(secret, hashed, {}) };
  t.is(taken("twilio.message_received", json, { url: hashed }), undefined);
  t.truthy(taken("twilio.message_received", json, { url: hashed, body: "{}" }));
});

test("Slack: the worked example of its documentation is taken, at its time only", (t) => {
  const example =
    "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
  const headers = {
    "x-slack-request-timestamp": "1531420618",
    "x-slack-signature": "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
  };
  const given = { body: example, secret: "8f742231b10e8888abcd99yyyzzz85a5" };
  t.is(taken("slack.event", headers, { ...given, now: 1_531_420_618_000 }), undefined);
  t.truthy(taken("slack.event", headers, given));
  t.truthy(taken("slack.event", headers, { ...given, body: `${example}x`, now: 1_531_420_618_000 }));
});

interface SlackSample {
  readonly secret: string;
  readonly body: string;
  readonly timestamp: string;
  readonly signature: string;
  readonly now: number;
  readonly taken: boolean;
}

test("Slack: what Bolt takes is taken, and nothing else (npm run oracles)", (t) => {
  const file = new URL("../../../test/oracles/slack.json", import.meta.url);
  const samples = JSON.parse(readFileSync(file, "utf8")) as SlackSample[];
  t.true(samples.some((sample) => sample.taken) && samples.some((sample) => !sample.taken));
  for (const sample of samples) {
    const headers = {
      "x-slack-request-timestamp": sample.timestamp,
      "x-slack-signature": sample.signature,
    };
    t.is(taken("slack.event", headers, sample) === undefined, sample.taken, JSON.stringify(sample));
  }
});

test("bytes that are no text are verified as they came", (t) => {
  const bytes = Buffer.from([0xff, 0xfe, 0x00, 0x80]);
  const signature = `sha256=${createHmac("sha256", secret).update(bytes).digest("hex")}`;
  t.is(taken("github.event", { "x-hub-signature-256": signature }, { body: bytes }), undefined);
});
