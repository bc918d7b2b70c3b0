import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { limits } from "#base";
import { standardSignature } from "../../notify/outbound/webhook-signature.ts";
import type { VerifyFile } from "../catalogue/types.ts";

/** A request as it came in. Nothing of it is believed before its signature. */
export interface HookRequest {
  readonly body: Buffer;
  /** As the provider knows it, with its query. */
  readonly url: string;
  header(name: string): string | undefined;
}

/** Why a request is not taken; `undefined`: its sender knows the secret, and sent it now. */
export function refusalOf(
  verify: VerifyFile,
  secret: string,
  request: HookRequest,
  now: number,
): string | undefined {
  switch (verify.type) {
    case "hmac":
      return hmac(verify, secret, request, now);
    case "standard_webhooks":
      return standardWebhooks(secret, request, now);
    case "twilio":
      return twilio(verify, secret, request);
    case "secret_header":
      return equal(request.header(headerOf(verify)) ?? "", secret) ? undefined : wrong;
  }
}

const wrong = "the signature is not that of the secret";

function headerOf({ header = "" }: VerifyFile): string {
  return header.toLowerCase();
}

function hmac(verify: VerifyFile, secret: string, request: HookRequest, now: number): string | undefined {
  const given = request.header(headerOf(verify));
  if (given === undefined) return `the header ${headerOf(verify)} is missing`;
  const { timestamp, signatures } = verify.list
    ? listOf(given)
    : { timestamp: timestampIn(verify, request), signatures: [given] };
  const { algorithm = "sha256", encoding = "hex", prefix = "", signed = "{body}" } = verify;
  if (signed.includes("{timestamp}")) {
    const late = lateness(timestamp, now);
    if (late !== undefined) return late;
  }
  const mac = createHmac(algorithm, secret);
  for (const part of signed.split(/(\{timestamp\}|\{body\})/))
    mac.update(part === "{body}" ? request.body : part === "{timestamp}" ? timestamp : part);
  const expected = prefix + mac.digest(encoding);
  return signatures.some((signature) => equal(signature, expected)) ? undefined : wrong;
}

/** `t=…,v1=…,v1=…`: several while a secret is replaced. */
function listOf(header: string): { readonly timestamp: string; readonly signatures: readonly string[] } {
  const pairs = header.split(",").map((pair) => pair.trim().split("=", 2) as [string, string?]);
  const of = (name: string) => pairs.filter(([key]) => key === name).map(([, value = ""]) => value);
  return { timestamp: of("t")[0] ?? "", signatures: of("v1") };
}

function timestampIn({ timestamp_header: name }: VerifyFile, request: HookRequest): string {
  return (name === undefined ? undefined : request.header(name.toLowerCase())) ?? "";
}

function lateness(timestamp: string, now: number): string | undefined {
  if (!/^\d{1,12}$/.test(timestamp)) return "the time of the signature is missing";
  return Math.abs(now - Number(timestamp) * 1_000) > limits.triggerSkewMs
    ? "the signature is older or newer than 5 minutes"
    : undefined;
}

function standardWebhooks(secret: string, request: HookRequest, now: number): string | undefined {
  const id = request.header("webhook-id") ?? "";
  const timestamp = request.header("webhook-timestamp") ?? "";
  const late = lateness(timestamp, now);
  if (late !== undefined) return late;
  if (id === "") return "the header webhook-id is missing";
  const expected = standardSignature(secret, { id, timestamp, body: request.body });
  const given = (request.header("webhook-signature") ?? "").split(" ");
  return given.some((signature) => equal(signature, expected)) ? undefined : wrong;
}

/** The address with all parameters of a form by name; of any other body, its hash stands in the address. */
function twilio(verify: VerifyFile, secret: string, request: HookRequest): string | undefined {
  const given = request.header(headerOf({ ...verify, header: verify.header ?? "x-twilio-signature" })) ?? "";
  const hash = new URL(request.url).searchParams.get("bodySHA256");
  if (hash !== null && !equal(hash.toLowerCase(), createHash("sha256").update(request.body).digest("hex")))
    return "the body is not that of bodySHA256";
  const parameters = hash === null ? [...new URLSearchParams(request.body.toString())] : [];
  const byName = parameters.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const signed = request.url + byName.map(([name, value]) => name + value).join("");
  const expected = createHmac("sha1", secret).update(signed).digest("base64");
  return equal(given, expected) ? undefined : wrong;
}

function equal(a: string, b: string): boolean {
  const hash = (text: string) => createHash("sha256").update(text).digest();
  return b !== "" && timingSafeEqual(hash(a), hash(b));
}
