import { createHmac, timingSafeEqual } from "node:crypto";
import { isRefusal, limits, type Refusal, refuse, toRfc3339 } from "#base";
import type { PrepareObjectRequest } from "#protos";
import type { Context, Decision } from "#runtime";
import { limitReached } from "../../kit/record.ts";
import { isJson, unfitContent } from "./content.ts";
import { backpressure, hasCredit, overTotal } from "./credit.ts";
import {
  type Asked,
  type Definition,
  type Event,
  type ObjectRow,
  objectKeyRows,
  objectRows,
  type State,
  type StoredRecord,
} from "./record.ts";
import { trimAfterAppend } from "./retention.ts";

export type ObjectCommand = PrepareObject | OfObject<"abort_object" | "find_object"> | WithReceipt;

type PrepareObject = PrepareObjectRequest & Asked<"prepare_object">;

interface OfObject<Type extends string> extends Asked<Type> {
  readonly object_id: string;
}

interface WithReceipt extends OfObject<"commit_object" | "upload_object" | "note_upload"> {
  readonly receipt?: string;
}

/** What an upload and a download are told of an object. */
export interface FoundObject {
  readonly key: string;
  readonly size: number;
  readonly digest: string;
  readonly type: string;
}

export function prepareObject(state: State, given: PrepareObject, context: Context): Decision<Event> {
  const type = given.content_type || "application/octet-stream";
  const refused = closedStream(state) ?? unfitObject(state.definition!, type);
  if (refused) return refused;
  const { digest, size, expires_in_seconds: seconds } = given;
  const id = context.get(objectKeyRows, [given.idempotency_key]);
  const known = id === null ? null : context.get(objectRows, [id]);
  if (known?.digest === digest && known.size === size)
    return { events: [], answer: objectMessage(state, known, receiptOf(state, known)) };
  if (known)
    return refuse("ALREADY_EXISTS", "another object was prepared with this idempotency_key", {
      extra: { object_id: known.id },
    });
  if (state.head.openObjects >= limits.streamObjectsOpenMax)
    return limitReached("a stream", limits.streamObjectsOpenMax, "objects that are not committed");
  const object: ObjectRow = {
    id: context.newId(),
    key: given.idempotency_key,
    digest,
    size,
    type,
    schema: given.schema ?? "",
    expiresAt: context.now + (seconds === undefined ? limits.streamObjectExpiryMs : seconds * 1_000),
    state: "prepared",
  };
  return put(state, object, receiptOf(state, object));
}

function put(state: State, object: ObjectRow, receipt?: string): Decision<Event> {
  return { events: [{ type: "object_put", object }], answer: objectMessage(state, object, receipt) };
}

/** An object is stored as its digest says. What would have to be redacted is therefore no object. */
function unfitObject({ content_classes, redaction }: Definition, type: string): Refusal | undefined {
  const unfit = unfitContent(content_classes, type, "content_type");
  if (unfit || redaction.json_pointers.length === 0 || !isJson(type)) return unfit;
  return refuse(
    "FAILED_PRECONDITION",
    "the stream's redaction cannot be applied to an object: append the JSON as a record",
    { reason: "REDACTION" },
  );
}

/** Before the bytes come (`upload_object`) and when they are stored (`note_upload`). */
export function uploadObject(state: State, command: WithReceipt, context: Context): Decision<Event> {
  const found = withReceipt(state, command, context);
  if (isRefusal(found)) return found;
  const over = endedObject(found, context.now);
  if (over) return over;
  if (command.type === "upload_object") return { events: [], answer: foundOf(state, found) };
  if (found.state !== "prepared") return { events: [], answer: objectMessage(state, found) };
  return put(state, { ...found, state: "uploaded" });
}

/** The record and the object become visible in one commit. */
export function commitObject(state: State, command: WithReceipt, context: Context): Decision<Event> {
  const found = withReceipt(state, command, context);
  if (isRefusal(found)) return found;
  if (found.state === "committed") return { events: [], answer: objectMessage(state, found) };
  const over = endedObject(found, context.now) ?? closedStream(state) ?? overTotal(state, 1, found.size);
  if (over) return over;
  if (found.state === "prepared")
    return refuse("STATE_CONFLICT", "the bytes of the object have not been uploaded", {
      reason: "OBJECT_NOT_UPLOADED",
    });
  if (!hasCredit(state, 1, found.size)) return backpressure(state, 1, found.size);
  const { head } = state;
  const sequence = head.latest + 1;
  const object: ObjectRow = { ...found, state: "committed", sequence };
  const { id, key, size, digest, schema, type } = object;
  const body = { object: { id, key, size, digest, schema } };
  const record: StoredRecord = { kind: "data", type, body, size };
  const chunk = { first: sequence, before: head.bytes, at: context.now, records: [record] };
  return {
    events: [
      { type: "appended", chunks: [chunk] },
      { type: "object_put", object },
      ...trimAfterAppend(state, 1, size, context.now),
    ],
    answer: objectMessage(state, object),
  };
}

