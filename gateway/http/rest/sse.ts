import { limits, refusalError } from "#base";
import type { Call } from "../../calls/call.ts";
import { problemOf } from "../../errors/problem.ts";
import { bindRequest, orRefusal, type RestCall } from "./bind.ts";
import { EventBody, oneMessage } from "./event-body.ts";
import { type EventWriter, eventWriter } from "./event-text.ts";
import type { DoorParts } from "./raw.ts";
import type { Route } from "./routes.ts";

/** Streams as server-sent events: for every method whose option says how its answers become events. */
export function createEventDoor({ invoker, errorsUrl, refusalOf, refused }: DoorParts) {
  const writers = new WeakMap<Route, EventWriter>();

  return function serve(asked: RestCall): void {
    const { call, route, request, responder } = asked;
    let writer = writers.get(route);
    if (writer === undefined) {
      writer = eventWriter(route.method, route.method.sse!);
      writers.set(route, writer);
    }
    const message = orRefusal(() => messageOf(asked));
    if (request.method === "HEAD") {
      // Whether the stream would be opened, without opening it.
      invoker.guard(call, message).then(
        () => responder.send({ status: 200, headers: headersOf(call) }),
        (thrown: unknown) => responder.send(refused(asked, refusalOf(thrown))),
      );
      return;
    }
    const body = new EventBody(invoker.invokeStream(call, oneMessage(message)), {
      writer,
      refusalOf,
      problemOf: (refusal) => problemOf(refusal, { errorsUrl, requestId: call.requestId }),
    });
    body.open((opening) => {
      if ("refusal" in opening) responder.send(refused(asked, opening.refusal));
      else if (opening.isLast && request.headers.get("last-event-id") !== undefined) {
        // 204 is what tells an EventSource not to come again.
        void body.return();
        responder.send({ status: 204, headers: call.responseHeaders.pairs });
      } else
        responder.send({ status: 200, headers: headersOf(call), body, patienceMs: limits.ssePatienceMs });
    });
  };
}

function messageOf(asked: RestCall): Record<string, unknown> {
  const { headers } = asked.request;
  if (!accepts(headers.get("accept"))) throw notAcceptable;
  const { message } = bindRequest(asked, nothing);
  const { resume } = asked.route.method.sse!;
  const last = headers.get("last-event-id");
  // Clients come back with the address they began with, and this says where they are.
  if (resume !== undefined && last !== undefined && last !== "") message[resume] = last;
  return message;
}

const nothing = Buffer.alloc(0);
const eventType = "text/event-stream";
const notAcceptable = refusalError(
  "NOT_ACCEPTABLE",
  `this is served as ${eventType}, which Accept does not name`,
);

function accepts(accept: string | undefined): boolean {
  if (accept === undefined || accept === "") return true;
  return accept.split(",").some((one) => {
    const [type, ...parameters] = one.split(";").map((part) => part.trim().toLowerCase());
    const isAccepted = type === eventType || type === "*/*" || type === "text/*";
    return isAccepted && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}

function headersOf(call: Call) {
  const headers = call.responseHeaders.pairs;
  headers.push(["content-type", eventType], ["cache-control", "no-store"], ["x-accel-buffering", "no"]);
  return headers;
}
