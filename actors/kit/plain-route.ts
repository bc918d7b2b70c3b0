import { type ErrorCode, limits, RefusalError } from "#base";
import type { CallContext, RouteAnswer, RouteContext, RouteResponse } from "../module.ts";

/** A browser, mail program or provider asks for the tenant that its token names, and is no principal of that tenant. */
export async function anonymousCall(
  tenant: string,
  subject: string,
  { asker, clock, admit }: RouteContext,
): Promise<CallContext> {
  await admit(tenant);
  return {
    caller: {
      tenant,
      principalKind: "anonymous",
      subject,
      owner: subject,
      requestId: "",
      environmentMode: "any",
      platform: false,
    },
    asker,
    deadlineMs: clock.now() + limits.moduleCallMs,
    signal: new AbortController().signal,
    clock,
    may: () => false,
    roles: [],
    headers: { get: () => undefined },
  };
}

/** A refusal is told as plain text, by these statuses. */
export async function told(
  answer: () => Promise<RouteResponse>,
  statuses: Readonly<Partial<Record<ErrorCode, number>>>,
): Promise<RouteResponse> {
  try {
    return await answer();
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error;
    const { code, detail, retryAfterMs } = error.refusal;
    return text(statuses[code] ?? 503, detail, {
      ...(retryAfterMs !== undefined && { "retry-after": String(Math.ceil(retryAfterMs / 1_000)) }),
    });
  }
}

/** How the OpenAPI document describes what `text` answers. */
export function said(description: string): RouteAnswer {
  return { description, type: "text/plain" };
}

export function text(
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): RouteResponse {
  return {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store", ...headers },
    body,
  };
}
