import test from "ava";
import { answering, outgoing, parts, record, send } from "../../../../test/support/providers.ts";
import { makeTwilio } from "./twilio.ts";

test.after.always(() => outgoing.close());

test("given Twilio, when an SMS is sent, then the form, the account and the errors are right", async (t) => {
  const twilio = makeTwilio(parts);
  const { url, seen } = await record(t, answering(201, { sid: "SM1" }));
  const credential = { username: "AC1", password: "secret" };
  const settings = { from: "+4915112345678" };
  const sms = { channel: "sms" as const, to: "+14155552671" };
  const config = { base_url: url, account_sid: "AC1" };
  t.deepEqual(await send(twilio, { config, credential }, { ...sms, settings }), {
    type: "accepted",
    providerMessageId: "SM1",
  });
  t.is(seen[0]!.request.url, "/Accounts/AC1/Messages.json");
  t.is(seen[0]!.request.headers.authorization, `Basic ${Buffer.from("AC1:secret").toString("base64")}`);
  t.deepEqual(Object.fromEntries(new URLSearchParams(seen[0]!.body.toString())), {
    To: "+14155552671",
    From: "+4915112345678",
    Body: "there",
  });
  await send(
    twilio,
    { config, credential },
    { ...sms, to: "030 901820", settings: { ...settings, country: "DE" } },
  );
  t.is(new URLSearchParams(seen[1]!.body.toString()).get("To"), "+4930901820");
  t.like(await send(twilio, { config, credential }, { ...sms, to: "12", settings }), {
    type: "refused",
    suppress: "invalid",
  });
  t.like(await send(twilio, { config, credential }, sms), { type: "refused", code: "NO_SENDER" });
  t.is(seen.length, 2);
  for (const [code, suppress] of [
    [21_211, "invalid"],
    [21_610, "gone"],
    [21_617, undefined],
  ] as const) {
    const bad = await record(t, answering(400, { code, message: "no" }));
    const outcome = await send(
      twilio,
      { config: { ...config, base_url: bad.url }, credential },
      { ...sms, settings },
    );
    t.like(outcome, { type: "refused", ...(suppress && { suppress }) });
  }
});
