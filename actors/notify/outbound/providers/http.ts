import { asError, isObject, limits } from "#base";
import { type Outgoing, OutgoingError, waitAskedFor } from "../../../outgoing.ts";
import type { SendOutcome } from "../types.ts";

export interface HttpRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  readonly signal: AbortSignal;
  readonly method?: string;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** One POST to a provider: the answer where there is one of at most 64 KiB, else what that means for the message. */
export async function post(outgoing: Outgoing, request: HttpRequest): Promise<HttpAnswer | SendOutcome> {
  const bad = Object.entries(request.headers).find(([, value]) => /[\r\n\0]/.test(value));
  if (bad) return refused("BAD_HEADER", `the header ${bad[0]} has a line break`);
  try {
    const { status, headers, body } = await outgoing.request({
      method: request.method ?? "POST",
      url: request.url,
      headers: { "user-agent": "switchyard", ...request.headers },
      body: request.body,
      signal: request.signal,
      timeoutMs: limits.providerCallMs,
      maxBytes: limits.providerAnswerBytesMax,
    });
    // A redirect is for browsers: following it would hand the message to another address.
    if (status >= 300 && status < 400)
      return refused("REDIRECT", `the provider answered ${status} with a redirect`, status);
    return { status, headers, text: Buffer.from(body).toString() };
  } catch (error) {
    if (error instanceof OutgoingError) return withoutAnswer(error);
    return {
      type: "not_sent",
      phase: "connect",
      code: "BAD_REQUEST",
      message: shortened(asError(error).message),
    };
  }
}

function withoutAnswer({ stage, sent, message }: OutgoingError): SendOutcome {
  const about = { message: shortened(message) };
  if (stage === "denied") return { type: "not_sent", phase: "connect", code: "EGRESS_DENIED", ...about };
  if (stage === "too_large") return refused("ANSWER_TOO_LARGE", message);
  const code = stage === "timeout" ? "TIMEOUT" : "NETWORK";
  if (!sent) return { type: "not_sent", phase: "connect", code, ...about };
  return { type: "maybe_sent", phase: "provider", code, ...about };
}

/** Of a request to an address that the subscriber gave: what fails there says nothing about the integration. */
export function ofEndpoint(outcome: SendOutcome): SendOutcome {
  return outcome.type === "accepted" ? outcome : { ...outcome, about: "endpoint" };
}

export function isOutcome(answer: HttpAnswer | SendOutcome): answer is SendOutcome {
  return "type" in answer;
}

/** What a status other than 2xx means where the provider says nothing more exact. */
export function outcomeOf({ status, headers }: HttpAnswer, now: number, detail = ""): SendOutcome {
  const message = shortened(`the provider answered ${status}${detail === "" ? "" : `: ${detail}`}`);
  const about = { phase: "provider", message, providerStatus: status } as const;
  const retryAfterMs = waitAskedFor(headers["retry-after"], now);
  const again = { type: "not_sent", ...about, ...(retryAfterMs !== undefined && { retryAfterMs }) } as const;
  if (status === 401 || status === 403) return { ...again, code: "UNAUTHORIZED" };
  if (status === 429) return { ...again, code: "RATE_LIMITED" };
  if (status === 408 || status >= 500) return { ...again, code: "PROVIDER_ERROR" };
  return { type: "refused", ...about, code: "PROVIDER_REFUSED" };
}

export function refused(
  code: string,
  message: string,
  providerStatus?: number,
): Extract<SendOutcome, { type: "refused" }> {
  return {
    type: "refused",
    phase: "provider",
    code,
    message: shortened(message),
    ...(providerStatus !== undefined && { providerStatus }),
  };
}

export function shortened(text: string): string {
  return text.slice(0, limits.providerMessageLengthMax);
}

/** The members of a JSON object; none where it is something else. */
export function jsonOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
