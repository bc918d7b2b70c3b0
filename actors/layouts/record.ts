import { limits, refuse } from "#base";
import type { CreateLayoutRequest } from "#protos";
import { type Context, rowsOf } from "#runtime";
import { Collection } from "../kit/collection.ts";
import { messageOf as recordMessage } from "../kit/message.ts";
import type { Message, Stored } from "../kit/record.ts";
import type { Given, RecordState, Resource } from "../kit/resource.ts";
import type { Channel, Engine } from "../notify/outbound/types.ts";

export interface Layout extends Stored {
  readonly channel: Channel;
  readonly name: string;
  readonly engine: Engine;
  readonly body: string;
}

export interface State extends RecordState {
  /** The id of a channel's default. */
  readonly defaults: Map<Channel, string>;
}

export type OwnEvent =
  | { readonly type: "default_set"; readonly channel: Channel; readonly id: string | null }
  /** All layouts that a workflow names, and those that it named before. */
  | {
      readonly type: "usage_put";
      readonly workflowKey: string;
      readonly before: readonly string[];
      readonly after: readonly string[];
    };

export const usageRows = rowsOf<true, readonly [layout: string, workflow: string]>("usage");

export const layoutResource: Resource<Layout, State, OwnEvent> = {
  service: "LayoutService",
  one: "Layout",
  many: "Layouts",
  store: new Collection<Layout>({ filters: ["channel"] }),
  versionField: "version",
  most: limits.layoutsMax,
  settingsOf({ name, engine, body, channel }: Given<CreateLayoutRequest>, before) {
    return { name, engine, body, channel: before?.channel ?? channelOf(channel) };
  },
  messageOf,
  publishes: ({ channel, recordVersion }) => ({ channel, version: recordVersion }),
  stale: ({ recordVersion }) =>
    refuse("VERSION_CONFLICT", `the layout has version ${recordVersion}: read it again`, {
      extra: { current_version: recordVersion },
    }),
  check({ before, after, given }, state, context) {
    if (before === null)
      return given.is_default ? [{ type: "default_set", channel: after!.channel, id: after!.id }] : [];
    if (after !== null) return [];
    const { id, channel } = before;
    const [user] = given.force ? [] : usersOf(id, 1, context);
    if (user !== undefined)
      return refuse("FAILED_PRECONDITION", `workflows name it, as ${user}: force deletes it`, {
        reason: "LAYOUT_IN_USE",
      });
    return state.defaults.get(channel) === id ? [{ type: "default_set", channel, id: null }] : [];
  },
  reads: {
    GetLayoutUsage: {
      answer({ id }, _request, _state, context) {
        const users = usersOf(id, limits.pageSizeMax + 1, context);
        const workflow_keys = users.slice(0, limits.pageSizeMax);
        return { layout_id: id, workflow_keys, more: users.length > workflow_keys.length };
      },
    },
  },
};

/** The first workflows that name a layout. */
function usersOf(id: string, limit: number, context: Context): readonly string[] {
  return context.scan(usageRows, { prefix: [id], limit }).map(({ key }) => key[1]);
}

export function messageOf(layout: Layout, { tenant, defaults }: State): Message {
  const { record_version: version, ...message } = recordMessage(layout);
  const is_default = defaults.get(layout.channel) === layout.id;
  // Layouts say `inapp`, everything else `in_app`.
  const channel = layout.channel === "in_app" ? "inapp" : layout.channel;
  return { ...message, channel, is_default, tenant_id: tenant, version };
}

export function channelOf(name: CreateLayoutRequest["channel"]): Channel {
  return name === "inapp" ? "in_app" : name;
}
