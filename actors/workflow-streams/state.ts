import { limits } from "#base";
import { isRowOf, type RowWriter, rowsOf, type StoredRow } from "#runtime";
import { creditOf } from "./credit.ts";
import { inputMessageOf } from "./input.ts";
import { storageKey } from "./objects.ts";
import {
  type Chunk,
  type Consumer,
  chunkRows,
  type Definition,
  type Event,
  type Head,
  lastOf,
  objectKeyRows,
  objectRows,
  producerRows,
  runAddress,
  type State,
  type StreamGone,
} from "./stream.ts";

const definitionRows = rowsOf<Definition, readonly []>("definition");
const headRows = rowsOf<Head, readonly []>("head");
const consumerRows = rowsOf<Consumer>("consumers");

export const resident = [definitionRows, headRows, consumerRows];

export function empty(): State {
  return {
    head: {
      latest: 0,
      bytes: 0,
      floor: 0,
      floorBytes: 0,
      pruned: 0,
      chunks: 0,
      floorChunks: 0,
      producers: 0,
      floorObjects: [],
      openObjects: 0,
    },
    consumers: new Map(),
    tail: [],
    tailBytes: 0,
    moved: false,
  };
}

export function restore(state: State, row: StoredRow): void {
  if (isRowOf(row, definitionRows)) state.definition = row.value;
  else if (isRowOf(row, headRows)) Object.assign(state.head, row.value);
  else if (isRowOf(row, consumerRows)) state.consumers.set(row.value.id, row.value);
}

export function bytesOf({ tailBytes, consumers }: State): number {
  return 2_000 + tailBytes + consumers.size * 300;
}

export function apply(state: State, event: Event, rows: RowWriter): void {
  const { head } = state;
  switch (event.type) {
    case "created":
      state.definition = event.definition;
      rows.put(definitionRows, [], event.definition);
      state.moved = true;
      return;
    case "appended":
      for (const chunk of event.chunks) append(state, chunk, rows);
      if (event.producer) {
        rows.put(producerRows, [event.producer.id], event.producer.row);
        if (event.producer.isNew) head.producers++;
      }
      break;
    case "consumer_put":
      putConsumer(state, event, rows);
      break;
    case "consumer_deleted":
      state.consumers.delete(event.id);
      rows.delete(consumerRows, [event.id]);
      break;
    case "closed":
      head.closedAt = event.at;
      break;
    case "hold_set":
      if (event.hold) head.hold = event.hold;
      else delete head.hold;
      break;
    case "floor_moved":
      head.floor = event.to;
      head.floorBytes = event.bytes;
      head.floorChunks += event.chunks;
      head.floorObjects = [...head.floorObjects, ...event.objects];
      break;
    case "pruned":
      // Keys are the last sequences of chunks: one that reaches over the floor stays.
      rows.deleteRange(chunkRows, [0], [head.floor + 1]);
      head.pruned = head.floor;
      head.chunks -= head.floorChunks;
      head.floorChunks = 0;
      for (const [id, key] of head.floorObjects) {
        rows.delete(objectRows, [id]);
        rows.delete(objectKeyRows, [key]);
        deleteBytes(state, id, rows);
      }
      head.floorObjects = [];
      break;
    case "object_put":
      rows.put(objectRows, [event.object.id], event.object);
      head.openObjects += event.opens;
      if (event.opens === 1) {
        rows.put(objectKeyRows, [event.object.key], event.object.id);
        rows.setTimer(`object.${event.object.id}`, event.object.expiresAt);
      } else if (event.opens === -1) rows.clearTimer(`object.${event.object.id}`);
      break;
    case "object_dropped":
      rows.put(objectRows, [event.object.id], event.object);
      rows.clearTimer(`object.${event.object.id}`);
      head.openObjects--;
      deleteBytes(state, event.object.id, rows);
      deleteLateBytes(state, event.object.id, rows);
      break;
    case "object_held":
      rows.setTimer(`object.${event.id}`, event.untilMs);
      break;
    case "objects_purged":
      for (const object of event.objects) {
        const { id, key } = object;
        rows.delete(objectRows, [id]);
        rows.delete(objectKeyRows, [key]);
        rows.clearTimer(`object.${id}`);
        deleteBytes(state, id, rows);
        if (object.state === "prepared") deleteLateBytes(state, id, rows);
      }
      rows.setTimer("purge", rows.now);
      break;
    case "purged":
      purge(state, event, rows);
      return;
    case "trim_due":
      if (event.atMs === undefined) delete head.trimAtMs;
      else {
        head.trimAtMs = event.atMs;
        rows.setTimer("trim", event.atMs);
      }
      break;
  }
  state.moved = true;
}

