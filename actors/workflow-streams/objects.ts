import { createHmac, timingSafeEqual } from "node:crypto";
import { isRefusal, limits, type Refusal, refuse, toRfc3339 } from "#base";
import type { Context, Decision } from "#runtime";
import { isJson, unfitContent } from "./content.ts";
import { backpressure, hasCredit, overTotal } from "./credit.ts";
import { type Asked, reach } from "./reach.ts";
import { trimAfterAppend } from "./retention.ts";
import {
  type Definition,
  type Event,
  type ObjectRow,
  objectKeyRows,
  objectRows,
  type State,
  type StoredRecord,
} from "./stream.ts";

export type ObjectCommand =
  | ({ readonly type: "prepare_object"; readonly given: GivenObject } & Asked)
  | WithReceipt<"commit_object">
  | WithReceipt<"upload_object">
  | WithReceipt<"note_upload">
  | ({ readonly type: "abort_object"; readonly id: string } & Asked)
  | ({ readonly type: "find_object"; readonly id: string } & Asked)
  | { readonly type: "expire_object"; readonly id: string };

type WithReceipt<Type> = { readonly type: Type; readonly id: string; readonly receipt: string } & Asked;

/** As the contract has it. */
export interface GivenObject {
  readonly idempotency_key: string;
  readonly digest: string;
  readonly size: number;
  readonly content_type?: string;
  readonly schema?: string;
  readonly expires_in_seconds?: number;
}

/** What an upload and a download are told of an object. */
export interface FoundObject {
  readonly key: string;
  readonly size: number;
  readonly digest: string;
  readonly type: string;
}

export function prepareObject(
  state: State,
  command: Of<"prepare_object">,
  context: Context,
): Decision<Event> {
  const { given } = command;
  const type = given.content_type || "application/octet-stream";
  const refused =
    reach(state, command, "append", context) ?? closedStream(state) ?? unfitObject(state.definition!, type);
  if (refused) return refused;
  const id = context.get(objectKeyRows, [given.idempotency_key]);
  const known = id === null ? null : context.get(objectRows, [id]);
  if (known) {
    if (known.digest === given.digest && known.size === given.size)
      return { events: [], answer: objectMessage(state, known, receiptOf(state, known)) };
    return refuse("ALREADY_EXISTS", "another object was prepared with this idempotency_key", {
      extra: { object_id: known.id },
    });
  }
  if (state.head.openObjects >= limits.streamObjectsOpenMax)
    return refuse(
      "FAILED_PRECONDITION",
      `a stream has at most ${limits.streamObjectsOpenMax} objects that are not committed`,
      {
        reason: "LIMIT_REACHED",
      },
    );
  const expiryMs =
    given.expires_in_seconds === undefined ? limits.streamObjectExpiryMs : given.expires_in_seconds * 1_000;
  const object: ObjectRow = {
    id: context.newId(),
    key: given.idempotency_key,
    digest: given.digest,
    size: given.size,
    type,
    schema: given.schema ?? "",
    expiresAt: context.now + expiryMs,
    state: "prepared",
  };
  return {
    events: [{ type: "object_put", object, opens: 1 }],
    answer: objectMessage(state, object, receiptOf(state, object)),
  };
}

/** An object is stored as its digest says. What would have to be redacted is therefore no object. */
function unfitObject({ contentClasses, redaction }: Definition, type: string): Refusal | undefined {
  const unfit = unfitContent(contentClasses, type, "content_type");
  if (unfit || redaction.length === 0 || !isJson(type)) return unfit;
  return refuse(
    "FAILED_PRECONDITION",
    "the stream's redaction cannot be applied to an object: append the JSON as a record",
    { reason: "REDACTION" },
  );
}

