import { limits } from "#base";
import { type Address, isRowOf, type RowWriter, rowsOf, type StoredRow } from "#runtime";
import type { ActivationAnswer } from "../../kit/activation.ts";
import type { Governed } from "../../kit/activation-record.ts";
import { directoryOf } from "../../kit/directory.ts";
import { messageOf as contractMessageOf } from "../../kit/message.ts";
import type { Message, Owned } from "../../kit/record.ts";
import { applying } from "../../kit/table.ts";
import type { AuthType } from "../catalogue/types.ts";

export type ConfigStatus = "draft" | "active" | "disabled" | "archived";

/** What a version is of. */
export interface ConfigContent {
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly config: Message;
  readonly allowedReturnOrigins: readonly string[];
  /** Encrypted for this provider config and `credentialVersion`; empty: none. */
  readonly clientSecret: string;
  readonly credentialVersion: number;
  /** Who answers for its maker: cannot approve a promotion of it. */
  readonly owner?: string;
}

export interface ProviderConfig extends Owned, ConfigContent {
  readonly name: string;
  readonly providerKey: string;
  readonly auth: string;
  readonly authType: AuthType;
  readonly status: ConfigStatus;
  readonly version: number;
  readonly activeVersion: number;
  /** Of the key that encrypts the client secret; empty: none. */
  readonly keyId: string;
  /** Absent: no promotion has had to do with it. */
  readonly governed?: Governed;
}

export interface State {
  record?: ProviderConfig;
}

export type Event =
  | { readonly type: "put"; readonly record: ProviderConfig }
  | { readonly type: "version_put"; readonly version: number; readonly content: ConfigContent }
  | { readonly type: "external_id_taken"; readonly externalId: string; readonly connectionId: string }
  | { readonly type: "external_id_freed"; readonly externalId: string }
  /** A promotion gets its answer. */
  | { readonly type: "answered"; readonly to: Address; readonly answer: ActivationAnswer }
  | { readonly type: "purged"; readonly id: string; readonly tenant: string };

export const recordRows = rowsOf<ProviderConfig, readonly []>("record");
/** The connection that has this name. */
export const externalIds = rowsOf<string>("external-ids");
export const versions = rowsOf<ConfigContent, readonly [version: number]>("versions");

export function empty(): State {
  return {};
}

export function restore(state: State, row: StoredRow): void {
  if (isRowOf(row, recordRows)) state.record = row.value;
}

export const apply = applying<State, Event>({
  put(state, event, rows) {
    const before = state.record;
    const { record } = event;
    state.record = record;
    rows.put(recordRows, [], record);
    if (before?.version !== record.version) keepVersion(record, rows);
    if (before?.status !== record.status)
      rows.publish(`provider_config.${record.status}`, record.id, {
        provider_key: record.providerKey,
        record_version: record.recordVersion,
      });
    if (before !== undefined)
      rows.send(directoryOf(record.tenant, "provider_config"), {
        type: "changed",
        ...entryOf(record),
      });
  },
  version_put: (_state, { version, content }, rows) => rows.put(versions, [version], content),
  external_id_taken: (_state, { externalId, connectionId }, rows) =>
    rows.put(externalIds, [externalId], connectionId),
  external_id_freed: (_state, { externalId }, rows) => rows.delete(externalIds, [externalId]),
  answered: (_state, { to, answer }, rows) => rows.send(to, answer),
  purged(state, { tenant, id }, rows) {
    for (const collection of [recordRows, externalIds, versions]) rows.deletePrefix(collection, []);
    delete state.record;
    rows.send(directoryOf(tenant, "provider_config"), { type: "deleted", id });
  },
});

function keepVersion(record: ProviderConfig, rows: RowWriter): void {
  const { version } = record;
  rows.put(versions, [version], contentIn(record));
  const old = version - limits.providerConfigVersionsKept;
  if (old > 0 && old !== record.activeVersion) rows.delete(versions, [old]);
}

/** What a version keeps of the record. */
function contentIn(record: ConfigContent): ConfigContent {
  const { clientId, scopes, config, allowedReturnOrigins, clientSecret, credentialVersion, owner } = record;
  const content = { clientId, scopes, config, allowedReturnOrigins, clientSecret, credentialVersion };
  return { ...content, ...(owner !== undefined && { owner }) };
}

/** What its directory lists of it. */
export function entryOf({
  id,
  name,
  status,
  keyId: key_id,
}: Pick<ProviderConfig, "id" | "name" | "status" | "keyId">) {
  return { id, name, status, key_id };
}

export function messageOf({ tenant, ...record }: ProviderConfig): Message {
  return {
    ...contractMessageOf(record, ["authType", "clientSecret", "owner", "keyId", "governed"]),
    tenant_id: tenant,
  };
}
