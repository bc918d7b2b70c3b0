import { limits, type Refusal, refuse, toRfc3339 } from "#base";
import type { Context, Decision, Range } from "#runtime";
import { type Asked, reach } from "./reach.ts";
import type { Event, State } from "./stream.ts";
import { type Chunk, chunkRows, lastOf, type StoredObject, type StoredRecord } from "./stream.ts";

export interface Read extends Asked {
  readonly type: "read";
  readonly after: number;
  readonly limit: number;
  readonly maxBytes: number;
  readonly waitMs: number;
  /** Set when it is first parked: how long it waits is counted from then. */
  readonly untilMs?: number;
}

/** As the contract has it. */
export interface RecordPage {
  readonly records: readonly RecordMessage[];
  readonly next_after_sequence: number;
  readonly latest_sequence: number;
  readonly earliest_sequence: number;
  readonly closed: boolean;
}

export interface RecordMessage {
  readonly sequence: number;
  readonly [field: string]: unknown;
}

/** What the answer shows has left the gate when its caller sees it: no record is told before it is durable. */
export function read(state: State, command: Read, context: Context): Decision<Event> {
  const refused = reach(state, command, "read", context) ?? unreadable(state, command.after);
  if (refused) return refused;
  const { head } = state;
  const { after } = command;
  if (after === head.latest) {
    if (head.closedAt !== undefined || context.expired || command.waitMs === 0)
      return { events: [], answer: pageOf(state, command, []) };
    const untilMs = command.untilMs ?? context.now + command.waitMs;
    return { park: { untilMs, command: { ...command, untilMs } } };
  }
  const chunks = chunksAfter(state, command, context);
  // Another owner has pruned rows that this one still counts on: it was replaced, and does not know yet.
  if (chunks[0] === undefined || chunks[0].first > after + 1) return replaced;
  return { events: [], answer: pageOf(state, command, chunks) };
}

export const replaced = refuse("UNAVAILABLE", "the stream has moved to another owner", {
  retryAfterMs: limits.streamLiveRetryMs,
});

/** A cursor beyond the end is a mistake, not a wish to begin again; one whose next record was pruned must be told. */
function unreadable({ head }: State, after: number): Refusal | undefined {
  if (after > head.latest)
    return refuse(
      "INVALID_ARGUMENT",
      `after_sequence ${after} is beyond the latest sequence ${head.latest}`,
      {
        fields: [{ field: "after_sequence", reason: `is beyond the latest sequence ${head.latest}` }],
        extra: { latest_sequence: head.latest },
      },
    );
  if (after >= head.floor) return undefined;
  return refuse(
    "CURSOR_EXPIRED",
    `record ${after + 1} is no longer kept: the earliest one is ${head.floor + 1}`,
    {
      reason: "RETENTION",
      extra: {
        requested_sequence: after + 1,
        earliest_sequence: head.floor + 1,
        latest_sequence: head.latest,
        resync_reason: "retention",
      },
    },
  );
}

/** Whether a parked read has something to tell. */
export function isReadable({ head }: State, { after }: Read): boolean {
  return after < head.latest || head.closedAt !== undefined;
}

function chunksAfter(state: State, command: Read, context: Context): readonly Chunk[] {
  const [oldest] = state.tail;
  if (oldest !== undefined && command.after + 1 >= oldest.first)
    return state.tail.slice(state.tail.findIndex((chunk) => lastOf(chunk) > command.after));
  return context.scan(chunkRows, rangeOf(state, command)).map(({ value }) => value);
}

/** As many rows as the page will hold, reckoned by the average; at least the one that has the next record. */
function rangeOf({ head }: State, { after, limit, maxBytes }: Read): Range {
  const chunks = Math.max(1, head.chunks - head.floorChunks);
  const records = Math.max(1, (head.latest - head.floor) / chunks);
  const bytes = Math.max(1, (head.bytes - head.floorBytes) / chunks);
  const rows = Math.ceil(Math.min(limit / records, maxBytes / bytes)) + 1;
  return { from: [after + 1], limit: Math.min(rows, limits.streamPageChunksMax) };
}

function pageOf({ head }: State, { after, limit, maxBytes }: Read, chunks: readonly Chunk[]): RecordPage {
  const records: RecordMessage[] = [];
  let bytes = 0;
  fill: for (const chunk of chunks)
    for (let i = Math.max(0, after + 1 - chunk.first); i < chunk.records.length; i++) {
      const record = chunk.records[i]!;
      bytes += record.size;
      if (records.length > 0 && (records.length >= limit || bytes > maxBytes)) break fill;
      records.push(messageOf(record, chunk.first + i, chunk.at));
    }
  return {
    records,
    next_after_sequence: records.at(-1)?.sequence ?? after,
    latest_sequence: head.latest,
    earliest_sequence: head.floor + 1,
    closed: head.closedAt !== undefined,
  };
}

function messageOf(
  { kind, type, body, producer }: StoredRecord,
  sequence: number,
  at: number,
): RecordMessage {
  return {
    sequence,
    kind,
    content_type: type,
    ...("object" in body ? { object: objectOf(body.object) } : body),
    appended_at: toRfc3339(at),
    ...(producer && { producer: { ...producer } }),
  };
}

function objectOf({ id, size, digest, schema }: StoredObject) {
  return { object_id: id, size, digest, schema };
}
