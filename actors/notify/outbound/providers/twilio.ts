import { parsePhoneNumberFromString } from "libphonenumber-js";
import type { JsonObject, Provider, SendOutcome } from "../types.ts";
import { type HttpAnswer, isOutcome, jsonOf, outcomeOf, post, refused, textOf } from "./http.ts";
import type { ProviderParts } from "./parts.ts";

/** Messages.json; the sender is `from` or `messaging_service_sid` of the settings. */
export function makeTwilio({ outgoing, clock }: ProviderParts): Provider {
  return {
    key: "twilio",
    channels: ["sms"],
    keyed: false,
    connected: true,
    async send({ key, to, text }, settings, connection, signal) {
      const number = numberOf(to, settings);
      if (number === undefined)
        return {
          type: "refused",
          phase: "provider",
          code: "BAD_NUMBER",
          message: "no telephone number",
          suppress: "invalid",
        };
      const from = textOf(settings.from);
      const service = textOf(settings.messaging_service_sid);
      if (from === undefined && service === undefined)
        return refused("NO_SENDER", "metadata.from or metadata.messaging_service_sid is needed");
      const { username, password } = connection?.credential ?? {};
      const account = textOf(connection?.config.account_sid) ?? textOf(username) ?? "";
      const base = textOf(connection?.config.base_url) ?? "https://api.twilio.com/2010-04-01";
      const callback = textOf(settings.status_callback);
      const form = new URLSearchParams({
        To: number,
        Body: text,
        ...(service === undefined ? { From: from! } : { MessagingServiceSid: service }),
        ...(callback !== undefined && { StatusCallback: withKey(callback, key) }),
      });
      const answer = await post(outgoing, {
        url: `${base}/Accounts/${encodeURIComponent(account)}/Messages.json`,
        headers: {
          "content-type": "application/x-www-form-urlencoded",
          authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`,
        },
        body: form.toString(),
        signal,
      });
      return isOutcome(answer) ? answer : ofAnswer(answer, clock.now());
    },
  };
}

/** So that an adapter knows which delivery a status is about. */
function withKey(callback: string, key: string): string {
  return `${callback}${callback.includes("?") ? "&" : "?"}delivery_key=${encodeURIComponent(key)}`;
}

/** E.164; a national number where the settings name its country. */
function numberOf(to: string, { country }: JsonObject): string | undefined {
  const number = parsePhoneNumberFromString(to, textOf(country) as never);
  return number?.isPossible() ? number.number : undefined;
}

/** Numbers that cannot get an SMS, by Twilio's error code. */
const invalid = new Set([21211, 21214, 21217, 21614]);
/** Blocked: the person has answered STOP. */
const stopped = 21610;

function ofAnswer(answer: HttpAnswer, now: number): SendOutcome {
  const { sid, code, message } = jsonOf(answer.text);
  if (answer.status < 300) return { type: "accepted", providerMessageId: textOf(sid) ?? "" };
  const outcome = outcomeOf(answer, now, code === undefined ? "" : `${code} ${textOf(message) ?? ""}`);
  if (outcome.type !== "refused") return outcome;
  if (invalid.has(code as number)) return { ...outcome, suppress: "invalid" };
  return code === stopped ? { ...outcome, suppress: "gone" } : outcome;
}
