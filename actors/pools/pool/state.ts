import { type Address, isRowOf, type RowWriter, rowsOf, type StoredRow } from "#runtime";
import type { ActivationAnswer } from "../../kit/activation.ts";
import { directoryOf } from "../../kit/directory.ts";
import { type PoolRecord, type RecipientRecord, type RuleRecord, recipientStatus } from "../pool-record.ts";
import { type Governance, open as openGovernance, type VersionEntry, type VersionRow } from "./governance.ts";

export interface State {
  readonly tenant: string;
  pool: PoolRecord | undefined;
  /** Of the routing table: grows with every change of pool, recipients or rules. */
  version: number;
  readonly recipients: Map<string, RecipientRecord>;
  readonly rules: Map<string, RuleRecord>;
  governance: Governance;
  /** By number; their content is in rows of its own. */
  readonly versions: Map<number, VersionEntry>;
  /** Ids in order; derived, made again after a change. */
  recipientIds: readonly string[] | undefined;
  ruleIds: readonly string[] | undefined;
}

export type Event =
  | { readonly type: "created"; readonly pool: PoolRecord }
  | { readonly type: "updated"; readonly pool: PoolRecord; readonly version: number }
  | { readonly type: "deleted" }
  | { readonly type: "purged"; readonly id: string }
  | {
      readonly type: "recipient_put";
      readonly change: "created" | "updated";
      readonly recipient: RecipientRecord;
      readonly version: number;
    }
  | { readonly type: "recipient_removed"; readonly id: string; readonly version: number }
  | {
      readonly type: "rule_put";
      readonly change: "created" | "updated";
      readonly rule: RuleRecord;
      readonly version: number;
    }
  | { readonly type: "rule_removed"; readonly id: string; readonly version: number }
  | { readonly type: "version_kept"; readonly row: VersionRow; readonly forgotten: readonly number[] }
  | { readonly type: "governed"; readonly governance: Governance }
  /** A canary began, has another share, or is over. */
  | {
      readonly type: "canary_changed";
      readonly governance: Governance;
      readonly version: number;
      readonly candidateId: string;
      readonly bps: number;
    }
  /** Versions were put into force, with all that follows from them. */
  | {
      readonly type: "activated";
      readonly candidateId: string;
      readonly pool: PoolRecord;
      readonly version: number;
      /** All rules afterwards; absent: as before. */
      readonly rules?: readonly RuleRecord[];
      readonly kept: readonly VersionRow[];
      readonly forgotten: readonly number[];
      readonly governance: Governance;
      readonly digests: Readonly<Record<string, string>>;
    }
  | { readonly type: "answered"; readonly to: Address; readonly answer: ActivationAnswer };

interface PoolRow {
  readonly pool: PoolRecord;
  readonly version: number;
}

const poolRows = rowsOf<PoolRow, readonly []>("pool");
const recipientRows = rowsOf<RecipientRecord>("recipients");
const ruleRows = rowsOf<RuleRecord>("rules");
const governanceRows = rowsOf<Governance, readonly []>("governance");
const versionIndex = rowsOf<VersionEntry, readonly [version: number]>("version_index");
export const versionRows = rowsOf<VersionRow, readonly [version: number]>("versions");

export const resident = [poolRows, recipientRows, ruleRows, governanceRows, versionIndex];
const collections = [...resident, versionRows];

export function empty(address: Address): State {
  return {
    tenant: address.tenant,
    pool: undefined,
    version: 0,
    recipients: new Map(),
    rules: new Map(),
    governance: openGovernance,
    versions: new Map(),
    recipientIds: undefined,
    ruleIds: undefined,
  };
}

/** Without what callers put into metadata and conditions: an activation counts that in its rows. */
export function bytesOf({ recipients, rules, versions }: State): number {
  return (recipients.size + rules.size) * 1_000 + versions.size * 300;
}

export function restore(state: State, row: StoredRow): void {
  if (isRowOf(row, poolRows)) {
    state.pool = row.value.pool;
    state.version = row.value.version;
  } else if (isRowOf(row, recipientRows)) state.recipients.set(row.value.id, row.value);
  else if (isRowOf(row, ruleRows)) state.rules.set(row.value.id, row.value);
  else if (isRowOf(row, governanceRows)) state.governance = row.value;
  else if (isRowOf(row, versionIndex)) state.versions.set(row.value.version, row.value);
}

