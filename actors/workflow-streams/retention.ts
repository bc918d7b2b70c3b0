import { limits } from "#base";
import type { Context, Decision } from "#runtime";
import type { Event, State } from "./stream.ts";
import { type Chunk, chunkRows, lastOf } from "./stream.ts";

/** After an append of so much: when to look what is over the bounds. */
export function trimAfterAppend(
  { head, definition }: State,
  items: number,
  bytes: number,
  now: number,
): Event[] {
  if (head.hold) return [];
  const { maxAgeMs, maxRecords, maxBytes } = definition!.retention;
  const isOver =
    (maxRecords > 0 && head.latest + items - head.floor > maxRecords) ||
    (maxBytes > 0 && head.bytes + bytes - head.floorBytes > maxBytes);
  const dueMs = isOver ? now + limits.streamTrimDelayMs : maxAgeMs > 0 ? now + maxAgeMs : undefined;
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
  const { maxAgeMs } = definition.retention;
  // Of a clock that jumped a record may be from the future: the first one that gets old takes those before it along.
  const firstMs = Math.min(...chunks.map(({ at }) => at));
  const next: Event =
    chunks.length > 0 && maxAgeMs > 0
      ? { type: "trim_due", atMs: Math.max(firstMs + maxAgeMs, context.now + 1) }
      : { type: "trim_due" };
  return { events: [next] };
}

/** How far the bounds let the floor go within these chunks, the oldest that are kept. */
function floorAfter({ head, definition }: State, chunks: readonly Chunk[], now: number) {
  const { maxAgeMs, maxRecords, maxBytes } = definition!.retention;
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
        (maxRecords > 0 && head.latest - to > maxRecords) ||
        (maxBytes > 0 && head.bytes - bytes > maxBytes);
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
