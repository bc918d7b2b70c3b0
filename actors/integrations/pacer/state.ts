import { type Address, isRowOf, type RowWriter, rowsOf, type StoredRow } from "#runtime";
import { applying } from "../../kit/table.ts";
import type { PacerGranted, PacerSlot } from "../../notify/outbound/types.ts";

export interface State {
  readonly address: Address;
  pace?: Pace;
  /** By audience, in the order of their keys. */
  readonly wants: Map<string, Wants>;
  /** The audience that was served last; forgotten when the entity leaves memory. */
  servedLast: string;
  /** Direct slots since the last one of a broadcast; forgotten too. */
  sinceBroadcast: number;
}

export interface Pace {
  readonly epoch: number;
  readonly perSecond: number;
  readonly burst: number;
  /** GCRA: when the next slot would be if all had been given at the exact rate. */
  readonly theoreticalMs: number;
}

export interface Wants {
  readonly direct: number;
  readonly broadcast: number;
}

export type Event =
  | { readonly type: "paced"; readonly pace: Pace }
  | { readonly type: "wanted"; readonly audience: string; readonly wants: Wants }
  | {
      readonly type: "granted";
      readonly theoreticalMs: number;
      readonly grants: readonly Grant[];
      /** The audience that was served last, under its stored name. */
      readonly turn: string;
      readonly sinceBroadcast: number;
    }
  /** When the next slots can be given; absent: nothing waits. */
  | { readonly type: "timed"; readonly atMs?: number }
  | { readonly type: "ended" };

export interface Grant {
  readonly audience: string;
  readonly slots: readonly PacerSlot[];
  /** What the audience wants after it. */
  readonly left: Wants;
}

const paceRows = rowsOf<Pace, readonly []>("pace");
const wantRows = rowsOf<Wants>("wants");
export const resident = [paceRows, wantRows];
const grantTimer = "grant";

export function empty(address: Address): State {
  return { address, wants: new Map(), servedLast: "", sinceBroadcast: 0 };
}

export function restore(state: State, row: StoredRow): void {
  if (isRowOf(row, paceRows)) state.pace = row.value;
  else if (isRowOf(row, wantRows)) state.wants.set(row.key[0], row.value);
}

export const apply = applying<State, Event>({
  paced: (state, { pace }, rows) => putPace(state, pace, rows),
  wanted: (state, { audience, wants }, rows) => putWants(state, audience, wants, rows),
  granted(state, { theoreticalMs, grants, turn, sinceBroadcast }, rows) {
    const { tenant, key: integrationId } = state.address;
    const { epoch } = state.pace!;
    putPace(state, { ...state.pace!, theoreticalMs }, rows);
    for (const { audience, slots, left } of grants) {
      putWants(state, audience, left, rows);
      const message: PacerGranted = { type: "pacer_granted", integrationId, epoch, slots };
      rows.send({ kind: "audience", tenant, key: audience }, message);
    }
    Object.assign(state, { servedLast: turn, sinceBroadcast });
  },
  timed(_state, { atMs }, rows) {
    if (atMs === undefined) rows.clearTimer(grantTimer);
    else rows.setTimer(grantTimer, atMs);
  },
  ended(state, _event, rows) {
    for (const collection of resident) rows.deletePrefix(collection, []);
    rows.clearTimer(grantTimer);
    delete state.pace;
    state.wants.clear();
  },
});

function putPace(state: State, pace: Pace, rows: RowWriter): void {
  state.pace = pace;
  rows.put(paceRows, [], pace);
}

function putWants(state: State, audience: string, wants: Wants, rows: RowWriter): void {
  if (wants.direct > 0 || wants.broadcast > 0) {
    state.wants.set(audience, wants);
    rows.put(wantRows, [audience], wants);
  } else if (state.wants.delete(audience)) rows.delete(wantRows, [audience]);
}
