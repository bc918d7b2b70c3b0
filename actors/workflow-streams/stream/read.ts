import { invalid, limits, type Refusal, refuse, toRfc3339 } from "#base";
import type { ReadRecordsRequest, ReadRecordsResponse, StreamRecord } from "#protos";
import type { Context, Decision, Range } from "#runtime";
import {
  type Asked,
  type Chunk,
  chunkRows,
  type Event,
  lastOf,
  type State,
  type StoredObject,
  type StoredRecord,
} from "./record.ts";

/** The defaults of what an interface always fills in are those of a thread that asks for its subscribers. */
export interface Read extends Asked<"read">, Partial<ReadRecordsBounds> {
  /** Set when it is first parked: how long it waits is counted from then. */
  readonly untilMs?: number;
}

type ReadRecordsBounds = Omit<ReadRecordsRequest, "run_id" | "stream_id">;

/** What the answer shows has left the gate when its caller sees it: no record is told before it is durable. */
export function read(state: State, command: Read, context: Context): Decision<Event> {
  const { head } = state;
  const asked = boundsOf(command);
  const { after } = asked;
  const refused = unreadable(state, after);
  if (refused) return refused;
  if (after === head.latest) {
    const { wait_ms = 0, untilMs = context.now + wait_ms } = command;
    if (head.closedAt !== undefined || context.expired || wait_ms === 0)
      return { events: [], answer: pageOf(state, asked, []) };
    return { park: { untilMs, command: { ...command, untilMs } } };
  }
  const chunks = chunksAfter(state, asked, context);
  // Another owner has pruned rows that this one still counts on: it was replaced, and does not know yet.
  if (chunks[0] === undefined || chunks[0].first > after + 1) return replaced;
  return { events: [], answer: pageOf(state, asked, chunks) };
}

interface Bounds {
  readonly after: number;
  readonly limit: number;
  readonly maxBytes: number;
}

function boundsOf({ after_sequence: after = 0, limit = 0, max_bytes = 0 }: Read): Bounds {
  return {
    after,
    limit: limit <= 0 ? limits.pageSizeDefault : Math.min(limit, limits.pageSizeMax),
    maxBytes: max_bytes <= 0 ? limits.streamPageBytesMax : Math.min(max_bytes, limits.streamPageBytesMax),
  };
}

export const replaced = refuse("UNAVAILABLE", "the stream has moved to another owner", {
  retryAfterMs: limits.streamLiveRetryMs,
});

/** A cursor beyond the end is a mistake, not a wish to begin again; one whose next record was pruned must be told. */
function unreadable({ head }: State, after: number): Refusal | undefined {
  const extra = { latest_sequence: head.latest };
  if (after > head.latest)
    return {
      ...invalid({
        field: "after_sequence",
        reason: `${after} is beyond the latest sequence ${head.latest}`,
      }),
      extra,
    };
  if (after >= head.floor) return undefined;
  const [requested, earliest] = [after + 1, head.floor + 1];
  return refuse("CURSOR_EXPIRED", `record ${requested} is no longer kept: the earliest one is ${earliest}`, {
    reason: "RETENTION",
    extra: {
      requested_sequence: requested,
      earliest_sequence: earliest,
      ...extra,
      resync_reason: "retention",
    },
  });
}

/** Whether a parked read has something to tell. */
export function isReadable({ head }: State, { after_sequence: after = 0 }: Read): boolean {
  return after < head.latest || head.closedAt !== undefined;
}

function chunksAfter(state: State, asked: Bounds, context: Context): readonly Chunk[] {
  const [oldest] = state.tail;
  if (oldest !== undefined && asked.after + 1 >= oldest.first)
    return state.tail.slice(state.tail.findIndex((chunk) => lastOf(chunk) > asked.after));
  return context.scan(chunkRows, rangeOf(state, asked)).map(({ value }) => value);
}

/** As many rows as the page will hold, reckoned by the average; at least the one that has the next record. */
function rangeOf({ head }: State, { after, limit, maxBytes }: Bounds): Range {
  const chunks = Math.max(1, head.chunks - head.floorChunks);
  const records = Math.max(1, (head.latest - head.floor) / chunks);
  const bytes = Math.max(1, (head.bytes - head.floorBytes) / chunks);
  const rows = Math.ceil(Math.min(limit / records, maxBytes / bytes)) + 1;
  return { from: [after + 1], limit: Math.min(rows, limits.streamPageChunksMax) };
}

function pageOf(
  { head }: State,
  { after, limit, maxBytes }: Bounds,
  chunks: readonly Chunk[],
): ReadRecordsResponse {
  const records: StreamRecord[] = [];
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

function messageOf({ kind, type, body, producer }: StoredRecord, sequence: number, at: number): StreamRecord {
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
