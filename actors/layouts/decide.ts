import { isRefusal, limits } from "#base";
import type { Context, Decision } from "#runtime";
import { createRecord, decideRecord, findRecord, type RecordCommand } from "../kit/decide.ts";
import type { Message } from "../kit/record.ts";
import type { Channel, LayoutsUsed } from "../notify/outbound/types.ts";
import { type Layout, layoutResource, messageOf, type State } from "./record.ts";
import { type Event, usersRows } from "./state.ts";

export type Command =
  | RecordCommand
  | LayoutsUsed
  /** The layout that a message gets: the named one, else the default, else none. */
  | { readonly type: "pick"; readonly channel: Channel; readonly id?: string | undefined }
  | OneCommand;

interface OneCommand {
  readonly type: "look" | "set_default" | "duplicate";
  readonly id: string;
}

export function decide(state: State, command: Command, context: Context): Decision<Event> {
  switch (command.type) {
    case "layouts_used":
      return used(command, context);
    case "create_record":
      return create(state, command.given, context);
    case "pick":
      return pick(state, command, context);
    case "look":
    case "set_default":
    case "duplicate":
      return decideOne(state, command, context);
    default:
      return decideRecord(layoutResource, state, command, context);
  }
}

function decideOne(state: State, { type, id }: OneCommand, context: Context): Decision<Event> {
  const layout = findRecord(layoutResource, state, id, context);
  if (isRefusal(layout)) return layout;
  switch (type) {
    case "look":
      return { events: [], answer: layout };
    case "set_default":
      return setDefault(state, layout, context);
    case "duplicate": {
      const suffix = " (copy)";
      const name = `${layout.name.slice(0, limits.layoutNameLengthMax - suffix.length)}${suffix}`;
      return create(state, { ...messageOf(layout, state), name, is_default: false }, context);
    }
  }
}

function create(state: State, given: Message, context: Context): Decision<Event> {
  const made = createRecord(layoutResource, state, given, context);
  if (isRefusal(made) || !given.is_default || !("answer" in made)) return made;
  return { ...made, answer: { ...(made.answer as Message), is_default: true } };
}

/** Both layouts change: the one that is the default now, and the one that was. */
function setDefault(state: State, layout: Layout, context: Context): Decision<Event> {
  const { channel, id } = layout;
  const beforeId = state.defaults.get(channel);
  if (beforeId === id) return { events: [], answer: messageOf(layout, state) };
  const before = beforeId === undefined ? null : layoutResource.store.find(state.records, beforeId, context);
  const events: Event[] = [{ type: "default_set", channel, id }];
  if (before) events.push(touched(before, context));
  const changed = touched(layout, context);
  events.push(changed);
  return { events, answer: { ...messageOf(changed.after, state), is_default: true } };
}

/** Its next version, with the same settings. */
function touched(before: Layout, { now }: Context) {
  const after = { ...before, updatedAt: now, recordVersion: before.recordVersion + 1 };
  return { type: "record_changed" as const, before, after };
}

function pick(
  state: State,
  { channel, id }: Extract<Command, { type: "pick" }>,
  context: Context,
): Decision<Event> {
  const find = (one: string | undefined) =>
    one === undefined ? null : layoutResource.store.find(state.records, one, context);
  const named = find(id);
  const defaultId = state.defaults.get(channel);
  const found = named?.channel === channel || defaultId === undefined ? named : find(defaultId);
  const layout = found?.channel === channel ? { engine: found.engine, body: found.body } : null;
  return { events: [], answer: { layout } };
}

function used({ workflowKey, layoutIds }: LayoutsUsed, context: Context): Decision<Event> {
  const before = context.get(usersRows, [workflowKey]) ?? [];
  return { events: [{ type: "usage_put", workflowKey, before, after: layoutIds }] };
}
