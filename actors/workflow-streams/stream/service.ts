import type { ReadRecordsResponse } from "#protos";
import { type AnyActorDefinition, defineActor, type EntityMethod } from "#runtime";
import { contractMethod, method, questionOf } from "../../kit/ask.ts";
import { takes } from "../../kit/methods.ts";
import type { Message } from "../../kit/record.ts";
import type { CallContext, Question } from "../../module.ts";
import { type CallerCommand, type Command, decide, streamMessage, wake } from "./decide.ts";
import type { FoundObject } from "./objects.ts";
import type { Read } from "./read.ts";
import {
  type Asked,
  type Event,
  type State,
  type StreamCreation,
  type StreamPurge,
  streamAddress,
} from "./record.ts";
import { apply, beforeCommit, bytesOf, empty, resident, restore } from "./state.ts";

type Method = EntityMethod<State, Command, Event>;

/** A request for one stream, with the roles that its definition may ask for. */
type Scoped = Omit<Asked<string>, "type">;

interface OfObject extends Scoped {
  readonly object_id: string;
  readonly receipt?: string;
}

const kind = "stream";

export const getStream = contractMethod<Scoped, Message>(kind, "WorkflowStreamService.GetStream");
export const readRecords = contractMethod<Omit<Read, "type">, ReadRecordsResponse>(
  kind,
  "WorkflowStreamService.ReadRecords",
);
/** Where the bytes of an object that is about to be uploaded belong. */
export const uploadObject = method<OfObject, FoundObject>(kind, "UploadObject");
/** The bytes are stored. */
export const noteUpload = method<OfObject, Message>(kind, "NoteUpload");
export const findObject = method<OfObject, FoundObject>(kind, "FindObject");

const asked = (type: CallerCommand["type"]): Method => takes<CallerCommand>(type);

/** Answered with the stream as it is then. */
const shown = (type: "get" | "close" | "hold"): Method => ({ ...asked(type), respond: streamMessage });

export const methods: Readonly<Record<string, Method>> = {
  [getStream.name]: shown("get"),
  "WorkflowStreamService.AppendRecords": asked("append"),
  // The answer to a read is made anew, and what it shares with the state is never edited.
  [readRecords.name]: { ...asked("read"), fresh: true },
  "WorkflowStreamService.PutConsumer": asked("put_consumer"),
  "WorkflowStreamService.DeleteConsumer": asked("delete_consumer"),
  "WorkflowStreamService.ListConsumers": asked("list_consumers"),
  "WorkflowStreamService.Acknowledge": asked("acknowledge"),
  "WorkflowStreamService.PrepareObject": asked("prepare_object"),
  "WorkflowStreamService.CommitObject": asked("commit_object"),
  "WorkflowStreamService.AbortObject": asked("abort_object"),
  [uploadObject.name]: asked("upload_object"),
  [noteUpload.name]: asked("note_upload"),
  [findObject.name]: asked("find_object"),
  "WorkflowStreamService.CloseStream": shown("close"),
  "WorkflowStreamService.SetLegalHold": shown("hold"),
};

export const streamActor: AnyActorDefinition = defineActor({
  kind,
  placement: "key",
  empty,
  resident,
  restore,
  bytesOf,
  decide,
  apply,
  beforeCommit,
  wake,
  methods,
  onMessage: (message: StreamCreation | StreamPurge): Command => message,
  onTimer(timerId): Command {
    if (timerId === "trim") return { type: "trim" };
    if (timerId === "purge") return { type: "purge_on" };
    return { type: "expire_object", id: timerId.slice("object.".length) };
  },
  onEffect: (): Command => ({ type: "effect_step" }),
});

/** A method of one stream: its entity is asked with the roles of the caller. */
export const streamQuestions: Readonly<Record<string, Question<Scoped>>> = Object.fromEntries(
  Object.keys(methods)
    .filter((method) => method.startsWith("WorkflowStreamService."))
    .map((method) => [
      method,
      questionOf(method, (request: Scoped, call) => ({
        to: streamAddress(call.caller.tenant, request.stream_id),
        request: withRoles(withReceipt(method, request, call), call),
      })),
    ]),
);

/** The receipt is a header, as credentials are. */
function withReceipt(method: string, request: Scoped, call: CallContext): object {
  if (method !== "WorkflowStreamService.CommitObject") return request;
  return { ...request, receipt: call.headers.get("x-object-receipt") ?? "" };
}

/** What a module does for a caller was allowed when the module took the work. */
export function withRoles<Request extends object>(request: Request, { caller, roles }: CallContext) {
  return caller.principalKind === "module" ? request : { ...request, roles };
}
