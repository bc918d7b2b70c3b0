import { isRefusal, jsonBytes, limits, type Refusal, refuse } from "#base";
import type { Context, Decision } from "#runtime";
import { isJson, redactedBytes, unfitContent } from "./content.ts";
import { backpressure, hasCredit, overTotal } from "./credit.ts";
import { checkProducer } from "./producers.ts";
import { type Asked, reach } from "./reach.ts";
import { redact } from "./redact.ts";
import { trimAfterAppend } from "./retention.ts";
import type { Chunk, Definition, Event, NewRecord, State, StoredRecord } from "./stream.ts";

export interface Append extends Asked {
  readonly type: "append";
  readonly records: readonly NewRecord[];
  /** Set when it is first parked: until when it waits for credit, and how much it needs. */
  readonly blocked?: { readonly untilMs: number; readonly items: number; readonly bytes: number };
}

/**
 * All records or none. In this order: what a producer repeats, closed, content and sizes, the producer's order, expected sequences, the total
 * ceiling, the unread ceilings.
 */
export function append(state: State, command: Append, context: Context): Decision<Event> {
  const refused = reach(state, command, "append", context);
  if (refused) return refused;
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
  const { blockMs } = state.definition!;
  if (blockMs === 0 || context.expired) return backpressure(state, items, bytes);
  const untilMs = command.blocked?.untilMs ?? context.now + blockMs;
  return { park: { untilMs, command: { ...command, blocked: { untilMs, items, bytes } } } };
}

function unexpected(records: readonly NewRecord[], latest: number): Refusal | undefined {
  const index = records.findIndex(
    ({ expected_sequence }, i) => expected_sequence !== undefined && expected_sequence !== latest + 1 + i,
  );
  if (index < 0) return undefined;
  const { expected_sequence } = records[index]!;
  return refuse(
    "VERSION_CONFLICT",
    `record ${index} would get sequence ${latest + 1 + index}, not ${expected_sequence}`,
    {
      extra: { latest_sequence: latest },
    },
  );
}

function storedOf(records: readonly NewRecord[], definition: Definition): StoredRecord[] | Refusal {
  const stored: StoredRecord[] = [];
  for (const [index, record] of records.entries()) {
    const made = storedRecord(record, definition, `records[${index}]`);
    if (isRefusal(made)) return made;
    if (made.size > limits.streamRecordBytesMax)
      return refuse(
        "PAYLOAD_TOO_LARGE",
        `record ${index} has ${made.size} bytes; at most ${limits.streamRecordBytesMax} are taken inline: use an object`,
        {
          fields: [
            { field: `records[${index}]`, reason: `has more than ${limits.streamRecordBytesMax} bytes` },
          ],
        },
      );
    stored.push(made);
  }
  return stored;
}

function storedRecord(
  record: NewRecord,
  { contentClasses, redaction }: Definition,
  field: string,
): StoredRecord | Refusal {
  const { bytes } = record;
  const type = record.content_type || (bytes === undefined ? "application/json" : "application/octet-stream");
  const unfit = unfitContent(contentClasses, type, `${field}.content_type`);
  if (unfit) return unfit;
  if (bytes === undefined) {
    const given = record.payload ?? null;
    const payload = redact(given, redaction);
    return withProducer(record, type, { payload }, sizeOf(given, payload));
  }
  const size = Buffer.byteLength(bytes, "base64");
  if (redaction.length === 0 || !isJson(type)) return withProducer(record, type, { bytes }, size);
  const redacted = redactedBytes(bytes, redaction);
  if (redacted === undefined) {
    const reason = `is no JSON in UTF-8, as ${type} says: the stream's redaction cannot be applied`;
    return refuse("INVALID_ARGUMENT", `${field}.bytes ${reason}`, {
      reason: "REDACTION",
      fields: [{ field: `${field}.bytes`, reason }],
    });
  }
  return withProducer(
    record,
    type,
    { bytes: redacted },
    Math.max(size, Buffer.byteLength(redacted, "base64")),
  );
}

/** Both what was sent and what is stored are bounded: many short values that are redacted become longer. */
function sizeOf(given: unknown, stored: unknown): number {
  return given === stored ? jsonBytes(given) : Math.max(jsonBytes(given), jsonBytes(stored));
}

function withProducer(
  { kind = "data", producer }: NewRecord,
  type: string,
  body: StoredRecord["body"],
  size: number,
): StoredRecord {
  return producer === undefined
    ? { kind, type, body, size }
    : { kind, type, body, size, producer: { ...producer } };
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
