import type { EntityMethod } from "#runtime";
import { method } from "../kit/ask.ts";
import { answered, answering, recordMethods } from "../kit/methods.ts";
import type { Channel, Engine } from "../notify/outbound/types.ts";
import type { Command } from "./decide.ts";
import { channelOf, type Layout, layoutResource, type State } from "./record.ts";
import type { Event } from "./state.ts";

type Method = EntityMethod<State, Command, Event>;

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

export const methods: Readonly<Record<string, Method>> = {
  ...recordMethods(layoutResource),
  "LayoutService.ListLayouts": answered(({ channel, ...request }) => ({
    type: "list_records",
    request: { ...request, ...(channel !== undefined && { channel: channelOf(channel as string) }) },
  })),
  "LayoutService.GetLayoutUsage": one("usage"),
  "LayoutService.SetDefaultLayout": one("set_default"),
  "LayoutService.DuplicateLayout": one("duplicate"),
  [look.name]: answering(look, ({ layout_id }) => ({ type: "look", id: layout_id })),
  [pick.name]: answering(pick, ({ channel, layout_id }) => ({ type: "pick", channel, id: layout_id })),
};

function one(type: "usage" | "set_default" | "duplicate"): Method {
  return answered(({ layout_id }) => ({ type, id: layout_id as string }));
}
