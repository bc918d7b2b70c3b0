import { handleOfChild, refusalError } from "#base";
import { ask } from "../../kit/ask.ts";
import { anonymousCall, text, told } from "../../kit/plain-route.ts";
import type { ModuleRoute, RouteContext, RouteRequest, RouteResponse } from "../../module.ts";
import { followLink } from "../methods.ts";
import { confirmPath, type Link, readLink, unsubscribePath } from "../subscribers/links.ts";

/**
 * Where the links of mails lead. Programs that look at mails follow every link in them, so a GET changes nothing: it says what a POST
 * does. The token is the credential; its audience checks it.
 */
export const linkRoutes: readonly ModuleRoute[] = [
  {
    path: `${confirmPath}/{token}`,
    summary: "Confirms that an address belongs to whom it was sent to. Once, within 7 days.",
    methods: {
      GET: said("A POST to this address confirms that the message has reached you. Nothing is changed yet."),
      POST: (request, context) => follow("confirm", request, context, "The address is confirmed."),
    },
  },
  {
    path: `${unsubscribePath}/{token}`,
    summary: "Unsubscribes from the mails of a workflow with one click (RFC 8058).",
    methods: {
      GET: said("A POST to this address unsubscribes you. Nothing is changed yet."),
      POST: (request, context) => follow("unsubscribe", request, context, "You are unsubscribed."),
    },
  },
];

function said(what: string) {
  return () => Promise.resolve(text(200, `${what}\n`));
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