/** The head changes with every event and is written once a commit. */
export function seal(state: State, rows: RowWriter): void {
  if (!state.moved) return;
  state.moved = false;
  rows.put(headRows, [], { ...state.head });
}

function append(state: State, chunk: Chunk, rows: RowWriter): void {
  const { head, tail } = state;
  const last = lastOf(chunk);
  rows.put(chunkRows, [last], chunk);
  head.latest = last;
  head.chunks++;
  let bytes = 0;
  for (const { size } of chunk.records) bytes += size;
  head.bytes = chunk.before + bytes;
  tail.push(chunk);
  state.tailBytes += bytes;
  while (
    tail.length > 1 &&
    (state.tailBytes > limits.streamTailBytesMax || tail.length > limits.streamTailChunksMax)
  )
    state.tailBytes -= sizeOf(tail.shift()!);
  // In the commit of the record, so that neither is there without the other.
  const input = inputMessageOf(state.definition!, chunk);
  if (input) rows.send(runAddress(state.definition!.tenant, state.definition!.runId), input);
}

function purge(
  state: State,
  { tenant, runId, id }: Extract<Event, { type: "purged" }>,
  rows: RowWriter,
): void {
  for (const collection of [...resident, producerRows, objectRows, objectKeyRows, chunkRows])
    rows.deletePrefix(collection, []);
  rows.clearTimer("trim");
  delete state.definition;
  state.consumers.clear();
  Object.assign(state, { ...empty(), consumers: state.consumers });
  const gone: StreamGone = { type: "stream_gone", id };
  rows.send(runAddress(tenant, runId), gone);
}

function deleteBytes(state: State, id: string, rows: RowWriter): void {
  const body = { key: storageKey(state, id) };
  rows.effect(`object.${id}`, { kind: "stream_object_delete", dueMs: rows.now, body });
}

/** An upload that was under way stores its bytes after they were deleted: once more, when it must be over. */
function deleteLateBytes(state: State, id: string, rows: RowWriter): void {
  const body = { key: storageKey(state, id) };
  const dueMs = rows.now + limits.streamObjectLateMs;
  rows.effect(`object.${id}.late`, { kind: "stream_object_delete", dueMs, body });
}

function sizeOf({ records }: Chunk): number {
  return records.reduce((sum, { size }) => sum + size, 0);
}

function putConsumer(
  state: State,
  { consumer, acknowledges }: Extract<Event, { type: "consumer_put" }>,
  rows: RowWriter,
): void {
  const before = creditOf(state);
  state.consumers.set(consumer.id, consumer);
  rows.put(consumerRows, [consumer.id], consumer);
  if (!acknowledges) return;
  const { head } = state;
  const drained = before.unreadItems - creditOf(state).unreadItems;
  const { perSecond, atMs } = head.drained ?? { perSecond: 0, atMs: state.definition!.createdAt };
  const seconds = Math.max(0.001, (consumer.updatedAt - atMs) / 1_000);
  // What drains in a second counts half, and what is a minute old hardly.
  const weight = 1 - 0.5 ** seconds;
  head.drained = {
    perSecond: perSecond * (1 - weight) + (drained / seconds) * weight,
    atMs: consumer.updatedAt,
  };
}
