import { limits } from "#base";
import { isRowOf, type RowWriter, type StoredRow } from "#runtime";
import { applying } from "../kit/table.ts";
import {
  type ConsoleSession,
  type EndReason,
  type SessionMessage,
  sessionEndedTopic,
  sessionListOf,
  sessionRows,
} from "./record.ts";

export interface State {
  session: ConsoleSession | undefined;
}

export type Event =
  | { readonly type: "started" | "changed"; readonly session: ConsoleSession }
  | { readonly type: "ended"; readonly session: ConsoleSession; readonly why: EndReason }
  | { readonly type: "forgotten" };

export const resident = [sessionRows];

export function empty(): State {
  return { session: undefined };
}

export function restore(state: State, row: StoredRow): void {
  if (isRowOf(row, sessionRows)) state.session = row.value;
}

export const apply = applying<State, Event>({
  started(state, { session }, rows) {
    put(state, session, rows);
    tell(session, { type: "started", at: session.createdAt }, rows);
  },
  changed(state, { session }, rows) {
    put(state, session, rows);
  },
  ended(state, { session, why }, rows) {
    put(state, session, rows);
    const { id, subject } = session;
    rows.broadcast(sessionEndedTopic, { id, subject });
    tell(session, { type: "ended", why }, rows);
  },
  forgotten(state, _event, rows) {
    state.session = undefined;
    rows.delete(sessionRows, []);
  },
});

function put(state: State, session: ConsoleSession, rows: RowWriter): void {
  state.session = session;
  rows.put(sessionRows, [], session);
  rows.setTimer("next", nextMs(session));
}

/** When something is to be done about it: its lease, its life or its memory is over. */
function nextMs({ state, refreshAt, expiresAt, lastSeenAt, idleMs, endedAt }: ConsoleSession): number {
  if (state === "ended") return endedAt + limits.consoleSessionEndedKeptMs;
  const endsMs = Math.min(expiresAt, lastSeenAt + idleMs);
  return state === "refreshing" ? Math.min(refreshAt, endsMs) : endsMs;
}

type Told<Message> = Message extends unknown ? Omit<Message, "id" | "principalKind" | "subject"> : never;

function tell(session: ConsoleSession, told: Told<SessionMessage>, rows: RowWriter): void {
  const { id, principalKind, subject } = session;
  rows.send(sessionListOf(session), { ...told, id, principalKind, subject });
}
