import { hash, randomUUID } from "node:crypto";
import { isRefusal, limits, type Refusal, RefusalError, refuse } from "#base";
import type { EntityMethod } from "#runtime";
import { ask, contractMethod, method, questionOf, tryAsk } from "../kit/ask.ts";
import { checkEnvironment } from "../kit/environment.ts";
import type { PageRequest } from "../kit/list.ts";
import { answered, answering } from "../kit/methods.ts";
import type { Message } from "../kit/record.ts";
import { getRun, signalRun } from "../kit/workflow-run.ts";
import type { CallContext, Orchestration, Question } from "../module.ts";
import type { Access } from "../parts.ts";
import { type Command, streamMessage } from "./decide.ts";
import type { CreateRequest } from "./definition.ts";
import type { FoundObject, GivenObject } from "./objects.ts";
import type { Asked } from "./reach.ts";
import type { RecordPage } from "./read.ts";
import type { RunCommand } from "./run-decide.ts";
import type { RunEvent, RunState } from "./run-state.ts";
import type { Event, NewRecord, State } from "./stream.ts";
import { moduleCaller, streamAddress } from "./stream.ts";

type Method = EntityMethod<State, Command, Event>;

/** A request for one stream, with the roles that its definition may ask for. */
interface Scoped {
  readonly run_id: string;
  readonly stream_id: string;
  readonly roles?: readonly string[];
}

const getStream = contractMethod<Scoped, Message>("stream", "WorkflowStreamService.GetStream");
export const readRecords = contractMethod<Scoped & ReadRequest, RecordPage>(
  "stream",
  "WorkflowStreamService.ReadRecords",
);
/** Where the bytes of an object that is about to be uploaded belong. */
export const uploadObject = method<Scoped & OfObject, FoundObject>("stream", "UploadObject");
/** The bytes are stored. */
export const noteUpload = method<Scoped & OfObject, Message>("stream", "NoteUpload");
export const findObject = method<Scoped & OfObject, FoundObject>("stream", "FindObject");

export const addStream = method<CreateRequest, { readonly id: string }>("workflow_wait", "AddStream");
export const awaitEvent = method<AwaitRequest, Message>("workflow_wait", "AwaitEvent");
export const addEvent = method<PublishRequest, Message>("workflow_wait", "AddEvent");

/** The answer to a read is made anew, and what it shares with the state is never edited. */
const fresh = { fresh: true };

export const methods: Readonly<Record<string, Method>> = {
  [getStream.name]: shown((request) => ({ type: "get", ...request })),
  "WorkflowStreamService.AppendRecords": scoped<{ records: NewRecord[] }>((asked, { records }) => ({
    type: "append",
    ...asked,
    records,
  })),
  [readRecords.name]: {
    ...fresh,
    ...scoped<ReadRequest>((asked, request) => ({ type: "read", ...asked, ...readOf(request) })),
  },
  "WorkflowStreamService.PutConsumer": scoped<OfConsumer>((asked, { consumer_id: id }) => ({
    type: "put_consumer",
    ...asked,
    id,
  })),
  "WorkflowStreamService.DeleteConsumer": scoped<OfConsumer>((asked, { consumer_id: id }) => ({
    type: "delete_consumer",
    ...asked,
    id,
  })),
  "WorkflowStreamService.ListConsumers": scoped<PageRequest>((asked, request) => ({
    type: "list_consumers",
    ...asked,
    request,
  })),
  "WorkflowStreamService.Acknowledge": scoped<OfConsumer & { sequence?: number }>(
    (asked, { consumer_id: id, sequence = 0 }) => ({ type: "acknowledge", ...asked, id, sequence }),
  ),
  "WorkflowStreamService.PrepareObject": scoped<GivenObject>((asked, given) => ({
    type: "prepare_object",
    ...asked,
    given,
  })),
  "WorkflowStreamService.CommitObject": withObject("commit_object"),
  "WorkflowStreamService.AbortObject": scoped<OfObject>((asked, { object_id: id }) => ({
    type: "abort_object",
    ...asked,
    id,
  })),
  [uploadObject.name]: withObject("upload_object"),
  [noteUpload.name]: withObject("note_upload"),
  [findObject.name]: scoped<OfObject>((asked, { object_id: id }) => ({
    type: "find_object",
    ...asked,
    id,
  })),
  "WorkflowStreamService.CloseStream": shown((asked) => ({ type: "close", ...asked })),
  "WorkflowStreamService.SetLegalHold": shown<{ held?: boolean; reason?: string; reference?: string }>(
    (asked, { held = false, reason = "", reference = "" }) => ({
      type: "hold",
      ...asked,
      held,
      reason,
      reference,
    }),
  ),
};

