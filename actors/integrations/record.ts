import { limits } from "#base";
import type { CreateIntegrationRequest, IntegrationRate } from "#protos";
import { type RowWriter, rowsOf } from "#runtime";
import { Collection } from "../kit/collection.ts";
import { messageOf as recordMessage } from "../kit/message.ts";
import type { Message, Stored } from "../kit/record.ts";
import type { Changed, Given, RecordState, Resource } from "../kit/resource.ts";
import {
  audienceAddresses,
  type Casing,
  type Channel,
  type IntegrationCopy,
  type IntegrationsChanged,
  type JsonObject,
  pacerAddress,
  type Rate,
} from "../notify/outbound/types.ts";
import type { PacerCommand } from "./pacer/decide.ts";

export interface Integration extends Stored {
  readonly channel: Channel;
  readonly name: string;
  readonly providerKey: string;
  readonly connectionId: string;
  readonly priority: number;
  readonly active: boolean;
  readonly condition: string;
  readonly casing: Casing;
  readonly metadata: JsonObject;
  readonly onUnknown: "hold" | "resend";
  readonly rate: Rate | null;
  /** The record version with which its rate began; 0: it has none. */
  readonly paceEpoch: number;
  /** Present: it is deleted, and kept for readers of old deliveries. */
  readonly deletedAt?: number;
}

export interface State extends RecordState {
  /** Those that have a pacer. */
  readonly paced: Set<string>;
  /** Deleted ones, oldest first. */
  readonly deleted: Deleted[];
}

interface Deleted {
  readonly at: number;
  readonly id: string;
}

/** A deleted one that is kept no longer. */
export interface OwnEvent extends Deleted {
  readonly type: "forgotten";
}

/** Those that have a pacer. */
export const pacedRows = rowsOf<true>("paced");
export const deletedRows = rowsOf<Integration>("deleted");
export const deletedIdRows = rowsOf<true, readonly [at: number, id: string]>("deleted_ids");

/** A change is answered when every audience has applied it: none of them chooses by the old one any more. */
export const integrationResource: Resource<Integration, State, OwnEvent> = {
  service: "IntegrationService",
  one: "Integration",
  many: "Integrations",
  store: new Collection<Integration>({
    filters: ["channel"],
    unique: { name: ({ channel, name }) => `${channel} ${name}` },
  }),
  most: limits.integrationsMax,
  awaitDelivery: true,
  settingsOf,
  messageOf,
  publishes: ({ channel, providerKey, recordVersion }) => ({
    channel,
    provider_key: providerKey,
    record_version: recordVersion,
  }),
  taken: ({ channel, name }) => `another integration of ${channel} is called ${name}`,
  check: ({ after }, { deleted }) =>
    after === null && deleted.length >= limits.integrationsDeletedMax
      ? [{ type: "forgotten", ...deleted[0]! }]
      : [],
  after: tell,
};

function settingsOf(given: Given<CreateIntegrationRequest>, before: Integration | null) {
  const { active = true } = given;
  const rate = given.rate ? rateOf(given.rate) : null;
  const epoch = before?.active && before.rate ? before.paceEpoch : (before?.recordVersion ?? 0) + 1;
  return {
    channel: before?.channel ?? given.channel,
    name: given.name,
    providerKey: given.provider_key,
    connectionId: given.connection_id ?? "",
    priority: given.priority ?? 100,
    active,
    condition: given.condition ?? "",
    casing: given.casing_override ?? "none",
    metadata: given.metadata ?? {},
    onUnknown: given.on_unknown ?? "hold",
    rate,
    paceEpoch: active && rate ? epoch : 0,
  } as const;
}

function rateOf({ per_second: perSecond, burst }: IntegrationRate): Rate {
  return { perSecond, burst: burst ?? Math.max(2, Math.ceil(perSecond)) };
}

const ownFields = ["casing", "rate", "paceEpoch"];

export function messageOf(record: Integration, { tenant }: State): Message {
  const { casing: casing_override, rate } = record;
  return {
    ...recordMessage(record, ownFields),
    casing_override,
    ...(rate && { rate: { per_second: rate.perSecond, burst: rate.burst } }),
    tenant_id: tenant,
  };
}

/** Audiences and the pacer learn of a change in its commit. */
function tell({ before, after }: Changed<Integration>, state: State, rows: RowWriter): void {
  const { id } = (after ?? before)!;
  const active = after?.active ? after : null;
  const message: IntegrationsChanged = {
    type: "integrations_changed",
    put: active ? [copyOf(active)] : [],
    removed: active ? [] : [id],
  };
  for (const to of audienceAddresses(state.tenant)) rows.send(to, message);
  pace(state, id, active, rows);
  if (after === null) keepDeleted(state, before!, rows);
}

/** Without a rate the pacer ends. */
function pace({ tenant, paced }: State, id: string, active: Integration | null, rows: RowWriter): void {
  const to = pacerAddress(tenant, id);
  if (active?.rate) {
    rows.send(to, { type: "paced", epoch: active.paceEpoch, ...active.rate } satisfies PacerCommand);
    paced.add(id);
    rows.put(pacedRows, [id], true);
  } else if (paced.delete(id)) {
    rows.send(to, { type: "pace_ended" } satisfies PacerCommand);
    rows.delete(pacedRows, [id]);
  }
}

function keepDeleted({ deleted }: State, record: Integration, rows: RowWriter): void {
  const { id } = record;
  const at = rows.now;
  rows.put(deletedRows, [id], { ...record, active: false, deletedAt: at });
  rows.put(deletedIdRows, [at, id], true);
  deleted.push({ at, id });
}

function copyOf(record: Integration): IntegrationCopy {
  const { active: _, updatedAt: _u, recordVersion: _v, deletedAt: _d, rate, ...copy } = record;
  return { ...copy, ...(rate && { rate }) };
}
