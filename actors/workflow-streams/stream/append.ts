import { invalid, isRefusal, jsonBytes, limits, type Refusal, refuse } from "#base";
import type { NewStreamRecord } from "#protos";
import type { Context, Decision } from "#runtime";
import { isJson, unfitContent } from "./content.ts";
import { backpressure, hasCredit, overTotal } from "./credit.ts";
import { checkProducer } from "./producers.ts";
import type { Asked, Chunk, Definition, Event, State, StoredRecord } from "./record.ts";
import { Redaction } from "./redaction.ts";
import { trimAfterAppend } from "./retention.ts";

export interface Append extends Asked<"append"> {
  readonly records: readonly NewStreamRecord[];
  /** Set when it is first parked: until when it waits for credit, and how much it needs. */
  readonly blocked?: { readonly untilMs: number; readonly items: number; readonly bytes: number };
}

/**
 * All records or none. In this order: what a producer repeats, closed, content and sizes, the producer's order, expected sequences, the total
 * ceiling, the unread ceilings.
 */
export function append(state: State, command: Append, context: Context): Decision<Event> {
  const { head, definition } = state;
  const { records } = command;
  const produced = checkProducer(state, records, context);
  if (isRefusal(produced)) return produced;
  if (produced.repeated !== undefined)
    return { events: [], answer: answerOf(produced.repeated, records.length, true) };
  if (head.closedAt !== undefined)
    return refuse("STATE_CONFLICT", "the stream is closed", {
      reason: "STREAM_CLOSED",
      extra: { latest_sequence: head.latest },
    });
  const stored = storedOf(records, definition!);
  if (isRefusal(stored)) return stored;
  const refusal = produced.refusal ?? unexpected(records, head.latest);
  if (refusal) return refusal;
  const bytes = stored.reduce((sum, { size }) => sum + size, 0);
  const over = overTotal(state, stored.length, bytes);
  if (over) return over;
  if (!hasCredit(state, stored.length, bytes)) return wait(state, command, stored.length, bytes, context);
  const chunks = chunksOf(stored, head.latest + 1, head.bytes, context.now);
  const appended: Event = { type: "appended", chunks, ...(produced.next && { producer: produced.next }) };
  const events = [appended, ...trimAfterAppend(state, stored.length, bytes, context.now)];
  return { events, answer: answerOf(head.latest + 1, stored.length, false) };
}

function answerOf(first: number, count: number, duplicate: boolean) {
  return { first_sequence: first, last_sequence: first + count - 1, duplicate };
}

function wait(
  state: State,
  command: Append,
  items: number,
  bytes: number,
  context: Context,
): Decision<Event> {
  const { block_ms } = state.definition!;
  if (block_ms === 0 || context.expired) return backpressure(state, items, bytes);
  const untilMs = command.blocked?.untilMs ?? context.now + block_ms;
  return { park: { untilMs, command: { ...command, blocked: { untilMs, items, bytes } } } };
}

function unexpected(records: readonly NewStreamRecord[], latest: number): Refusal | undefined {
  const index = records.findIndex(
    ({ expected_sequence }, i) => expected_sequence !== undefined && expected_sequence !== latest + 1 + i,
  );
  if (index < 0) return undefined;
  const { expected_sequence } = records[index]!;
  const detail = `record ${index} would get sequence ${latest + 1 + index}, not ${expected_sequence}`;
  return refuse("VERSION_CONFLICT", detail, { extra: { latest_sequence: latest } });
}

function storedOf(records: readonly NewStreamRecord[], definition: Definition): StoredRecord[] | Refusal {
  const stored: StoredRecord[] = [];
  const redaction = new Redaction(definition.redaction.json_pointers);
  for (const [index, record] of records.entries()) {
    const made = storedRecord(record, definition.content_classes, redaction, index);
    if (isRefusal(made)) return made;
    stored.push(made);
  }
  return stored;
}

/** Both what was sent and what is stored are bounded: many short values that are redacted become longer. */
function storedRecord(
  { kind = "data", content_type, producer, ...given }: NewStreamRecord,
  classes: readonly string[],
  redaction: Redaction,
  index: number,
): StoredRecord | Refusal {
  const field = `records[${index}]`;
  const type = content_type || (given.bytes === undefined ? "application/json" : "application/octet-stream");
  const sent = sizeOf(given);
  const refused = unfitContent(classes, type, `${field}.content_type`) ?? tooLarge(sent, index);
  if (refused) return refused;
  const body = redacted(given, type, redaction, field);
  if (isRefusal(body)) return body;
  if (redaction.isSpent) return tooMuchToRedact(redaction);
  const size = redaction.pointers.length === 0 ? sent : Math.max(sent, sizeOf(body));
  const made: StoredRecord = { kind, type, body, size, ...(producer && { producer: { ...producer } }) };
  return tooLarge(size, index) ?? made;
}

type Content = Pick<NewStreamRecord, "bytes" | "payload">;

function sizeOf({ bytes, payload = null }: Content): number {
  return bytes === undefined ? jsonBytes(payload) : Buffer.byteLength(bytes, "base64");
}

function redacted(
  { bytes, payload = null }: Content,
  type: string,
  redaction: Redaction,
  field: string,
): { readonly payload: unknown } | { readonly bytes: string } | Refusal {
  if (bytes === undefined) return { payload: redaction.of(payload) };
  if (redaction.pointers.length === 0 || !isJson(type)) return { bytes };
  const written = redaction.ofBytes(bytes);
  if (written !== undefined) return { bytes: written };
  const reason = `is no JSON in UTF-8, as ${type} says: the stream's redaction cannot be applied`;
  return { ...invalid({ field: `${field}.bytes`, reason }), reason: "REDACTION" };
}

function tooLarge(size: number, index: number): Refusal | undefined {
  const most = limits.streamRecordBytesMax;
  if (size <= most) return undefined;
  return refuse(
    "PAYLOAD_TOO_LARGE",
    `record ${index} has ${size} bytes; at most ${most} are taken inline: use an object`,
    { fields: [{ field: `records[${index}]`, reason: `has more than ${most} bytes` }] },
  );
}

function tooMuchToRedact({ pointers }: Redaction): Refusal {
  return refuse(
    "PAYLOAD_TOO_LARGE",
    `looking for ${pointers.length} pointers in these records takes more than ${limits.streamRedactionStepsMax} steps: append fewer at once`,
    { reason: "REDACTION" },
  );
}

/** Rows of a bounded size: a reader of one record reads no more than that. */
function chunksOf(records: readonly StoredRecord[], first: number, before: number, at: number): Chunk[] {
  const chunks: Chunk[] = [];
  let from = 0;
  let start = before;
  let bytes = 0;
  for (let i = 0; i <= records.length; i++) {
    const size = records[i]?.size ?? 0;
    if (i === records.length || (i > from && bytes + size > limits.streamChunkBytesMax)) {
      if (i > from) chunks.push({ first: first + from, before: start, at, records: records.slice(from, i) });
      from = i;
      start += bytes;
      bytes = 0;
    }
    bytes += size;
  }
  return chunks;
}
