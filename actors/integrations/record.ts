import { toRfc3339 } from "#base";
import { Collection } from "../kit/old-collection.ts";
import { type Message, type Stored, stampsOf } from "../kit/record.ts";
import type { Casing, Channel, IntegrationCopy, JsonObject, Rate } from "../notify/outbound/types.ts";

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
  readonly rate?: Rate;
  /** The record version with which its rate began; 0: it has none. */
  readonly paceEpoch: number;
  /** Present: it is deleted, and kept for readers of old deliveries. */
  readonly deletedAt?: number;
}

export type IntegrationSettings = Omit<Integration, keyof Stored | "channel" | "paceEpoch" | "deletedAt">;

export const integrationRows = new Collection<Integration>({
  filters: ["channel"],
  unique: { name: ({ channel, name }) => `${channel} ${name}` },
});

/** From a request, with defaults. */
export function settingsOf(request: Message): IntegrationSettings {
  const given = request as {
    name: string;
    provider_key: string;
    connection_id?: string;
    priority?: number;
    active?: boolean;
    condition?: string;
    casing_override?: Casing;
    metadata?: JsonObject;
    rate?: { per_second: number; burst?: number };
    on_unknown?: "hold" | "resend";
  };
  const { rate } = given;
  return {
    name: given.name,
    providerKey: given.provider_key,
    connectionId: given.connection_id ?? "",
    priority: given.priority ?? 100,
    active: given.active ?? true,
    condition: given.condition ?? "",
    casing: given.casing_override ?? "none",
    metadata: given.metadata ?? {},
    onUnknown: given.on_unknown ?? "hold",
    ...(rate && {
      rate: {
        perSecond: rate.per_second,
        burst: rate.burst ?? Math.max(2, Math.ceil(rate.per_second)),
      },
    }),
  };
}

export function integrationMessage(record: Integration, tenant: string): Message {
  const { rate, deletedAt } = record;
  return {
    id: record.id,
    channel: record.channel,
    name: record.name,
    provider_key: record.providerKey,
    connection_id: record.connectionId,
    priority: record.priority,
    active: record.active,
    condition: record.condition,
    casing_override: record.casing,
    metadata: record.metadata,
    ...(rate && { rate: { per_second: rate.perSecond, burst: rate.burst } }),
    on_unknown: record.onUnknown,
    tenant_id: tenant,
    ...stampsOf(record),
    ...(deletedAt !== undefined && { deleted_at: toRfc3339(deletedAt) }),
  };
}

export function copyOf(record: Integration): IntegrationCopy {
  const { active: _, updatedAt: _u, recordVersion: _v, deletedAt: _d, ...copy } = record;
  return copy;
}
