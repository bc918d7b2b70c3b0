import { limits } from "#base";
import type { Context, Decision } from "#runtime";
import {
  type Chunk,
  chunkRows,
  type Event,
  lastOf,
  objectRows,
  type State,
  type StreamPurge,
} from "./record.ts";

/** After an append of so much: when to look what is over the bounds. */
export function trimAfterAppend(
  { head, definition }: State,
  items: number,
  bytes: number,
  now: number,
): Event[] {
  if (head.hold) return [];
  const { max_age_seconds, max_records, max_bytes } = definition!.retention;
  const isOver =
    (max_records > 0 && head.latest + items - head.floor > max_records) ||
    (max_bytes > 0 && head.bytes + bytes - head.floorBytes > max_bytes);
  const agesMs = max_age_seconds > 0 ? now + max_age_seconds * 1_000 : undefined;
  const dueMs = isOver ? now + limits.streamTrimDelayMs : agesMs;
  if (dueMs === undefined || (head.trimAtMs !== undefined && head.trimAtMs <= dueMs)) return [];
  return [{ type: "trim_due", atMs: dueMs }];
}

/**
 * One step of pruning. First the floor moves, in a commit of its own: readers below it are told `gone`. Only the next step
 * deletes what lies under it. A legal hold stops it between any two steps.
 */
export function trim(state: State, context: Context): Decision<Event> {
  const { head, definition } = state;
  if (definition === undefined || head.hold) return { events: [{ type: "trim_due" }] };
  const again: Event = { type: "trim_due", atMs: context.now };
  if (head.pruned < head.floor) return { events: [{ type: "pruned" }, again], frees: true };
  const range = { from: [head.floor + 1], limit: limits.streamTrimChunksMax };
  const chunks = context.scan(chunkRows, range).map(({ value }) => value);
  const floor = floorAfter(state, chunks, context.now);
  if (floor.to > head.floor) return { events: [{ type: "floor_moved", ...floor }, again], frees: true };
  const maxAgeMs = definition.retention.max_age_seconds * 1_000;
  // Of a clock that jumped a record may be from the future: the first one that gets old takes those before it along.
  const firstMs = Math.min(...chunks.map(({ at }) => at));
  const ages = chunks.length > 0 && maxAgeMs > 0;
  const next = ages && { atMs: Math.max(firstMs + maxAgeMs, context.now + 1) };
  return { events: [{ type: "trim_due", ...next }] };
}

/** How far the bounds let the floor go within these chunks, the oldest that are kept. */
function floorAfter({ head, definition }: State, chunks: readonly Chunk[], now: number) {
  const { max_age_seconds, max_records, max_bytes } = definition!.retention;
  const maxAgeMs = max_age_seconds * 1_000;
  let to = head.floor;
  let bytes = head.floorBytes;
  let passed = 0;
  const objects: [string, string][] = [];
  const lastOld = maxAgeMs > 0 ? chunks.findLastIndex(({ at }) => now - at >= maxAgeMs) : -1;
  for (const [index, chunk] of chunks.entries()) {
    const isOld = index <= lastOld;
    for (let i = Math.max(0, to + 1 - chunk.first); i < chunk.records.length; i++) {
      const isOver =
        isOld ||
        (max_records > 0 && head.latest - to > max_records) ||
        (max_bytes > 0 && head.bytes - bytes > max_bytes);
      if (!isOver) return { to, bytes, chunks: passed, objects };
      to = chunk.first + i;
      const { body } = chunk.records[i]!;
      if ("object" in body) objects.push([body.object.id, body.object.key]);
      bytes += chunk.records[i]!.size;
    }
    if (to === lastOf(chunk)) passed++;
  }
  return { to, bytes, chunks: passed, objects };
}

/** Of a deleted tenant: objects first, some at a time, then all rows. A stream with a legal hold stays, and is asked again later. */
export function purge(
  { definition, head }: State,
  { tenant, runId, id }: StreamPurge,
  context: Context,
): Decision<Event> {
  if (definition && head.hold) return { events: [] };
  const found = definition ? context.scan(objectRows, { limit: limits.purgeStepMax }) : [];
  if (found.length === 0) return { events: [{ type: "purged", tenant, runId, id }], frees: true };
  const objects = found.map(({ value }) => value);
  return { events: [{ type: "objects_purged", objects }], frees: true };
}

export function purgeOn(state: State, context: Context): Decision<Event> {
  if (!state.definition) return { events: [] };
  const { tenant, run_id: runId, id } = state.definition;
  return purge(state, { type: "purge", tenant, runId, id }, context);
}
