import { toRfc3339 } from "#base";
import { Collection } from "../kit/old-collection.ts";
import type { Message } from "../kit/record.ts";
import type { Channel, Engine } from "../notify/outbound/types.ts";

export interface Layout {
  readonly id: string;
  readonly channel: Channel;
  readonly name: string;
  readonly engine: Engine;
  readonly body: string;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export const layoutRows = new Collection<Layout>({ filters: ["channel"] });

export function layoutMessage(layout: Layout, isDefault: boolean, tenant: string): Message {
  const { channel, createdAt, updatedAt, ...rest } = layout;
  return {
    ...rest,
    channel: channelName(channel),
    is_default: isDefault,
    tenant_id: tenant,
    created_at: toRfc3339(createdAt),
    updated_at: toRfc3339(updatedAt),
  };
}

/** Layouts say `inapp`, everything else `in_app`. */
function channelName(channel: Channel): string {
  return channel === "in_app" ? "inapp" : channel;
}

export function channelOf(name: string): Channel {
  return name === "inapp" ? "in_app" : (name as Channel);
}
