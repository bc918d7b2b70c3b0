import { hash } from "node:crypto";
import { limits } from "#base";
import { isRowOf, type RowWriter, rowsOf, type StoredRow } from "#runtime";
import { creditOf } from "./credit.ts";
import { storageKey } from "./objects.ts";
import {
  type Chunk,
  type Consumer,
  chunkRows,
  type Definition,
  type Event,
  type Head,
  type InputMessage,
  lastOf,
  type ObjectRow,
  objectKeyRows,
  objectRows,
  producerRows,
  runAddress,
  type State,
  type StreamGone,
  type StreamPurge,
  type WaitEvent,
} from "./record.ts";

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
      for (const [id, key] of head.floorObjects) forgetObject(state, { id, key }, rows);
      head.floorObjects = [];
      break;
    case "object_put":
      putObject(state, event.object, rows);
      break;
    case "object_held":
      rows.setTimer(`object.${event.id}`, event.untilMs);
      break;
    case "objects_purged":
      for (const object of event.objects) {
        rows.clearTimer(`object.${object.id}`);
        forgetObject(state, object, rows, object.state === "prepared");
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
export function beforeCommit(state: State, rows: RowWriter): void {
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
  const events = inputIn(state.definition!, chunk);
  if (events.length === 0) return;
  const input: InputMessage = { type: "input", events };
  rows.send(runAddress(state.definition!.tenant, state.definition!.run_id), input);
}

/** What a run's waits are told of a chunk. The same record is the same event, however often it is told. */
function inputIn({ tenant, run_id, id, name, environment }: Definition, { first, records }: Chunk) {
  return records.flatMap(({ kind }, index): WaitEvent[] => {
    if (kind !== "input") return [];
    const sequence = first + index;
    const eventId = hash("sha256", [tenant, run_id, id, sequence].join("\0"), "hex");
    return [{ environment, id: eventId, key: `stream.${name}`, payload: { stream_id: id, sequence } }];
  });
}

function purge(state: State, { tenant, runId, id }: Omit<StreamPurge, "type">, rows: RowWriter): void {
  for (const collection of [...resident, producerRows, objectRows, objectKeyRows, chunkRows])
    rows.deletePrefix(collection, []);
  rows.clearTimer("trim");
  delete state.definition;
  state.consumers.clear();
  Object.assign(state, { ...empty(), consumers: state.consumers });
  const gone: StreamGone = { type: "stream_gone", id };
  rows.send(runAddress(tenant, runId), gone);
}

function putObject(state: State, object: ObjectRow, rows: RowWriter): void {
  const { id, key, expiresAt } = object;
  rows.put(objectRows, [id], object);
  if (object.state === "uploaded") return;
  if (object.state === "prepared") {
    state.head.openObjects++;
    rows.put(objectKeyRows, [key], id);
    rows.setTimer(`object.${id}`, expiresAt);
    return;
  }
  state.head.openObjects--;
  rows.clearTimer(`object.${id}`);
  if (object.state !== "committed") deleteBytes(state, id, rows, true);
}

function forgetObject(
  state: State,
  { id, key }: Pick<ObjectRow, "id" | "key">,
  rows: RowWriter,
  mayCome = false,
): void {
  rows.delete(objectRows, [id]);
  rows.delete(objectKeyRows, [key]);
  deleteBytes(state, id, rows, mayCome);
}

/** `mayCome`: an upload that is under way stores its bytes after this. They are deleted once more, when it must be over. */
function deleteBytes(state: State, id: string, rows: RowWriter, mayCome: boolean): void {
  const effect = { kind: "stream_object_delete", body: { key: storageKey(state, id) } };
  rows.effect(`object.${id}`, { ...effect, dueMs: rows.now });
  if (mayCome) rows.effect(`object.${id}.late`, { ...effect, dueMs: rows.now + limits.streamObjectLateMs });
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
