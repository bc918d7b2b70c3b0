import test from "ava";
import { answering, outgoing, parts, record, send } from "../../../../test/support/providers.ts";
import { makeSlack } from "./slack.ts";

test.after.always(() => outgoing.close());

test("given Slack, when a message is posted by token or by incoming webhook, then its errors are what they mean", async (t) => {
  const slack = makeSlack(parts);
  const ok = await record(t, answering(200, { ok: true, channel: "C1", ts: "1.2" }));
  const credential = { api_key: "xoxb-1" };
  t.deepEqual(await send(slack, { config: { base_url: ok.url }, credential }, { to: "C1" }), {
    type: "accepted",
    providerMessageId: "C1:1.2",
  });
  t.is(ok.seen[0]!.request.url, "/chat.postMessage");
  t.is(ok.seen[0]!.request.headers.authorization, "Bearer xoxb-1");
  t.deepEqual(JSON.parse(ok.seen[0]!.body.toString()), { channel: "C1", text: "*Hello*\nthere" });
  const saying = async (error: string) => {
    const { url } = await record(t, answering(200, { ok: false, error }));
    return send(slack, { config: { base_url: url }, credential });
  };
  t.like(await saying("invalid_auth"), { type: "not_sent", code: "UNAUTHORIZED" });
  t.like(await saying("ratelimited"), { type: "not_sent", code: "RATE_LIMITED" });
  t.like(await saying("channel_not_found"), { type: "refused", suppress: "gone" });
  t.like(await saying("msg_too_long"), { type: "refused", code: "PROVIDER_REFUSED" });
  t.like(await saying("fatal_error"), { type: "maybe_sent" });
  const hook = await record(t, answering(200, "ok"));
  t.like(await send(slack, { credential: { webhook_url: hook.url } }), { type: "accepted" });
  t.like(await send(slack, {}, { to: hook.url }), { type: "accepted" });
  t.is(hook.seen.length, 2);
  const gone = await record(t, answering(404, "no_service"));
  t.like(await send(slack, {}, { to: gone.url }), { type: "refused", suppress: "gone" });
});