interface OfObject {
  readonly object_id: string;
  readonly receipt?: string;
}

function withObject<Type extends "commit_object" | "upload_object" | "note_upload">(type: Type) {
  return scoped<OfObject>((asked, { object_id: id, receipt = "" }) => ({ type, ...asked, id, receipt }));
}

interface OfConsumer {
  readonly consumer_id: string;
}

interface ReadRequest {
  readonly after_sequence?: number;
  readonly limit?: number;
  readonly max_bytes?: number;
  readonly wait_ms?: number;
}

function readOf({ after_sequence: after = 0, limit = 0, max_bytes = 0, wait_ms: waitMs = 0 }: ReadRequest) {
  return {
    after,
    limit: limit <= 0 ? limits.pageSizeDefault : Math.min(limit, limits.pageSizeMax),
    maxBytes: max_bytes <= 0 ? limits.streamPageBytesMax : Math.min(max_bytes, limits.streamPageBytesMax),
    waitMs,
  };
}

function scoped<Request>(command: (asked: Asked, request: Request) => Command): Method {
  return answered((request: Scoped & Request) => command(askedOf(request), request));
}

/** Answered with the stream as it is then. */
function shown<Request>(command: (asked: Asked, request: Request) => Command): Method {
  return {
    command: (request) => command(askedOf(request as Scoped), request as Request),
    respond: (state) => streamMessage(state),
  };
}

function askedOf({ run_id: runId, roles }: Scoped): Asked {
  return roles === undefined ? { runId } : { runId, roles };
}

export const runMethods: Readonly<Record<string, EntityMethod<RunState, RunCommand, RunEvent>>> = {
  [addStream.name]: answering(addStream, (request) => ({ type: "create_stream", request })),
  "WorkflowStreamService.ListStreams": answered((request: PageRequest) => ({
    type: "list_streams",
    request,
  })),
  [awaitEvent.name]: answering(awaitEvent, awaitOf),
  [addEvent.name]: answering(addEvent, publishOf),
};

/** Both the engine's run, where there is one, and the waits of the run hear of it. The engine's may refuse it. */
export const publishEvent: Orchestration = async (request, call) => {
  const published = request as PublishRequest & { readonly run_id: string };
  const { run_id: runId, event_id: given = "" } = published;
  const environment = await environmentOfRun(runId, call);
  const event = { ...published, event_id: given || eventIdOf(call) };
  if (environment !== undefined) {
    const heard = await tryAsk(call, signalRun, { key: runId, request: event, step: "/run" });
    if (isRefusal(heard) && heard.code !== "NOT_FOUND") throw new RefusalError(heard);
  }
  return ask(call, addEvent, {
    key: runId,
    request: { ...event, ...environmentIn(environment) },
    step: "/waits",
  });
};

export const waitForEvent: Orchestration = async (request, call) => {
  const wait = request as AwaitRequest & { readonly run_id: string };
  const environment = await environmentOfRun(wait.run_id, call);
  return ask(call, awaitEvent, { key: wait.run_id, request: { ...wait, ...environmentIn(environment) } });
};

/** A repeat of the request is the same event. */
function eventIdOf({ idempotency }: CallContext): string {
  return idempotency === undefined ? randomUUID() : hash("sha256", idempotency.scope, "hex");
}

function awaitOf({ event_key, after_event_id = "", wait_ms = 0, environment }: AwaitRequest): RunCommand {
  const named = environmentIn(environment);
  return { type: "wait", key: event_key, afterId: after_event_id, waitMs: wait_ms, ...named };
}