/** Before the bytes come (`upload_object`) and when they are stored (`note_upload`). */
export function uploadObject(
  state: State,
  command: Of<"upload_object" | "note_upload">,
  context: Context,
): Decision<Event> {
  const found = withReceipt(state, command, context);
  if (isRefusal(found)) return found;
  const over = endedObject(found, context.now);
  if (over) return over;
  if (command.type === "upload_object") return { events: [], answer: foundOf(state, found) };
  if (found.state !== "prepared") return { events: [], answer: objectMessage(state, found) };
  const object: ObjectRow = { ...found, state: "uploaded" };
  return { events: [{ type: "object_put", object, opens: 0 }], answer: objectMessage(state, object) };
}

/** The record and the object become visible in one commit. */
export function commitObject(state: State, command: Of<"commit_object">, context: Context): Decision<Event> {
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
  const record: StoredRecord = {
    kind: "data",
    type,
    body: { object: { id, key, size, digest, schema } },
    size,
  };
  const chunk = { first: sequence, before: head.bytes, at: context.now, records: [record] };
  return {
    events: [
      { type: "appended", chunks: [chunk] },
      { type: "object_put", object, opens: -1 },
      ...trimAfterAppend(state, 1, size, context.now),
    ],
    answer: objectMessage(state, object),
  };
}

export function abortObject(state: State, command: Of<"abort_object">, context: Context): Decision<Event> {
  const found = rowIn(state, command, "append", context);
  if (isRefusal(found)) return found;
  if (found.state === "aborted") return { events: [], answer: objectMessage(state, found) };
  const over = found.state === "committed" ? conflict(found) : endedObject(found, context.now);
  if (over) return over;
  if (state.head.hold)
    return refuse("FAILED_PRECONDITION", "the stream is under a legal hold: no object is deleted", {
      reason: "LEGAL_HOLD",
    });
  const object: ObjectRow = { ...found, state: "aborted" };
  return { events: [{ type: "object_dropped", object }], answer: objectMessage(state, object) };
}

export function expireObject(state: State, { id }: Of<"expire_object">, context: Context): Decision<Event> {
  const found = context.get(objectRows, [id]);
  if (found === null || (found.state !== "prepared" && found.state !== "uploaded")) return { events: [] };
  if (state.head.hold)
    return { events: [{ type: "object_held", id, untilMs: context.now + limits.streamObjectHeldMs }] };
  return { events: [{ type: "object_dropped", object: { ...found, state: "expired" } }], frees: true };
}

/** Only what a record refers to that can be read. */
export function findObject(state: State, command: Of<"find_object">, context: Context): Decision<Event> {
  const found = rowIn(state, command, "read", context);
  if (isRefusal(found)) return found;
  if (found.state !== "committed" || found.sequence! <= state.head.floor) return noObject;
  return { events: [], answer: foundOf(state, found) };
}

export function storageKey(state: State, id: string): string {
  const { tenant, id: streamId } = state.definition!;
  return `streams/${tenant}/${streamId}/${id}`;
}

type Of<Type extends ObjectCommand["type"]> = Extract<ObjectCommand, { type: Type }>;

const noObject = refuse("NOT_FOUND", "the stream has no such object");

function rowIn(
  state: State,
  command: { readonly id: string } & Asked,
  act: "read" | "append",
  context: Context,
): ObjectRow | Refusal {
  return reach(state, command, act, context) ?? context.get(objectRows, [command.id]) ?? noObject;
}

function withReceipt(
  state: State,
  command: { readonly id: string; readonly receipt: string } & Asked,
  context: Context,
) {
  const found = rowIn(state, command, "append", context);
  if (isRefusal(found)) return found;
  const [given, wanted] = [Buffer.from(command.receipt), Buffer.from(receiptOf(state, found))];
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
  const { runId, id } = definition!;
  return {
    object_id: object.id,
    state: object.state,
    digest: object.digest,
    size: object.size,
    content_type: object.type,
    schema: object.schema,
    expires_at: toRfc3339(object.expiresAt),
    upload_path: `/api/workflow-streams/runs/${runId}/streams/${id}/objects/${object.id}`,
    ...(receipt !== undefined && { authorization_receipt: receipt }),
    ...(object.sequence !== undefined && { sequence: object.sequence }),
  };
}
