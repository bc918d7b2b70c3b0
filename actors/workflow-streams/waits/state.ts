import { limits } from "#base";
import { type Address, isRowOf, type RowWriter, rowsOf, type StoredRow } from "#runtime";
import { Collection, type Counts } from "../../kit/collection.ts";
import { type Directory, directoryOf } from "../../kit/directory.ts";
import { applying } from "../../kit/table.ts";
import type { RunSignal } from "../../kit/workflow-run.ts";
import {
  type Definition,
  runAddress,
  type StreamCreation,
  type StreamPurge,
  streamAddress,
  type WaitEvent,
} from "../stream/record.ts";

/** A stream as its run lists it. */
export interface StreamEntry {
  readonly id: string;
  readonly name: string;
  readonly environment: string;
  readonly createdAt: number;
  /** Of its definition: the same create again is told by it. */
  readonly digest: string;
}

export const streams = new Collection<StreamEntry>({
  name: "streams",
  filters: ["environment"],
  unique: { names: ({ name }) => name },
});

/** Runs that have streams or events, for the purge of a deleted tenant. */
export const runDirectory: Directory = {
  kind: "workflow_wait",
  filters: [],
  addressOf: (tenant, id) => runAddress(tenant, id),
};

const waitsRows = rowsOf<Waits, readonly []>("waits");
export const eventRows = rowsOf<StoredWaitEvent, readonly [environment: string, key: string, number: number]>(
  "events",
);
/** The key and the number of an event, by its id. */
export const eventIdRows = rowsOf<readonly [string, number], readonly [environment: string, id: string]>(
  "event_ids",
);

export interface State {
  readonly counts: Counts;
  readonly waits: Waits;
  /** By `heardKey`: the number of the last event that came while the run is in memory. Who waits has seen those before. */
  readonly heard: Map<string, number>;
}

interface Waits {
  /** Number of the last event. */
  last: number;
  /** Events that are kept. */
  kept: number;
  activeAtMs: number;
}

export interface StoredWaitEvent extends WaitEvent {
  readonly number: number;
  readonly at: number;
}

export type Event =
  | { readonly type: "stream_created"; readonly entry: StreamEntry; readonly definition: Definition }
  /** `to`: the engine's run hears of them too. */
  | { readonly type: "published"; readonly events: readonly StoredWaitEvent[]; readonly to?: Address }
  | { readonly type: "noted"; readonly tenant: string; readonly runId: string }
  | { readonly type: "purging"; readonly purges: readonly StreamPurge[] }
  | { readonly type: "stream_removed"; readonly entry: StreamEntry }
  | { readonly type: "purged"; readonly tenant: string; readonly runId: string }
  /** The events are forgotten, or the run was active since and is looked at later. */
  | { readonly type: "rested"; readonly forget: boolean };

export const resident = [streams.countsName, waitsRows];

export function empty(): State {
  return { counts: new Map(), waits: { last: 0, kept: 0, activeAtMs: 0 }, heard: new Map() };
}

export function restore(state: State, row: StoredRow): void {
  if (streams.restore(state.counts, row)) return;
  if (isRowOf(row, waitsRows)) Object.assign(state.waits, row.value);
}

export const apply = applying<State, Event>({
  stream_created(state, { entry, definition }, rows) {
    streams.put(state.counts, null, entry, rows);
    const message: StreamCreation = { type: "create", definition };
    rows.send(streamAddress(definition.tenant, definition.id), message);
  },
  noted(_state, { runId, tenant }, rows) {
    const entry = { id: runId, name: runId };
    rows.send(directoryOf(tenant, runDirectory.kind), { type: "noted", entry });
  },
  purging(_state, { purges }, rows) {
    for (const purge of purges) rows.send(streamAddress(purge.tenant, purge.id), purge);
  },
  stream_removed: (state, { entry }, rows) => streams.remove(state.counts, entry, rows),
  purged(state, { tenant, runId }, rows) {
    for (const collection of [waitsRows, eventRows, eventIdRows]) rows.deletePrefix(collection, []);
    rows.clearTimer("rest");
    Object.assign(state, empty(), { counts: state.counts });
    rows.send(directoryOf(tenant, runDirectory.kind), { type: "deleted", id: runId });
  },
  published(state, { events, to }, rows) {
    for (const one of events) publish(state, one, rows);
    if (to) for (const one of events) rows.send(to, signalOf(one));
  },
  rested(state, { forget }, rows) {
    if (forget) {
      rows.deletePrefix(eventRows, []);
      rows.deletePrefix(eventIdRows, []);
      state.waits.kept = 0;
      rows.put(waitsRows, [], { ...state.waits });
    } else rows.setTimer("rest", state.waits.activeAtMs + limits.waitEventsKeptMs);
  },
});

function signalOf({ id, key, payload }: StoredWaitEvent): RunSignal {
  return { type: "signal", event: { id, key, payload } };
}

function publish(state: State, event: StoredWaitEvent, rows: RowWriter): void {
  const { waits, heard } = state;
  const { environment } = event;
  rows.put(eventRows, [environment, event.key, event.number], event);
  rows.put(eventIdRows, [environment, event.id], [event.key, event.number]);
  if (waits.kept === 0) rows.setTimer("rest", event.at + limits.waitEventsKeptMs);
  waits.last = event.number;
  waits.kept++;
  waits.activeAtMs = event.at;
  rows.put(waitsRows, [], { ...waits });
  // Every command that waits is looked at after each commit: what was heard before need not be kept for them.
  if (heard.size >= limits.waitKeysHeardMax) heard.clear();
  heard.set(heardKey(environment, event.key), event.number);
}

/** An event key has no slash. */
export function heardKey(environment: string | undefined, key: string): string {
  return `${environment ?? ""}/${key}`;
}
