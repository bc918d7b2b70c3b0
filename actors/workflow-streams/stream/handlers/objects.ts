import { createHash } from "node:crypto";
import { limits, RefusalError, refusalError } from "#base";
import type { GetObjectRequest, UploadObjectRequest } from "#protos";
import type { EffectHandlers, EffectRun } from "#runtime";
import { ask, type Method } from "../../../kit/ask.ts";
import { type CallContext, RefusedMessage, type StreamHandler } from "../../../module.ts";
import type { ObjectStore } from "../../../parts.ts";
import type { FoundObject } from "../objects.ts";
import { findObject, noteUpload, uploadObject, withRoles } from "../service.ts";

interface Named {
  readonly run_id: string;
  readonly stream_id: string;
  readonly object_id: string;
  readonly receipt?: string;
}

/** Bytes go to the store as they come; what differs from what was announced never becomes visible. */
export function uploadObjects(objects: ObjectStore): StreamHandler<UploadObjectRequest> {
  return async function* (requests, call) {
    const messages = requests[Symbol.asyncIterator]();
    const { run_id, stream_id, object_id } = soundOf((await messages.next()).value);
    if (object_id === undefined || stream_id === undefined || run_id === undefined)
      throw invalid("the first message names run_id, stream_id and object_id");
    const receipt = call.headers.get("x-object-receipt") ?? "";
    const named = { run_id, stream_id, object_id, receipt };
    const found = await askObject(call, uploadObject, named);
    await objects.put(found.key, announced(messages, found));
    yield await askObject(call, noteUpload, named);
  };
}

export function readObjects(objects: ObjectStore): StreamHandler<GetObjectRequest> {
  return async function* (requests, call) {
    const request = soundOf((await requests[Symbol.asyncIterator]().next()).value);
    const found = await askObject(call, findObject, request);
    const { start, end } = rangeOf(request, found);
    const body = await objects.get(found.key, { start, end });
    // Visible only where both are there.
    if (body === undefined) throw refusalError("NOT_FOUND", "the bytes of the object are not there");
    let head: object = { content_type: found.type, size: found.size, start, end, digest: found.digest };
    for await (const piece of body)
      for (let at = 0; at < piece.byteLength; at += limits.streamObjectPieceBytes) {
        const data = Buffer.from(piece.subarray(at, at + limits.streamObjectPieceBytes)).toString("base64");
        yield { data, ...head };
        head = {};
      }
  };
}

/** Objects of aborted, expired and pruned records. */
export function objectEffects(objects: ObjectStore): EffectHandlers {
  return {
    stream_object_delete: {
      run: async ({ body }: EffectRun<{ readonly key: string }>) => {
        await objects.delete(body.key);
        return {};
      },
    },
  };
}

async function* announced(
  messages: AsyncIterator<UploadObjectRequest | RefusedMessage>,
  { size, digest }: FoundObject,
): AsyncGenerator<Uint8Array> {
  const hash = createHash("sha256");
  let bytes = 0;
  for (let next = await messages.next(); !next.done; next = await messages.next()) {
    const { data } = soundOf(next.value);
    if (data === undefined) throw invalid("every message after the first has data");
    const piece = Buffer.from(data, "base64");
    bytes += piece.byteLength;
    if (bytes > size) throw invalid(`the object was announced with ${size} bytes, and more came`);
    hash.update(piece);
    yield piece;
  }
  if (bytes !== size) throw invalid(`the object was announced with ${size} bytes, and ${bytes} came`);
  if (hash.digest("hex") !== digest) throw invalid("the bytes do not have the announced digest");
}

function rangeOf({ start = 0, end, if_digest }: GetObjectRequest, { size, digest }: FoundObject) {
  if (if_digest !== undefined && if_digest !== digest) return { start: 0, end: size };
  const from = start < 0 ? Math.max(0, size + start) : start;
  const to = Math.min(end ?? size, size);
  if (from < to) return { start: from, end: to };
  throw refusalError(
    "RANGE_NOT_SATISFIABLE",
    `the object has ${size} bytes: there are none from ${start} on`,
    {
      extra: { size, digest },
    },
  );
}

function askObject<Response>(call: CallContext, method: Method<Named, Response>, request: Named) {
  return ask(call, method, { key: request.stream_id, request: withRoles(request, call) });
}

/** The first message is there: a call without any ends before its handler. */
function soundOf<Message>(message: Message | RefusedMessage | undefined): Message {
  if (message instanceof RefusedMessage) throw new RefusalError(message.refusal);
  if (message === undefined) throw invalid("a first message is missing");
  return message;
}

function invalid(detail: string): RefusalError {
  return refusalError("INVALID_ARGUMENT", detail);
}
