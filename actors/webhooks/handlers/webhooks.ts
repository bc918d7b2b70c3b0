import { createPublicKey, randomBytes } from "node:crypto";
import { handleOf, invalid, isRefusal, limits, newUlid, Random, RefusalError, refusalError } from "#base";
import type { CreateWebhookRequest, UpdateWebhookRequest } from "#protos";
import { ask, askAs, encryptedAnew, tryAsk } from "../../kit/ask.ts";
import type { Directory } from "../../kit/directory.ts";
import { listing } from "../../kit/entity-list.ts";
import { nextEvents } from "../../kit/next-events.ts";
import { newRecord } from "../../kit/record.ts";
import { decrypt, encrypt, secretOf } from "../../kit/secrets.ts";
import { webhookKind } from "../../kit/webhook.ts";
import type { CallContext, Handlers } from "../../module.ts";
import { privateKeyOf } from "../../notify/outbound/webhook-signature.ts";
import type { Parts } from "../parts.ts";
import {
  changeWebhook,
  createWebhook,
  entryOf,
  getWebhook,
  lookWebhook,
  type Made,
  rotateWebhook,
  type Secrets,
  type Signing,
  type Webhook,
  webhookAt,
  webhookMessage,
} from "../record.ts";

export const webhookDirectory: Directory<Made> = {
  kind: webhookKind,
  filters: ["status", "key_id"],
  limit: { most: limits.webhooksMax, many: "webhooks" },
  create: {
    method: createWebhook.name,
    make(_id, { record: given, cursor }, { now }) {
      // The handler drew the id: the secret is encrypted for it.
      const record = newRecord(given.id, given, now) as Webhook;
      const body = { type: "create", record, cursor };
      const flow = { window: 0, failingSince: 0, lastGap: 0, bytes: 0, placed: 0 };
      const message = { to: webhookAt(record.tenant, record.id), body };
      return { entry: entryOf(record), message, answer: webhookMessage(record, flow) };
    },
  },
};

export function webhookMethods(parts: Parts): Handlers {
  return {
    "WebhookService.CreateWebhook": (asked, call) => create(parts, asked, call),
    "WebhookService.UpdateWebhook": (asked, call) => update(parts, asked, call),
    "WebhookService.RotateSecret": ({ webhook_id, overlap_seconds }, call) =>
      rotate(parts, { webhook_id, overlapMs: (overlap_seconds ?? 0) * 1_000 }, call),
    "WebhookService.ListWebhooks": listing<"status">({
      kind: webhookKind,
      many: "webhooks",
      filters: { status: "status" },
      atOnce: limits.webhooksMax,
      ask: (id, call) => tryAsk(call, getWebhook, { key: handleOf(id), request: {} }),
    }),
  };
}

async function create(parts: Parts, asked: CreateWebhookRequest, call: CallContext): Promise<unknown> {
  const { name, url, kinds, environment = "", signing = "v1", ordering = "none", headers } = asked;
  checkUrl(parts, url);
  checkHeaders(headers);
  const { tenant } = call.caller;
  const id = newUlid(call.clock.now(), drawn());
  const key = randomBytes(32);
  const secrets: Secrets = { key: key.toString("base64"), headers };
  const record: Made["record"] = {
    ...{ id, tenant, name, url, kinds, environment, disabledReason: "" },
    signing: signing as Signing,
    ordering: ordering as Webhook["ordering"],
    maxInFlight: asked.max_in_flight ?? limits.webhookInFlight,
    headerNames: Object.keys(headers),
    publicKey: publicKeyOf(signing, key),
    secret: encrypt(parts, secrets, secretOf(webhookKind, { id, tenant, environment }, 1)),
    previous: null,
  };
  const cursor = await fromNow(parts, call);
  const request = { record, cursor };
  const answer = await tryAsk(call, createWebhook, { key: webhookKind, request, step: "" });
  if (isRefusal(answer)) throw new RefusalError(answer);
  // A repeat of the request is answered with what the first one made, without its secret.
  return answer.replayed ? answer.response : { ...answer.response, ...shown(signing, key) };
}

/** What happens after the answer is sent: from where that begins is known before. */
async function fromNow({ call }: Parts, { caller, signal }: CallContext): Promise<readonly number[]> {
  const as = { tenant: caller.tenant, subject: "webhooks", key: "", signal: signal as AbortSignal };
  const request = { cursor: [], kinds: [], waitMs: limits.webhookTimeoutMs };
  return (await askAs(call, nextEvents, { request }, as)).cursor;
}

