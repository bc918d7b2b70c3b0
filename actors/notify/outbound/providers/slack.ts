import { waitAskedFor } from "../../../outgoing.ts";
import type { OutboundConnection, Provider, SendOutcome } from "../types.ts";
import { type HttpAnswer, isOutcome, jsonOf, ofEndpoint, outcomeOf, post, refused, textOf } from "./http.ts";
import type { ProviderParts } from "./parts.ts";

/** An incoming webhook where the connection or the endpoint has its address, else chat.postMessage to a channel or user. */
export function makeSlack({ outgoing, clock }: ProviderParts): Provider {
  return {
    key: "slack",
    channels: ["chat"],
    keyed: false,
    connected: true,
    async send({ to, text, subject }, settings, connection, signal) {
      const words = subject === "" ? text : `*${subject}*\n${text}`;
      const blocks = Array.isArray(settings.blocks) ? { blocks: settings.blocks as unknown[] } : {};
      const headers = { "content-type": "application/json; charset=utf-8" };
      const shared = textOf(connection?.credential.webhook_url);
      const hook = shared ?? (/^https?:\/\//.test(to) ? to : undefined);
      if (hook !== undefined) {
        const body = JSON.stringify({ text: words, ...blocks });
        const answer = await post(outgoing, { url: hook, headers, body, signal });
        const outcome = isOutcome(answer) ? answer : ofHook(answer, clock.now());
        return shared === undefined ? ofEndpoint(outcome) : outcome;
      }
      const token = tokenOf(connection);
      if (token === undefined) return refused("NO_TOKEN", "the connection has no token and no webhook_url");
      const base = textOf(connection?.config.base_url) ?? "https://slack.com/api";
      const answer = await post(outgoing, {
        url: `${base}/chat.postMessage`,
        headers: { ...headers, authorization: `Bearer ${token}` },
        body: JSON.stringify({ channel: to, text: words, ...blocks }),
        signal,
      });
      return isOutcome(answer) ? answer : ofMethod(answer, clock.now());
    },
  };
}

function tokenOf(connection: OutboundConnection | undefined): string | undefined {
  const { api_key, access_token } = connection?.credential ?? {};
  return textOf(api_key) ?? textOf(access_token);
}

function ofHook(answer: HttpAnswer, now: number): SendOutcome {
  const { status, text } = answer;
  if (status < 300) return { type: "accepted", providerMessageId: "" };
  const outcome = outcomeOf(answer, now, /^[a-z_]+$/.test(text) ? text : "");
  const isGone = status === 404 || status === 410;
  return outcome.type === "refused" && isGone ? { ...outcome, suppress: "gone" } : outcome;
}

/** Errors of the credentials: another integration may do. */
const unauthorized = new Set([
  "not_authed",
  "invalid_auth",
  "account_inactive",
  "token_revoked",
  "token_expired",
  "no_permission",
  "missing_scope",
  "not_allowed_token_type",
  "ekm_access_denied",
]);
const gone = new Set(["channel_not_found", "is_archived", "user_not_found"]);

/** Slack says 200 and `ok: false` where something is wrong. */
function ofMethod(answer: HttpAnswer, now: number): SendOutcome {
  if (answer.status >= 300) return outcomeOf(answer, now);
  const { ok, error, ts, channel } = jsonOf(answer.text);
  if (ok === true) return { type: "accepted", providerMessageId: `${channel}:${ts}` };
  const name = typeof error === "string" && /^[a-z_]+$/.test(error) ? error : "no error";
  const about = { phase: "provider", message: `Slack said ${name}`, providerStatus: answer.status } as const;
  const retryAfterMs = waitAskedFor(answer.headers["retry-after"], now);
  const again = { type: "not_sent", ...about, ...(retryAfterMs !== undefined && { retryAfterMs }) } as const;
  if (unauthorized.has(name)) return { ...again, code: "UNAUTHORIZED" };
  if (name === "ratelimited" || name === "rate_limited") return { ...again, code: "RATE_LIMITED" };
  if (name === "service_unavailable") return { ...again, code: "PROVIDER_ERROR" };
  // Its documentation says of both that a part of the work may have been done.
  if (name === "fatal_error" || name === "internal_error")
    return { type: "maybe_sent", ...about, code: "PROVIDER_ERROR" };
  return { type: "refused", ...about, code: "PROVIDER_REFUSED", ...(gone.has(name) && { suppress: "gone" }) };
}