export function apply(state: State, event: Event, rows: RowWriter): void {
  switch (event.type) {
    case "created":
      putPool(state, event.pool, 1, rows);
      rows.publish("pool.created", event.pool.id, {
        name: event.pool.name,
        environment: event.pool.environment,
      });
      return;
    case "updated":
      putPool(state, event.pool, event.version, rows);
      rows.send(directoryOf(state.tenant, "pool"), {
        type: "changed",
        id: event.pool.id,
        name: event.pool.name,
        status: event.pool.enabled ? "STATUS_ACTIVE" : "STATUS_DISABLED",
      });
      rows.publish("pool.updated", event.pool.id, { record_version: event.pool.recordVersion });
      return;
    case "deleted":
      remove(state, rows);
      return;
    case "purged":
      rows.send(directoryOf(state.tenant, "pool"), { type: "deleted", id: event.id });
      return;
    case "recipient_put":
      putPool(state, state.pool!, event.version, rows);
      state.recipients.set(event.recipient.id, event.recipient);
      state.recipientIds = undefined;
      rows.put(recipientRows, [event.recipient.id], event.recipient);
      rows.publish(`recipient.${event.change}`, event.recipient.id, {
        pool_id: state.pool!.id,
        status: recipientStatus(event.recipient, undefined),
        record_version: event.recipient.recordVersion,
      });
      return;
    case "recipient_removed":
      putPool(state, state.pool!, event.version, rows);
      state.recipients.delete(event.id);
      state.recipientIds = undefined;
      rows.delete(recipientRows, [event.id]);
      rows.publish("recipient.deleted", event.id, { pool_id: state.pool!.id });
      return;
    case "rule_put":
      putPool(state, state.pool!, event.version, rows);
      state.rules.set(event.rule.id, event.rule);
      state.ruleIds = undefined;
      rows.put(ruleRows, [event.rule.id], event.rule);
      rows.publish(`rule.${event.change}`, event.rule.id, {
        pool_id: state.pool!.id,
        record_version: event.rule.recordVersion,
      });
      return;
    case "rule_removed":
      putPool(state, state.pool!, event.version, rows);
      state.rules.delete(event.id);
      state.ruleIds = undefined;
      rows.delete(ruleRows, [event.id]);
      rows.publish("rule.deleted", event.id, { pool_id: state.pool!.id });
      return;
    case "version_kept":
      keepVersion(state, event.row, rows);
      for (const version of event.forgotten) forgetVersion(state, version, rows);
      return;
    case "governed":
      putGovernance(state, event.governance, rows);
      return;
    case "canary_changed":
      putPool(state, state.pool!, event.version, rows);
      putGovernance(state, event.governance, rows);
      rows.publish("pool.canary_changed", state.pool!.id, {
        environment: state.pool!.environment,
        candidate_id: event.candidateId,
        share_bps: event.bps,
      });
      return;
    case "activated":
      activate(state, event, rows);
      return;
    case "answered":
      rows.send(event.to, event.answer);
      return;
  }
}

/** One event stands for all rules that changed: they are what the content says. */
function activate(state: State, event: Extract<Event, { type: "activated" }>, rows: RowWriter): void {
  const { pool, version, rules, kept, forgotten, governance, candidateId, digests } = event;
  putPool(state, pool, version, rows);
  if (rules) replaceRules(state, rules, rows);
  for (const row of kept) keepVersion(state, row, rows);
  for (const gone of forgotten) forgetVersion(state, gone, rows);
  putGovernance(state, governance, rows);
  const { id, environment } = pool;
  const kinds = Object.keys(digests);
  rows.publish("pool.activated", id, { environment, candidate_id: candidateId, kinds, digests });
}

function replaceRules(state: State, rules: readonly RuleRecord[], rows: RowWriter): void {
  const next = new Map(rules.map((rule) => [rule.id, rule]));
  for (const id of state.rules.keys()) if (!next.has(id)) rows.delete(ruleRows, [id]);
  for (const [id, rule] of next) if (state.rules.get(id) !== rule) rows.put(ruleRows, [id], rule);
  state.rules.clear();
  for (const [id, rule] of next) state.rules.set(id, rule);
  state.ruleIds = undefined;
}

function keepVersion(state: State, row: VersionRow, rows: RowWriter): void {
  const { entry } = row;
  state.versions.set(entry.version, entry);
  rows.put(versionIndex, [entry.version], entry);
  rows.put(versionRows, [entry.version], row);
}

function forgetVersion(state: State, version: number, rows: RowWriter): void {
  state.versions.delete(version);
  rows.delete(versionIndex, [version]);
  rows.delete(versionRows, [version]);
}

function putGovernance(state: State, governance: Governance, rows: RowWriter): void {
  state.governance = governance;
  rows.put(governanceRows, [], governance);
}

export function recipientIdsOf(state: State): readonly string[] {
  state.recipientIds ??= [...state.recipients.keys()].sort();
  return state.recipientIds;
}

export function ruleIdsOf(state: State): readonly string[] {
  state.ruleIds ??= [...state.rules.keys()].sort();
  return state.ruleIds;
}

function putPool(state: State, pool: PoolRecord, version: number, rows: RowWriter): void {
  state.pool = pool;
  state.version = version;
  rows.put(poolRows, [], { pool, version });
}

function remove(state: State, rows: RowWriter): void {
  const { id } = state.pool!;
  for (const collection of collections) rows.deletePrefix(collection, []);
  rows.send(directoryOf(state.tenant, "pool"), { type: "deleted", id });
  rows.publish("pool.deleted", id, {});
  Object.assign(state, empty({ kind: "pool", tenant: state.tenant, key: "" }));
}
