import { handleOfChild, refusalError } from "#base";
import { ask } from "../../kit/ask.ts";
import { anonymousCall, said, text, told } from "../../kit/plain-route.ts";
import type { ModuleRoute, RouteContext, RouteMethod, RouteRequest, RouteResponse } from "../../module.ts";
import { followLink } from "../methods.ts";
import { confirmPath, type Link, readLink, unsubscribePath } from "../subscribers/links.ts";

const about = "notification:write";
const over = { 404: said("No such link."), 429: said("Too many at once."), 503: said("Not now.") };

/**
 * Where the links of mails lead. Programs that look at mails follow every link in them, so a GET changes nothing: it says what a POST
 * does. The token is the credential; its audience checks it.
 */
export const linkRoutes: readonly ModuleRoute[] = [
  {
    path: `${confirmPath}/{token}`,
    methods: {
      GET: explained(
        "Links_confirmation",
        "A POST to this address confirms that the message has reached you. Nothing is changed yet.",
      ),
      POST: {
        operationId: "Links_confirm",
        summary: "Confirms that an address belongs to whom it was sent to. Once, within 7 days.",
        about,
        answers: { 200: said("Confirmed."), 410: said("Used, replaced, or over."), ...over },
        handle: (request, context) => follow("confirm", request, context, "The address is confirmed."),
      },
    },
  },
  {
    path: `${unsubscribePath}/{token}`,
    methods: {
      GET: explained(
        "Links_unsubscription",
        "A POST to this address unsubscribes you. Nothing is changed yet.",
      ),
      POST: {
        operationId: "Links_unsubscribe",
        summary: "Unsubscribes from the mails of a workflow with one click (RFC 8058).",
        about,
        answers: {
          200: said("Unsubscribed, also where it was before."),
          409: said("Too many preferences."),
          ...over,
        },
        handle: (request, context) => follow("unsubscribe", request, context, "You are unsubscribed."),
      },
    },
  },
];

function explained(operationId: string, what: string): RouteMethod {
  return {
    operationId,
    summary: "Says what a POST to the link does.",
    about,
    answers: { 200: said("What a POST does; nothing is changed.") },
    handle: () => Promise.resolve(text(200, `${what}\n`)),
  };
}

const statuses = {
  NOT_FOUND: 404,
  STATE_CONFLICT: 410,
  FAILED_PRECONDITION: 409,
  RATE_LIMITED: 429,
} as const;

function follow(
  expected: Link["type"],
  { part: token }: RouteRequest,
  context: RouteContext,
  done: string,
): Promise<RouteResponse> {
  return told(async () => {
    const link = readLink(token);
    if (link?.type !== expected) throw refusalError("NOT_FOUND", "there is nothing at this address");
    const call = await anonymousCall(link.tenant, "subscriber", context);
    await ask(call, followLink, { key: handleOfChild(link.subscriberId), request: { token, expected } });
    return text(200, `${done}\n`);
  }, statuses);
}
