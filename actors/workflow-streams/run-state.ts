import { limits } from "#base";
import { type Address, isRowOf, type RowWriter, rowsOf, type StoredRow } from "#runtime";
import { Collection, type Counts } from "../kit/collection.ts";
import { type Directory, directoryOf } from "../kit/directory.ts";
import type { RunSignal } from "../kit/workflow-run.ts";
import type { WaitEvent } from "./input.ts";
import {
  type Definition,
  runAddress,
  type StreamCreation,
  type StreamPurge,
  streamAddress,
} from "./stream.ts";

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

export interface RunState {
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

export type RunEvent =
  | { readonly type: "stream_created"; readonly entry: StreamEntry; readonly definition: Definition }
  /** `to`: the engine's run hears of them too. */
  | { readonly type: "published"; readonly events: readonly StoredWaitEvent[]; readonly to?: Address }
  | { readonly type: "noted"; readonly tenant: string; readonly runId: string }
  | {
      readonly type: "purging";
      readonly tenant: string;
      readonly runId: string;
      readonly ids: readonly string[];
    }
  | { readonly type: "stream_removed"; readonly entry: StreamEntry }
  | { readonly type: "purged"; readonly tenant: string; readonly runId: string }
  /** The events are forgotten, or the run was active since and is looked at later. */
  | { readonly type: "rested"; readonly forget: boolean };

export const runResident = [streams.countsName, waitsRows];

export function emptyRun(): RunState {
  return { counts: new Map(), waits: { last: 0, kept: 0, activeAtMs: 0 }, heard: new Map() };
}

export function restoreRun(state: RunState, row: StoredRow): void {
  if (streams.restore(state.counts, row)) return;
  if (isRowOf(row, waitsRows)) Object.assign(state.waits, row.value);
}

export function applyRun(state: RunState, event: RunEvent, rows: RowWriter): void {
  switch (event.type) {
    case "stream_created": {
      streams.put(state.counts, null, event.entry, rows);
      const message: StreamCreation = { type: "create", definition: event.definition };
      rows.send(streamAddress(event.definition.tenant, event.definition.id), message);
      return;
    }
    case "noted": {
      const entry = { id: event.runId, name: event.runId };
      rows.send(directoryOf(event.tenant, runDirectory.kind), { type: "noted", entry });
      return;
    }
    case "purging":
      for (const id of event.ids) {
        const purge: StreamPurge = { type: "purge", tenant: event.tenant, runId: event.runId, id };
        rows.send(streamAddress(event.tenant, id), purge);
      }
      return;
    case "stream_removed":
      streams.remove(state.counts, event.entry, rows);
      return;
    case "purged":
      for (const collection of [waitsRows, eventRows, eventIdRows]) rows.deletePrefix(collection, []);
      rows.clearTimer("rest");
      Object.assign(state, emptyRun(), { counts: state.counts });
      rows.send(directoryOf(event.tenant, runDirectory.kind), { type: "deleted", id: event.runId });
      return;
    case "published":
      for (const one of event.events) publish(state, one, rows);
      if (event.to) for (const one of event.events) rows.send(event.to, signalOf(one));
      return;
    case "rested":
      if (event.forget) {
        rows.deletePrefix(eventRows, []);
        rows.deletePrefix(eventIdRows, []);
        state.waits.kept = 0;
        rows.put(waitsRows, [], { ...state.waits });
      } else rows.setTimer("rest", state.waits.activeAtMs + limits.waitEventsKeptMs);
      return;
  }
}

function signalOf({ id, key, payload }: StoredWaitEvent): RunSignal {
  return { type: "signal", event: { id, key, payload } };
}

function publish(state: RunState, event: StoredWaitEvent, rows: RowWriter): void {
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
  heard.set(heardKey(event), event.number);
}

/** An event key has no slash. */
export function heardKey({ environment = "", key }: { environment?: string; key: string }): string {
  return `${environment}/${key}`;
}
