import { limits } from "#base";
import { isRowOf, type RowWriter, rowsOf, type StoredRow } from "#runtime";
import { type DirectoryMessage, directoryOf } from "../kit/directory.ts";
import { type CanaryReceipt, type CandidateNote, packAddress } from "../kit/evidence.ts";
import { applying } from "../kit/table.ts";
import { type Candidate, type Check, isOpen, type Preflight } from "./record.ts";
import { type Round, type RoundAnswer, sendRound, sendStep } from "./rounds.ts";

export interface State {
  candidate: Candidate | undefined;
  preflight: Preflight | undefined;
  /** By number, oldest first. */
  readonly checks: Map<number, Check>;
  /** The last one, also when it is over: its number is never used again. */
  round: Round | undefined;
}

export type Event =
  | { readonly type: "created"; readonly candidate: Candidate }
  /** The targets are asked, in the state that the question leaves. */
  | { readonly type: "asked"; readonly candidate: Candidate; readonly round: Round }
  | { readonly type: "told"; readonly answer: RoundAnswer }
  | {
      readonly type: "ended";
      readonly candidate: Candidate;
      /** Closed, with what its caller is told. */
      readonly round: Round;
      readonly preflight?: Preflight;
      readonly check?: Check;
      /** What the targets are told, without an answer that is awaited. */
      readonly tell?: readonly ("canary_clear" | "release")[];
    }
  | { readonly type: "timer_set"; readonly timer: string; readonly dueMs: number }
  | { readonly type: "pack_attached"; readonly candidate: Candidate }
  /** Its tenant is gone. One that is gone already says so again: its directory asks until it hears it. */
  | { readonly type: "deleted"; readonly id: string; readonly tenant: string };

const candidateRows = rowsOf<Candidate, readonly []>("candidate");
const preflightRows = rowsOf<Preflight, readonly []>("preflight");
const checkRows = rowsOf<Check, readonly [number]>("checks");
const roundRows = rowsOf<Round, readonly []>("round");

export const resident = [candidateRows, preflightRows, checkRows, roundRows];

export function empty(): State {
  return { candidate: undefined, preflight: undefined, checks: new Map(), round: undefined };
}

export function restore(state: State, row: StoredRow): void {
  if (isRowOf(row, candidateRows)) state.candidate = row.value;
  else if (isRowOf(row, preflightRows)) state.preflight = row.value;
  else if (isRowOf(row, roundRows)) state.round = row.value;
  else if (isRowOf(row, checkRows)) state.checks.set(row.value.number, row.value);
}

export const apply = applying<State, Event>({
  created: (state, { candidate }, rows) => putCandidate(state, candidate, rows),
  asked(state, { candidate, round }, rows) {
    putCandidate(state, candidate, rows);
    putRound(state, round, rows);
    sendRound(candidate, round, rows);
  },
  told(state, { answer }, rows) {
    const round = state.round!;
    const { from } = answer;
    const waiting = round.waiting.filter((id) => id !== from);
    putRound(state, { ...round, waiting, answers: [...round.answers, answer] }, rows);
  },
  ended: end,
  timer_set: (_state, { timer, dueMs }, rows) => rows.setTimer(timer, dueMs),
  pack_attached(state, { candidate }, rows) {
    putCandidate(state, candidate, rows);
    notePack(candidate, rows);
  },
  /** Its pools hear of their own end. */
  deleted(state, { id, tenant }, rows) {
    rows.send(directoryOf(tenant, "promotion"), { type: "deleted", id });
    if (state.candidate?.id !== id) return;
    for (const collection of resident) rows.deletePrefix(collection, []);
    for (const timer of ["look", "end"]) rows.clearTimer(timer);
    Object.assign(state, empty());
  },
});

function end(state: State, event: Extract<Event, { type: "ended" }>, rows: RowWriter): void {
  const { candidate, round, preflight, check, tell = [] } = event;
  const before = state.candidate!;
  putCandidate(state, candidate, rows);
  putRound(state, round, rows);
  if (preflight) {
    state.preflight = preflight;
    rows.put(preflightRows, [], preflight);
  }
  if (check) putCheck(state, check, rows);
  for (const step of tell) sendStep(candidate, step, rows);
  setTimers(before, candidate, rows);
  if (check?.trigger === "stop") giveReceipt(candidate, check, rows);
  if (isOpen(before.state) && !isOpen(candidate.state)) notePack(candidate, rows);
}

/** While the canary runs it is looked at, and it ends by itself. */
function setTimers(before: Candidate, { state, canary }: Candidate, rows: RowWriter): void {
  if (state === "canary") {
    rows.setTimer("look", rows.now + limits.promotionLookMs);
    rows.setTimer("end", canary!.endsAt);
  } else if (before.state === "canary") {
    rows.clearTimer("look");
    rows.clearTimer("end");
  }
}

function putCandidate(state: State, candidate: Candidate, rows: RowWriter): void {
  const before = state.candidate;
  if (before === candidate) return;
  state.candidate = candidate;
  rows.put(candidateRows, [], candidate);
  if (before?.state === candidate.state) return;
  const { id, tenant, environment, digest, reason } = candidate;
  const open = isOpen(candidate.state);
  const entry: DirectoryMessage = { type: "changed", id, state: candidate.state, open };
  if (before) rows.send(directoryOf(tenant, "promotion"), entry);
  rows.publish(`promotion.${candidate.state}`, id, {
    environment,
    digest,
    ...(reason !== undefined && { reason }),
  });
}

function putRound(state: State, round: Round, rows: RowWriter): void {
  state.round = round;
  rows.put(roundRows, [], round);
}

function putCheck(state: State, check: Check, rows: RowWriter): void {
  state.checks.set(check.number, check);
  rows.put(checkRows, [check.number], check);
  const [first] = state.checks.keys();
  if (state.checks.size <= limits.promotionChecksMax || first === undefined) return;
  state.checks.delete(first);
  rows.delete(checkRows, [first]);
}

/** The pack has the result of the canary as a receipt that only the service gives. */
function giveReceipt({ id, tenant, digest, packId }: Candidate, check: Check, rows: RowWriter): void {
  if (packId === undefined) return;
  const receipt: CanaryReceipt = {
    type: "canary_receipt",
    packId,
    candidateId: id,
    candidateDigest: digest,
    result: check.verdict === "pass" ? "passed" : check.verdict === "fail" ? "failed" : "blocked",
    details: { check: check.number, verdict: check.verdict, digest: check.digest },
  };
  rows.send(packAddress(tenant, packId), receipt);
}

function notePack({ id, tenant, digest, packId, state }: Candidate, rows: RowWriter): void {
  if (packId === undefined) return;
  const note: CandidateNote = {
    type: "candidate",
    packId,
    candidateId: id,
    candidateDigest: digest,
    open: isOpen(state),
  };
  rows.send(packAddress(tenant, packId), note);
}
