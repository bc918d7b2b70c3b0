import type { Address, RowWriter, StoredRow } from "#runtime";
import {
  type PoolRecord,
  type RecipientRecord,
  type RuleRecord,
  recipientStatus,
} from "../shared/pool-record.ts";
import { directoryOf } from "../shared/records/directory.ts";

export interface State {
  readonly tenant: string;
  pool: PoolRecord | undefined;
  /** Of the routing table: grows with every change of pool, recipients or rules. */
  version: number;
  /** Seals cursors; pools of version 0.1 draw theirs at their first list. */
  seal: string;
  readonly recipients: Map<string, RecipientRecord>;
  readonly rules: Map<string, RuleRecord>;
  /** Ids in order; derived, made again after a change. */
  recipientIds: readonly string[] | undefined;
  ruleIds: readonly string[] | undefined;
}

export type Event =
  | { readonly type: "created"; readonly pool: PoolRecord; readonly seal: string }
  | { readonly type: "sealed"; readonly seal: string }
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
  | { readonly type: "rule_removed"; readonly id: string; readonly version: number };

interface PoolRow {
  readonly pool: PoolRecord;
  readonly version: number;
  /** Rows of version 0.1 have another secret instead, which public ids determine. */
  readonly seal?: string;
}

export function empty(address: Address): State {
  return {
    tenant: address.tenant,
    pool: undefined,
    version: 0,
    seal: "",
    recipients: new Map(),
    rules: new Map(),
    recipientIds: undefined,
    ruleIds: undefined,
  };
}

/** Without what callers put into metadata and conditions: an activation counts that in its rows. */
export function bytesOf({ recipients, rules }: State): number {
  return recipients.size * 1_000 + rules.size * 1_000;
}

export function restore(state: State, { collection, value }: StoredRow): void {
  if (collection === "pool") {
    const row = value as PoolRow;
    state.pool = row.pool;
    state.version = row.version;
    state.seal = row.seal ?? "";
  } else if (collection === "recipients") {
    const recipient = value as RecipientRecord;
    state.recipients.set(recipient.id, recipient);
  } else if (collection === "rules") {
    const rule = value as RuleRecord;
    state.rules.set(rule.id, rule);
  }
}

export function apply(state: State, event: Event, rows: RowWriter): void {
  switch (event.type) {
    case "created":
      state.seal = event.seal;
      putPool(state, event.pool, 1, rows);
      rows.publish("pool.created", event.pool.id, {
        name: event.pool.name,
        environment: event.pool.environment,
      });
      return;
    case "sealed":
      state.seal = event.seal;
      putPool(state, state.pool!, state.version, rows);
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
      rows.put("recipients", [event.recipient.id], event.recipient);
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
      rows.delete("recipients", [event.id]);
      rows.publish("recipient.deleted", event.id, { pool_id: state.pool!.id });
      return;
    case "rule_put":
      putPool(state, state.pool!, event.version, rows);
      state.rules.set(event.rule.id, event.rule);
      state.ruleIds = undefined;
      rows.put("rules", [event.rule.id], event.rule);
      rows.publish(`rule.${event.change}`, event.rule.id, {
        pool_id: state.pool!.id,
        record_version: event.rule.recordVersion,
      });
      return;
    case "rule_removed":
      putPool(state, state.pool!, event.version, rows);
      state.rules.delete(event.id);
      state.ruleIds = undefined;
      rows.delete("rules", [event.id]);
      rows.publish("rule.deleted", event.id, { pool_id: state.pool!.id });
      return;
  }
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
  rows.put("pool", [], { pool, version, seal: state.seal });
}

function remove(state: State, rows: RowWriter): void {
  const { id } = state.pool!;
  for (const collection of ["pool", "recipients", "rules"]) rows.deletePrefix(collection, []);
  rows.send(directoryOf(state.tenant, "pool"), { type: "deleted", id });
  rows.publish("pool.deleted", id, {});
  Object.assign(state, empty({ kind: "pool", tenant: state.tenant, key: "" }));
}
