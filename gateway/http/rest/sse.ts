import { limits, type Refusal, RefusalError, refuse } from "#base";
import type { Call } from "../../calls/call.ts";
import type { Invoker } from "../../calls/invoke.ts";
import { problemOf } from "../../errors/problem.ts";
import type { HttpRequest, HttpResponse, Responder } from "../server.ts";
import { bindRequest } from "./bind.ts";
import { EventBody, oneMessage } from "./event-body.ts";
import { type EventWriter, eventWriter } from "./event-text.ts";
import type { Route } from "./routes.ts";

interface EventParts {
  readonly invoker: Invoker;
  readonly errorsUrl: string;
  readonly refusalOf: (thrown: unknown) => Refusal;
  /** As problem+json. */
  readonly refused: (call: Call, request: HttpRequest, refusal: Refusal) => HttpResponse;
}

/** Streams as server-sent events: for every method whose option says how its answers become events. */
export function createEventDoor(parts: EventParts) {
  const writers = new WeakMap<Route, EventWriter>();

  return function serve(
    call: Call,
    route: Route,
    request: HttpRequest,
    values: readonly string[],
    responder: Responder,
  ): void {
    let writer = writers.get(route);
    if (writer === undefined) {
      writer = eventWriter(route.method, route.method.sse!);
      writers.set(route, writer);
    }
    const message = messageOf(route, request, values);
    if (request.method === "HEAD") {
      head(call, request, message, responder);
      return;
    }
    const { errorsUrl, refusalOf } = parts;
    const body = new EventBody(parts.invoker.invokeStream(call, oneMessage(message)), {
      writer,
      refusalOf,
      problemOf: (refusal) => problemOf(refusal, { errorsUrl, requestId: call.requestId }),
    });
    body.open((opening) => {
      if ("refusal" in opening) responder.send(parts.refused(call, request, opening.refusal));
      else if (opening.isLast && request.headers.get("last-event-id") !== undefined) {
        // 204 is what tells an EventSource not to come again.
        void body.return();
        responder.send({ status: 204, headers: call.responseHeaders.pairs });
      } else responder.send(streamed(call, body));
    });
  };

  /** Whether the stream would be opened, without opening it. */
  function head(
    call: Call,
    request: HttpRequest,
    message: Record<string, unknown> | RefusalError,
    responder: Responder,
  ): void {
    parts.invoker.guard(call, message).then(
      () => responder.send({ status: 200, headers: headersOf(call) }),
      (thrown: unknown) => responder.send(parts.refused(call, request, parts.refusalOf(thrown))),
    );
  }
}

/** What cannot be read is handed on as its refusal: the pipeline judges the caller first. */
function messageOf(
  route: Route,
  request: HttpRequest,
  values: readonly string[],
): Record<string, unknown> | RefusalError {
  if (!accepts(request.headers.get("accept"))) return notAcceptable;
  try {
    const { message } = bindRequest(route, request, values, nothing);
    const { resume } = route.method.sse!;
    const last = request.headers.get("last-event-id");
    // Clients come back with the address they began with, and this says where they are.
    if (resume !== undefined && last !== undefined && last !== "") message[resume] = last;
    return message;
  } catch (thrown) {
    if (thrown instanceof RefusalError) return thrown;
    throw thrown;
  }
}

const nothing = Buffer.alloc(0);
const eventType = "text/event-stream";
const notAcceptable = new RefusalError(
  refuse("NOT_ACCEPTABLE", `this is served as ${eventType}, which Accept does not name`),
);

function accepts(accept: string | undefined): boolean {
  if (accept === undefined || accept === "") return true;
  return accept.split(",").some((one) => {
    const [type, ...parameters] = one.split(";").map((part) => part.trim().toLowerCase());
    const isAccepted = type === eventType || type === "*/*" || type === "text/*";
    return isAccepted && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}

function streamed(call: Call, body: EventBody): HttpResponse {
  return { status: 200, headers: headersOf(call), body, patienceMs: limits.ssePatienceMs };
}

function headersOf(call: Call) {
  const headers = call.responseHeaders.pairs;
  headers.push(["content-type", eventType], ["cache-control", "no-store"], ["x-accel-buffering", "no"]);
  return headers;
}