function environmentIn(environment: string | undefined) {
  return environment === undefined ? {} : { environment };
}

interface AwaitRequest {
  readonly event_key: string;
  readonly after_event_id?: string;
  readonly wait_ms?: number;
  readonly environment?: string;
}

function publishOf(request: PublishRequest): RunCommand | Refusal {
  const { event_key: key, event_id: id = "", payload = null, environment } = request;
  if (Buffer.byteLength(JSON.stringify(payload)) > limits.streamRecordBytesMax)
    return refuse("PAYLOAD_TOO_LARGE", `payload may have at most ${limits.streamRecordBytesMax} bytes`, {
      fields: [{ field: "payload", reason: `has more than ${limits.streamRecordBytesMax} bytes` }],
    });
  return { type: "publish", event: { id, key, payload }, ...environmentIn(environment) };
}

interface PublishRequest {
  readonly event_key: string;
  readonly event_id?: string;
  readonly payload?: unknown;
  /** Of the engine's run, where there is one. */
  readonly environment?: string;
}

/** A method of one stream: its entity is asked with the roles of the caller. */
export const streamQuestions: Readonly<Record<string, Question>> = Object.fromEntries(
  Object.keys(methods)
    .filter((method) => method.startsWith("WorkflowStreamService."))
    .map((method) => [
      method,
      questionOf(method, (request, call) => ({
        to: streamAddress(call.caller.tenant, (request as Scoped).stream_id),
        request: withRoles(withReceipt(method, request as object, call), call),
      })),
    ]),
);

/** The receipt is a header, as credentials are. */
function withReceipt(method: string, request: object, call: CallContext): object {
  if (method !== "WorkflowStreamService.CommitObject") return request;
  return { ...request, receipt: call.headers.get("x-object-receipt") ?? "" };
}

/** What a module does for a caller was allowed when the module took the work. */
export function withRoles<Request extends object>(request: Request, { caller, roles }: CallContext) {
  return caller.principalKind === "module" ? request : { ...request, roles };
}

/** The run keeps the name; the stream answers. */
export const createStream =
  (access: Access): Orchestration =>
  async (request, call) => {
    const given = request as CreateRequest;
    const { run_id, authorization = {} } = given;
    const unknown = unknownRole(authorization, access);
    if (unknown) throw new RefusalError(unknown);
    const environment = await environmentOfRun(run_id, call);
    const { id } = await ask(call, addStream, {
      key: run_id,
      request: { ...given, ...environmentIn(environment) },
      step: "create",
    });
    const made = await tryAsk(call, getStream, { key: id, request: { run_id, stream_id: id } });
    if (!isRefusal(made)) return made.response;
    // A repeat of a creation whose message to the stream is still under way.
    if (made.code === "NOT_FOUND") throw new RefusalError(beingMade);
    throw new RefusalError(made);
  };

/** No caller could ever hold it: the stream would be closed to all. */
function unknownRole(
  authorization: NonNullable<CreateRequest["authorization"]>,
  access: Access,
): Refusal | undefined {
  for (const [list, names] of Object.entries(authorization))
    for (const [index, name] of names.entries()) {
      if (access.isRole(name)) continue;
      const field = `authorization.${list}[${index}]`;
      const reason = `${name} is not a role of this service`;
      return refuse("INVALID_ARGUMENT", `${field} ${reason}`, { fields: [{ field, reason }] });
    }
  return undefined;
}

/** Of the run, where there is one: whatever the caller's headers say, it must be one that the caller may see. */
async function environmentOfRun(runId: string, call: CallContext): Promise<string | undefined> {
  const question = { key: runId, request: { run_id: runId } };
  const found = await tryAsk({ ...call, caller: moduleCaller(call.caller) }, getRun, question);
  if (isRefusal(found)) {
    if (found.code === "NOT_FOUND") return undefined;
    throw new RefusalError(found);
  }
  const { environment } = found.response;
  const hidden = checkEnvironment(environment, call.caller);
  if (hidden) throw new RefusalError(hidden);
  return environment;
}

const beingMade = refuse("UNAVAILABLE", "the stream is being made: ask again", {
  retryAfterMs: limits.retryAfterMs,
});
