import { type Address, isRowOf, type RowWriter, rowsOf, type StoredRow } from "#runtime";
import { Collection, type Counts } from "../kit/collection.ts";
import { type DirectoryMessage, directoryOf } from "../kit/directory.ts";
import { type GateAnswer, type PackChanged, promotionAddress } from "../kit/evidence.ts";
import type { GateReceipt } from "../kit/evidence-gate.ts";
import { applying } from "../kit/table.ts";
import {
  type Artifact,
  gateReceiptOf,
  type Pack,
  type PackCounts,
  packDigest,
  packKind,
  type Receipt,
  type Run,
} from "./record.ts";

export const artifacts = new Collection<Artifact>({
  name: "artifacts",
  filters: [],
  unique: { digests: ({ digest }) => digest },
});
export const receipts = new Collection<Receipt>({
  name: "receipts",
  filters: ["type"],
  order: "descending",
});
export const runs = new Collection<Run>({ name: "runs", filters: ["state"], order: "descending" });

const packRows = rowsOf<Pack, readonly []>("pack");
export const contentRows = rowsOf<unknown>("content");
const gateRows = rowsOf<GateReceipt>("gate");

export interface State {
  readonly tenant: string;
  pack: Pack | undefined;
  /** What the gate reads of every receipt, by id. */
  readonly gate: Map<string, GateReceipt>;
  readonly artifactCounts: Counts;
  readonly receiptCounts: Counts;
  readonly runCounts: Counts;
}

export type Event =
  | { readonly type: "created" | "put"; readonly pack: Pack }
  | {
      readonly type: "artifact_added";
      readonly artifact: Artifact;
      readonly content?: unknown;
      readonly now: number;
    }
  | { readonly type: "receipt_added"; readonly receipt: Receipt; readonly now: number }
  | { readonly type: "run_put"; readonly before: Run | null; readonly run: Run }
  | { readonly type: "gate_answered"; readonly to: Address; readonly answer: GateAnswer }
  | { readonly type: "purged"; readonly id: string };

export const resident = [packRows, gateRows, artifacts.countsName, receipts.countsName, runs.countsName];

export function empty({ tenant }: Address): State {
  return {
    tenant,
    pack: undefined,
    gate: new Map(),
    artifactCounts: new Map(),
    receiptCounts: new Map(),
    runCounts: new Map(),
  };
}

export function restore(state: State, row: StoredRow): void {
  if (artifacts.restore(state.artifactCounts, row)) return;
  if (receipts.restore(state.receiptCounts, row)) return;
  if (runs.restore(state.runCounts, row)) return;
  if (isRowOf(row, packRows)) state.pack = row.value;
  else if (isRowOf(row, gateRows)) state.gate.set(row.key[0], row.value);
}

/** Receipts as the gate knows them; their statements are read when they are asked for. */
export function bytesOf({ pack, gate }: State): number {
  return (pack ? 4_000 + 100 * pack.artifacts.length : 0) + 1_000 * gate.size;
}

export function countsOf(state: State): PackCounts {
  return { receipt_count: state.gate.size, open_run_count: openRuns(state) };
}

export function openRuns({ runCounts }: State): number {
  return runs.total(runCounts, { state: "pending" }) + runs.total(runCounts, { state: "running" });
}

export const apply = applying<State, Event>({
  created(state, { pack }, rows) {
    state.pack = pack;
    rows.put(packRows, [], pack);
    publish(pack, "created", rows);
  },
  put: (state, { pack }, rows) => put(state, pack, rows),
  artifact_added(state, { artifact, content, now }, rows) {
    artifacts.put(state.artifactCounts, null, artifact, rows);
    if (content !== undefined) rows.put(contentRows, [artifact.id], content);
    const pack = state.pack!;
    touch(state, { ...pack, artifacts: [...pack.artifacts, artifact.digest] }, now, rows);
  },
  receipt_added(state, { receipt, now }, rows) {
    receipts.put(state.receiptCounts, null, receipt, rows);
    const known = gateReceiptOf(receipt);
    state.gate.set(receipt.id, known);
    rows.put(gateRows, [receipt.id], known);
    touch(state, state.pack!, now, rows);
  },
  run_put: (state, { before, run }, rows) => putRun(state, before, run, rows),
  gate_answered: (_state, { to, answer }, rows) => rows.send(to, answer),
  purged: (state, { id }, rows) => purge(state, id, rows),
});

function touch(state: State, changed: Pack, now: number, rows: RowWriter): void {
  const digest = packDigest(changed, state.gate.values());
  put(state, { ...changed, digest, updatedAt: now, recordVersion: changed.recordVersion + 1 }, rows);
}

/** A promotion hears at once that what it was approved on is not what there is now. */
function put(state: State, pack: Pack, rows: RowWriter): void {
  const before = state.pack!;
  state.pack = pack;
  rows.put(packRows, [], pack);
  if (pack.state !== before.state || pack.name !== before.name) {
    const entry: DirectoryMessage = { type: "changed", id: pack.id, state: pack.state, name: pack.name };
    rows.send(directoryOf(state.tenant, packKind), entry);
  }
  if (pack.digest !== before.digest && pack.candidate?.open) {
    const changed: PackChanged = { type: "pack_changed", packId: pack.id, digest: pack.digest };
    rows.send(promotionAddress(state.tenant, pack.candidate.id), changed);
  }
  publish(pack, pack.state === "archived" && before.state === "open" ? "archived" : "changed", rows);
}

function putRun(state: State, before: Run | null, run: Run, rows: RowWriter): void {
  runs.put(state.runCounts, before, run, rows);
  const timer = `run ${run.id}`;
  if (run.leaseExpiresAt > 0) rows.setTimer(timer, run.leaseExpiresAt);
  else rows.clearTimer(timer);
  if (before?.state === run.state) return;
  const { id, environment, digest } = state.pack!;
  rows.publish(`evidence_run.${run.state}`, run.id, {
    environment,
    digest,
    pack_id: id,
    receipt_type: run.kind,
  });
}

/** Timers of runs that are still open find nothing. */
function purge(state: State, id: string, rows: RowWriter): void {
  artifacts.clear(state.artifactCounts, rows);
  receipts.clear(state.receiptCounts, rows);
  runs.clear(state.runCounts, rows);
  for (const collection of [contentRows, gateRows, packRows]) rows.deletePrefix(collection, []);
  state.gate.clear();
  state.pack = undefined;
  rows.send(directoryOf(state.tenant, packKind), { type: "deleted", id });
}

function publish({ id, environment, digest, candidate }: Pack, what: string, rows: RowWriter): void {
  rows.publish(`evidence_pack.${what}`, id, {
    environment,
    digest,
    ...(candidate && { candidate_id: candidate.id }),
  });
}
