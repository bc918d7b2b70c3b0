import { randomBytes } from "node:crypto";
import type { ServerResponse } from "node:http";
import test from "ava";
import { Webhook } from "standardwebhooks";
import { limits } from "#base";
import {
  answering,
  message,
  outgoing,
  parts,
  type Recorded,
  record,
  send,
} from "../../../../test/support/providers.ts";
import type { JsonObject } from "../types.ts";
import { makeWebhook } from "./webhook.ts";

test.after.always(() => outgoing.close());

test("given a webhook, when it is sent, then standardwebhooks takes its signature and its id is the key", async (t) => {
  const { url, seen } = await record(t);
  const secret = `whsec_${randomBytes(24).toString("base64")}`;
  const outcome = await send(makeWebhook(parts), { config: { url }, credential: { secret } });
  t.deepEqual(outcome, { type: "accepted", providerMessageId: message.key });
  const [{ request, body }] = seen as [Recorded];
  const headers = request.headers as Record<string, string>;
  const read = new Webhook(secret).verify(body.toString(), headers) as JsonObject;
  t.like(read, { type: "welcome", data: { text: "there", payload: { n: 1 } } });
  t.is(headers["webhook-id"], message.key);
  t.throws(() => new Webhook(secret).verify(`${body.toString()} `, headers));
});

test("given an HTTP provider, when it answers, then the status says whether the message was sent, and when to try again", async (t) => {
  const of = async (answer: (response: ServerResponse) => void) =>
    send(makeWebhook(parts), { config: { url: (await record(t, answer)).url } });
  for (const status of [401, 403])
    t.like(await of(answering(status)), { type: "not_sent", code: "UNAUTHORIZED" });
  t.like(await of(answering(429, {}, { "retry-after": "7" })), {
    type: "not_sent",
    code: "RATE_LIMITED",
    retryAfterMs: 7_000,
  });
  const at = new Date(Date.now() + 60_000).toUTCString();
  const dated = (await of(answering(503, {}, { "retry-after": at }))) as { retryAfterMs: number };
  t.true(dated.retryAfterMs > 30_000 && dated.retryAfterMs <= 60_000, JSON.stringify(dated));
  for (const status of [408, 500, 502])
    t.like(await of(answering(status)), { type: "not_sent", code: "PROVIDER_ERROR" });
  for (const status of [400, 404, 422])
    t.like(await of(answering(status)), { type: "refused", code: "PROVIDER_REFUSED" });
  t.like(await of(answering(302, {}, { location: "http://127.0.0.1:1/" })), {
    type: "refused",
    code: "REDIRECT",
  });
  const whole = "x".repeat(limits.providerAnswerBytesMax);
  t.is(whole.length, 65_536);
  t.like(await of(answering(200, whole)), { type: "accepted" });
  t.like(await of(answering(200, `${whole}x`)), {
    type: "refused",
    code: "ANSWER_TOO_LARGE",
  });
  t.like(await of((response) => void response.destroy()), { type: "maybe_sent" });
  t.like(await send(makeWebhook(parts), { config: { url: "http://127.0.0.1:1/" } }), {
    type: "not_sent",
    phase: "connect",
  });
  t.like(await send(makeWebhook(parts), { config: { url: "http://10.0.0.1/" } }), {
    type: "not_sent",
    code: "EGRESS_DENIED",
  });
});

test("given a header with a line break, when it would be sent, then it is refused and nothing leaves", async (t) => {
  const { url, seen } = await record(t);
  const outcome = await send(makeWebhook(parts), { config: { url } }, { key: "a\r\nx-evil: 1" });
  t.like(outcome, { type: "refused", code: "BAD_HEADER" });
  t.is(seen.length, 0);
});