async function update(parts: Parts, asked: UpdateWebhookRequest, call: CallContext): Promise<unknown> {
  const { webhook_id, record_version: version, headers, update_mask: mask, ...given } = asked;
  if (asked.url !== undefined) checkUrl(parts, asked.url);
  checkHeaders(headers);
  const key = handleOf(webhook_id);
  const takesHeaders = mask === undefined ? Object.keys(headers).length > 0 : mask.includes("headers");
  const named = mask && { update_mask: mask.filter((field) => field !== "headers") };
  const cursor = asked.status === "active" ? { cursor: await fromNow(parts, call) } : {};
  return encryptedAnew(async () => {
    const before = await ask(call, lookWebhook, { key, request: {} });
    const secret = takesHeaders && {
      secret: encryptNext(parts, before, { ...opened(parts, before), headers }),
      headerNames: Object.keys(headers),
    };
    const kinds = given.kinds.length > 0 || mask?.includes("kinds") ? { kinds: given.kinds } : {};
    const { kinds: _, ...rest } = given;
    const request = {
      given: { ...rest, ...kinds, ...named },
      ...(version !== undefined && { version }),
      ...secret,
      ...cursor,
    };
    return tryAsk(call, changeWebhook, { key, request, step: "" });
  });
}

async function rotate(
  parts: Parts,
  { webhook_id, overlapMs }: { readonly webhook_id: string; readonly overlapMs: number },
  call: CallContext,
): Promise<unknown> {
  const at = handleOf(webhook_id);
  const key = randomBytes(32);
  let signing: Signing = "v1";
  let isReplay = false;
  const answer = await encryptedAnew(async () => {
    const before = await ask(call, lookWebhook, { key: at, request: {} });
    signing = before.signing;
    const { headers } = opened(parts, before);
    const secret = encryptNext(parts, before, { key: key.toString("base64"), headers });
    const request = { secret, publicKey: publicKeyOf(signing, key), overlapMs };
    const rotated = await tryAsk(call, rotateWebhook, { key: at, request, step: "" });
    isReplay = !isRefusal(rotated) && rotated.replayed;
    return rotated;
  });
  return isReplay ? answer : { ...answer, ...shown(signing, key) };
}

function encryptNext(parts: Parts, webhook: Webhook, secrets: Secrets) {
  return encrypt(parts, secrets, secretOf(webhookKind, webhook, webhook.secret.version + 1));
}

function opened(parts: Parts, webhook: Webhook): Secrets {
  const { encrypted, version } = webhook.secret;
  const secrets = decrypt<Secrets>(parts, encrypted, secretOf(webhookKind, webhook, version));
  if (secrets === undefined)
    throw refusalError("FAILED_PRECONDITION", "the key that encrypted the secret is not here", {
      reason: "KEY_MISSING",
    });
  return secrets;
}

/** The private key of v1a is not shown: receivers check by the public one. */
function shown(signing: string, key: Buffer): object {
  return signing === "v1" ? { secret: `whsec_${key.toString("base64")}` } : {};
}

function publicKeyOf(signing: string, seed: Buffer): string {
  if (signing === "v1") return "";
  const { x } = createPublicKey(privateKeyOf(seed)).export({ format: "jwk" });
  return `whpk_${Buffer.from(x!, "base64url").toString("base64")}`;
}

/** From the operating system: nothing that callers see determines the next one. */
function drawn(): Random {
  const bytes = randomBytes(16);
  const word = (at: number) => bytes.readUInt32LE(at);
  return new Random([word(0), word(4), word(8), word(12)]);
}

function checkUrl({ outgoing, loopback }: Parts, url: string): void {
  const wrong = (reason: string) => new RefusalError(invalid({ field: "url", reason }));
  if (!URL.canParse(url)) throw wrong("is no address");
  const { protocol, username, password, hostname } = new URL(url);
  if (protocol !== "https:" && !(protocol === "http:" && loopback)) throw wrong("must begin with https://");
  if (username !== "" || password !== "") throw wrong("must not have a user or a password: use headers");
  if (outgoing.denies(hostname)) throw wrong("is an address that may not be called");
}

/** What a delivery has already, and what belongs to the connection. */
const reserved =
  /^(host|connection|content-.*|transfer-encoding|te|trailer|upgrade|expect|keep-alive|proxy-.*|webhook-.*|user-agent)$/i;

function checkHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    const wrong = (reason: string) => new RefusalError(invalid({ field: `headers.${name}`, reason }));
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) throw wrong("is not the name of a header");
    if (reserved.test(name)) throw wrong("is set by the service");
    if (!/^[\t\x20-\x7e]*$/.test(value)) throw wrong("has characters that a header cannot have");
  }
}
