import type { EntityMethod } from "#runtime";
import { method } from "../kit/ask.ts";
import { answeredMethods, answering, recordMethods } from "../kit/methods.ts";
import type { Channel, Engine } from "../notify/outbound/types.ts";
import type { Command } from "./decide.ts";
import { channelOf, type Layout, layoutResource, type State } from "./record.ts";
import type { Event } from "./state.ts";

/** The record itself, for a preview. */
export const look = method<{ readonly layout_id: string }, Layout>("layouts", "Look");

export const pick = method<{ readonly channel: Channel; readonly layout_id?: string | undefined }, Picked>(
  "layouts",
  "Pick",
);

/** The layout of a message. */
export interface Picked {
  readonly layout: { readonly engine: Engine; readonly body: string } | null;
}

export const methods: Readonly<Record<string, EntityMethod<State, Command, Event>>> = {
  ...recordMethods(layoutResource),
  ...answeredMethods<Command>({
    "LayoutService.ListLayouts": ({ channel, ...request }) => ({
      type: "list_records",
      request: { ...request, ...(channel !== undefined && { channel: channelOf(channel) }) },
    }),
    "LayoutService.SetDefaultLayout": ({ layout_id: id }) => ({ type: "set_default", id }),
    "LayoutService.DuplicateLayout": ({ layout_id: id }) => ({ type: "duplicate", id }),
  }),
  [look.name]: answering(look, ({ layout_id: id }) => ({ type: "look", id })),
  [pick.name]: answering(pick, ({ channel, layout_id: id }) => ({ type: "pick", channel, id })),
};
