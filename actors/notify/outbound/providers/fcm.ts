import { importPKCS8, SignJWT } from "jose";
import { limits } from "#base";
import type { JsonObject, OutboundConnection, OutboundMessage, Provider, SendOutcome } from "../types.ts";
import { collapseKey } from "./collapse.ts";
import { type HttpAnswer, isOutcome, jsonOf, outcomeOf, post, refused, textOf } from "./http.ts";
import type { ProviderParts } from "./parts.ts";

/** Firebase Cloud Messaging, HTTP v1, with a service account (`client_email`, `private_key`) of the project `project_id`. */
export function makeFcm({ outgoing, clock }: ProviderParts): Provider {
  const tokens = new Tokens({ outgoing, clock });
  return {
    key: "fcm",
    channels: ["push"],
    keyed: true,
    connected: true,
    async send(message, settings, connection, signal) {
      const project = textOf(connection?.config.project_id) ?? textOf(connection?.credential.project_id);
      if (project === undefined) return refused("NO_PROJECT", "the connection has no project_id");
      const token = await tokens.get(connection!, signal);
      if (typeof token !== "string") return token;
      const base = textOf(connection?.config.base_url) ?? "https://fcm.googleapis.com";
      const answer = await post(outgoing, {
        url: `${base}/v1/projects/${encodeURIComponent(project)}/messages:send`,
        headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
        body: JSON.stringify({ message: bodyOf(message, settings, clock.now()) }),
        signal,
      });
      if (isOutcome(answer)) return answer;
      if (answer.status === 401) tokens.forget(connection!);
      return ofAnswer(answer, clock.now());
    },
  };
}

function bodyOf({ key, to, subject, text, expiresAtMs }: OutboundMessage, settings: JsonObject, now: number) {
  const collapse = collapseKey(key);
  const seconds = Math.max(0, Math.floor((expiresAtMs - now) / 1_000));
  const data = Object.entries((settings.data ?? {}) as JsonObject).map(([name, value]) => [
    name,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  return {
    token: to,
    notification: { title: subject, body: text },
    data: { ...Object.fromEntries(data), delivery_key: key },
    android: { collapse_key: collapse, ttl: `${Math.min(seconds, limits.webPushTtlSecondsMax)}s` },
    apns: { headers: { "apns-collapse-id": collapse } },
    webpush: { headers: { Topic: collapse } },
  };
}

function ofAnswer(answer: HttpAnswer, now: number): SendOutcome {
  const { name, error } = jsonOf(answer.text);
  if (answer.status < 300) return { type: "accepted", providerMessageId: textOf(name) ?? "" };
  const { status, message, details } = (error ?? {}) as Readonly<Record<string, unknown>>;
  const parts = (Array.isArray(details) ? details : []) as readonly Detail[];
  const word = textOf(parts.find(({ errorCode }) => errorCode !== undefined)?.errorCode ?? status) ?? "";
  const outcome = outcomeOf(answer, now, /^[A-Z_]+$/.test(word) ? word : "");
  // The token is of another project: an integration of that one may take the message.
  if (outcome.type === "not_sent" && word === "SENDER_ID_MISMATCH")
    return { ...outcome, code: word, about: "endpoint" };
  if (outcome.type !== "refused") return outcome;
  if (word === "UNREGISTERED") return { ...outcome, suppress: "gone" };
  const isOfToken =
    word === "INVALID_ARGUMENT" &&
    (parts.some(({ fieldViolations }) => fieldViolations?.some(({ field }) => field === "message.token")) ||
      /registration token/.test(textOf(message) ?? ""));
  return isOfToken ? { ...outcome, suppress: "invalid" } : outcome;
}

/** Of an error: google.firebase.fcm.v1.FcmError or google.rpc.BadRequest. */
interface Detail {
  readonly errorCode?: string;
  readonly fieldViolations?: readonly { readonly field?: string }[];
}

const scope = "https://www.googleapis.com/auth/firebase.messaging";
const grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/** Access tokens of service accounts, asked for once and kept until shortly before they end. */
class Tokens {
  readonly #parts: ProviderParts;
  readonly #tokens = new Map<string, { token: string; until: number }>();

  constructor(parts: ProviderParts) {
    this.#parts = parts;
  }

  async get(connection: OutboundConnection, signal: AbortSignal): Promise<string | SendOutcome> {
    const { outgoing, clock } = this.#parts;
    const known = this.#tokens.get(nameOf(connection));
    if (known && known.until > clock.now()) return known.token;
    const url = textOf(connection.config.token_url) ?? "https://oauth2.googleapis.com/token";
    const assertion = await assertionOf(connection, url, clock.now());
    if (assertion === undefined) return unauthorized("the private key of the service account cannot be read");
    const answer = await post(outgoing, {
      url,
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ grant_type: grantType, assertion }).toString(),
      signal,
    });
    if (isOutcome(answer)) {
      // No byte of the message has left, whatever became of the question for a token.
      const { code, message } = answer as Extract<SendOutcome, { type: "maybe_sent" }>;
      return { type: "not_sent", phase: "connect", code, message };
    }
    const { access_token, expires_in } = jsonOf(answer.text);
    const token = textOf(access_token);
    if (answer.status >= 300 || token === undefined)
      return unauthorized(`the token endpoint answered ${answer.status}`);
    if (this.#tokens.size >= limits.fcmTokensMax) this.#tokens.delete(this.#tokens.keys().next().value!);
    const until = clock.now() + Math.max(0, Number(expires_in ?? 0) - 60) * 1_000;
    this.#tokens.set(nameOf(connection), { token, until });
    return token;
  }

  forget(connection: OutboundConnection): void {
    this.#tokens.delete(nameOf(connection));
  }
}

/** Another key is another account, though it has the same name. */
function nameOf({ config, credential }: OutboundConnection): string {
  return collapseKey(JSON.stringify([config.token_url, credential.client_email, credential.private_key]));
}

async function assertionOf(
  { credential }: OutboundConnection,
  audience: string,
  now: number,
): Promise<string | undefined> {
  const { client_email, private_key } = credential;
  try {
    const key = await importPKCS8(String(private_key), "RS256");
    const at = Math.floor(now / 1_000);
    return await new SignJWT({ scope })
      .setProtectedHeader({ alg: "RS256", typ: "JWT" })
      .setIssuer(String(client_email))
      .setAudience(audience)
      .setIssuedAt(at)
      .setExpirationTime(at + 3_600)
      .sign(key);
  } catch {
    return undefined;
  }
}

function unauthorized(message: string): SendOutcome {
  return { type: "not_sent", phase: "connect", code: "UNAUTHORIZED", message };
}
