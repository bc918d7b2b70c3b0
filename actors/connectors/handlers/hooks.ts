import { timingSafeEqual } from "node:crypto";
import { handleOfChild, limits } from "#base";
import { TemplateError } from "../../cel/template.ts";
import { ask } from "../../kit/ask.ts";
import { anonymousCall, said, text, told } from "../../kit/plain-route.ts";
import type { ModuleRoute, RouteContext, RouteRequest, RouteResponse } from "../../module.ts";
import { evaluate, rendering } from "../catalogue/template.ts";
import type { TriggerFile } from "../catalogue/types.ts";
import { receive as receiveEvent } from "../connection/methods.ts";
import { eventOf, passes } from "../hooks/event.ts";
import { refusalOf } from "../hooks/verify.ts";
import type { Parts } from "../parts.ts";
import { notFound, refused } from "./checks.ts";
import { named, publicUrl } from "./route-call.ts";
import { hashOf } from "./sessions.ts";
import { hookSecretOf, look } from "./subscriptions.ts";

/** Where providers post what has happened. The token leads to the subscription; the signature is what is believed. */
export function hookRoutes(parts: Parts): readonly ModuleRoute[] {
  return [
    {
      path: "/connect/hooks/{token}",
      methods: {
        POST: {
          operationId: "Connect_hook",
          summary: "Where a provider posts the events of a trigger subscription, signed.",
          about: "connect_session:write",
          body: ["application/json", "application/x-www-form-urlencoded"],
          answers: {
            200: said("Taken, or passed over by the filter; to a challenge of the provider, its answer."),
            401: said("The signature is not the provider's."),
            404: said("No such subscription."),
            413: said("The event is too long."),
            429: said("Too many events are waiting."),
            503: said("Not now."),
          },
          handle: (request, context) => told(() => hook(parts, request, context), statuses),
        },
      },
    },
  ];
}

const statuses = {
  UNAUTHENTICATED: 401,
  NOT_FOUND: 404,
  PAYLOAD_TOO_LARGE: 413,
  RATE_LIMITED: 429,
  INVALID_ARGUMENT: 400,
} as const;

async function hook(parts: Parts, request: RouteRequest, context: RouteContext): Promise<RouteResponse> {
  const { tenant, id, secret: token } = named(request.part, "address");
  const call = await anonymousCall(tenant, "connect", context);
  const key = handleOfChild(id);
  const looked = await look(id, call);
  const { subscription, record } = looked;
  const isIt = timingSafeEqual(Buffer.from(hashOf(token)), Buffer.from(subscription.tokenHash.padEnd(43)));
  const file = parts.catalogue().triggers.get(subscription.triggerKey)?.file;
  if (!isIt || !file?.verify || subscription.status === "disabled" || record.status === "revoked")
    throw notFound("there is no such address");
  const opened = hookSecretOf(parts, looked);
  if (opened === undefined) throw refused("UNAVAILABLE", "the secret of the subscription cannot be opened");
  const body = await request.body();
  const query = request.query === "" ? "" : `?${request.query}`;
  const url = `${publicUrl(parts, request)}/connect/hooks/${request.part}${query}`;
  const asked = { body, url, header: (name: string) => request.header(name) };
  const refusal = refusalOf(file.verify, opened.secret, asked, context.clock.now());
  if (refusal !== undefined) throw refused("UNAUTHENTICATED", refusal);
  const headers = request.headers();
  const sent = parsed(body, headers["content-type"] ?? "");
  const challenge = challengeOf(file, sent, headers);
  if (challenge !== undefined) return text(200, challenge);
  const event = eventOf(file, sent, headers);
  if (passes(subscription.filter, event)) await ask(call, receiveEvent, { key, request: { id, event } });
  return text(200, "");
}

/** JSON, or a form as an object of its parameters. */
function parsed(body: Buffer, type: string): unknown {
  if (body.length > limits.triggerEventBytesMax)
    throw refused("PAYLOAD_TOO_LARGE", `the event is longer than ${limits.triggerEventBytesMax} bytes`);
  if (type.startsWith("application/x-www-form-urlencoded"))
    return Object.fromEntries(new URLSearchParams(body.toString()));
  try {
    return JSON.parse(body.toString()) as unknown;
  } catch {
    throw refused("INVALID_ARGUMENT", "the body is neither JSON nor a form");
  }
}

/** A provider that asks whether this is the right address gets its answer, and nothing else happens. */
function challengeOf(
  { challenge }: TriggerFile,
  event: unknown,
  headers: Readonly<Record<string, string>>,
): string | undefined {
  if (challenge === undefined) return undefined;
  const at = rendering("event", { event, headers });
  try {
    return evaluate(challenge.when, at) === true ? String(evaluate(challenge.answer, at)) : undefined;
  } catch (error) {
    if (error instanceof TemplateError) return undefined;
    throw error;
  }
}
