import type { EntityMethod } from "#runtime";
import type { PageRequest } from "../kit/cursor.ts";
import { answered } from "../kit/methods.ts";
import type { Message } from "../kit/record.ts";
import type { Channel, Engine } from "../notify/outbound/types.ts";
import type { Command } from "./decide.ts";
import { channelOf } from "./record.ts";
import type { Event, State } from "./state.ts";

type Method = EntityMethod<State, Command, Event>;

export const methods: Readonly<Record<string, Method>> = {
  "LayoutService.CreateLayout": answered((request) => ({
    type: "create",
    given: {
      ...settingsOf(request),
      channel: channelOf(request.channel as string),
      isDefault: request.is_default === true,
    },
  })),
  "LayoutService.GetLayout": one("get"),
  "LayoutService.ListLayouts": answered((request) => ({
    type: "list",
    ...(request.channel !== undefined && { channel: channelOf(request.channel as string) }),
    request: request as PageRequest,
  })),
  "LayoutService.UpdateLayout": answered((request) => ({
    type: "update",
    id: idOf(request),
    version: request.version as number,
    given: settingsOf(request),
  })),
  "LayoutService.DeleteLayout": answered((request) => ({
    type: "delete",
    id: idOf(request),
    force: request.force === true,
    ...(request.version !== undefined && { version: request.version as number }),
  })),
  "LayoutService.GetLayoutUsage": one("usage"),
  "LayoutService.SetDefaultLayout": one("set_default"),
  "LayoutService.DuplicateLayout": one("duplicate"),
  /** The record itself, for what works with it at the door. */
  "Layouts.Look": one("look"),
  "Layouts.Pick": answered((request) => ({
    type: "pick",
    channel: request.channel as Channel,
    ...(request.layout_id !== undefined && { id: request.layout_id as string }),
  })),
};

function one(type: "get" | "look" | "usage" | "set_default" | "duplicate"): Method {
  return answered((request) => ({ type, id: idOf(request) }));
}

function idOf(request: Message): string {
  return request.layout_id as string;
}

function settingsOf({ name, engine, body }: Message) {
  return { name: name as string, engine: engine as Engine, body: body as string };
}