export function abortObject(
  state: State,
  { object_id }: OfObject<string>,
  context: Context,
): Decision<Event> {
  const found = context.get(objectRows, [object_id]);
  if (found === null) return noObject;
  if (found.state === "aborted") return { events: [], answer: objectMessage(state, found) };
  const over = found.state === "committed" ? conflict(found) : endedObject(found, context.now);
  if (over) return over;
  if (state.head.hold)
    return refuse("FAILED_PRECONDITION", "the stream is under a legal hold: no object is deleted", {
      reason: "LEGAL_HOLD",
    });
  return put(state, { ...found, state: "aborted" });
}

export function expireObject({ head }: State, id: string, context: Context): Decision<Event> {
  const found = context.get(objectRows, [id]);
  if (found === null || (found.state !== "prepared" && found.state !== "uploaded")) return { events: [] };
  if (head.hold)
    return { events: [{ type: "object_held", id, untilMs: context.now + limits.streamObjectHeldMs }] };
  return { events: [{ type: "object_put", object: { ...found, state: "expired" } }], frees: true };
}

/** Only what a record refers to that can be read. */
export function findObject(state: State, { object_id }: OfObject<string>, context: Context): Decision<Event> {
  const found = context.get(objectRows, [object_id]);
  if (found?.state !== "committed" || found.sequence! <= state.head.floor) return noObject;
  return { events: [], answer: foundOf(state, found) };
}

export function storageKey(state: State, id: string): string {
  const { tenant, id: streamId } = state.definition!;
  return `streams/${tenant}/${streamId}/${id}`;
}

const noObject = refuse("NOT_FOUND", "the stream has no such object");

function withReceipt(state: State, { object_id, receipt = "" }: WithReceipt, context: Context) {
  const found = context.get(objectRows, [object_id]);
  if (found === null) return noObject;
  const [given, wanted] = [Buffer.from(receipt), Buffer.from(receiptOf(state, found))];
  if (given.length === wanted.length && timingSafeEqual(given, wanted)) return found;
  return refuse("PERMISSION_DENIED", "X-Object-Receipt is not the receipt of this object", {
    reason: "OBJECT_RECEIPT",
  });
}

function closedStream({ head }: State): Refusal | undefined {
  if (head.closedAt === undefined) return undefined;
  return refuse("STATE_CONFLICT", "the stream is closed", { reason: "STREAM_CLOSED" });
}

function endedObject(object: ObjectRow, now: number): Refusal | undefined {
  if (object.state === "aborted" || object.state === "expired") return conflict(object);
  return object.state !== "committed" && object.expiresAt <= now
    ? conflict({ ...object, state: "expired" })
    : undefined;
}

function conflict({ state, sequence }: ObjectRow): Refusal {
  return refuse("STATE_CONFLICT", `the object is ${state}`, {
    reason: `OBJECT_${state.toUpperCase()}`,
    ...(sequence !== undefined && { extra: { sequence } }),
  });
}

function receiptOf({ definition }: State, { id, digest, size, expiresAt }: ObjectRow): string {
  const { tenant, id: streamId, secret } = definition!;
  const text = JSON.stringify([tenant, streamId, id, digest, size, expiresAt]);
  return createHmac("sha256", secret).update("object\0").update(text).digest("base64url");
}

function foundOf(state: State, { id, size, digest, type }: ObjectRow): FoundObject {
  return { key: storageKey(state, id), size, digest, type };
}

function objectMessage({ definition }: State, object: ObjectRow, receipt?: string) {
  const { run_id, id } = definition!;
  return {
    object_id: object.id,
    state: object.state,
    digest: object.digest,
    size: object.size,
    content_type: object.type,
    schema: object.schema,
    expires_at: toRfc3339(object.expiresAt),
    upload_path: `/api/workflow-streams/runs/${run_id}/streams/${id}/objects/${object.id}`,
    ...(receipt !== undefined && { authorization_receipt: receipt }),
    ...(object.sequence !== undefined && { sequence: object.sequence }),
  };
}
