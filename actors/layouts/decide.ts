import { isRefusal, limits, refuse } from "#base";
import type { Context, Decision, Need } from "#runtime";
import { cutToBytes, type PageRequest } from "../kit/cursor.ts";
import { limitReached } from "../kit/record.ts";
import { secretOf } from "../kit/state.ts";
import type { TenantPurge } from "../kit/tenant.ts";
import type { Channel, Engine, LayoutsUsed } from "../notify/outbound/types.ts";
import { type Layout, layoutMessage, layoutRows } from "./record.ts";
import { type Event, type State, usageRows, usersRows } from "./state.ts";

export type Command =
  | TenantPurge
  | LayoutsUsed
  | { readonly type: "create"; readonly given: Settings & { channel: Channel; isDefault: boolean } }
  | { readonly type: "list"; readonly channel?: Channel; readonly request: PageRequest }
  /** The layout that a message gets: the named one, else the default, else none. */
  | { readonly type: "pick"; readonly channel: Channel; readonly id?: string }
  | OneCommand;

type OneCommand =
  | { readonly type: "get" | "look" | "usage" | "set_default" | "duplicate"; readonly id: string }
  | { readonly type: "update"; readonly id: string; readonly version: number; readonly given: Settings }
  | { readonly type: "delete"; readonly id: string; readonly version?: number; readonly force: boolean };

interface Settings {
  readonly name: string;
  readonly engine: Engine;
  readonly body: string;
}

export function decide(state: State, command: Command, context: Context): Decision<Event> {
  switch (command.type) {
    case "purge":
      return { events: [{ type: "purged" }], frees: true };
    case "layouts_used":
      return used(command, context);
    case "create":
      return create(state, command.given, context);
    case "list":
      return list(state, command.channel, command.request, context);
    case "pick":
      return pick(state, command, context);
    default:
      return decideOne(state, command, context);
  }
}

function decideOne(state: State, command: OneCommand, context: Context): Decision<Event> {
  const layout = layoutRows.get(command.id, context);
  if (layout === undefined) return layoutRows.need(command.id);
  if (layout === null) return refuse("NOT_FOUND", "there is no such layout");
  switch (command.type) {
    case "get":
      return { events: [], answer: shown(state, layout) };
    case "look":
      return { events: [], answer: layout };
    case "update":
      return update(state, layout, command, context);
    case "delete":
      return remove(state, layout, command, context);
    case "usage": {
      const workflows = usersOf(layout.id, limits.pageSizeMax + 1, context);
      if ("need" in workflows) return workflows;
      const workflow_keys = workflows.keys.slice(0, limits.pageSizeMax);
      const more = workflows.keys.length > workflow_keys.length;
      return { events: [], answer: { layout_id: layout.id, workflow_keys, more } };
    }
    case "set_default":
      return setDefault(state, layout, context);
    case "duplicate": {
      const { name, engine, body, channel } = layout;
      const suffix = " (copy)";
      const copy = `${name.slice(0, limits.layoutNameLengthMax - suffix.length)}${suffix}`;
      return create(state, { name: copy, engine, body, channel, isDefault: false }, context);
    }
  }
}

function create(
  state: State,
  { isDefault, ...settings }: Settings & { channel: Channel; isDefault: boolean },
  context: Context,
): Decision<Event> {
  if (layoutRows.total(state.counts) >= limits.layoutsMax)
    return limitReached("a tenant", limits.layoutsMax, "layouts");
  const { now } = context;
  const after: Layout = { ...settings, id: context.newId(), version: 1, createdAt: now, updatedAt: now };
  const events: Event[] = [{ type: "layout_put", before: null, after }];
  if (isDefault) events.push({ type: "default_set", channel: after.channel, id: after.id });
  return { events, answer: layoutMessage(after, isDefault, state.tenant) };
}

function update(
  state: State,
  layout: Layout,
  { version, given }: Extract<OneCommand, { type: "update" }>,
  context: Context,
): Decision<Event> {
  if (version !== layout.version) return conflict(layout);
  const { name, engine, body } = given;
  if (name === layout.name && engine === layout.engine && body === layout.body)
    return { events: [], answer: shown(state, layout) };
  const after = next({ ...layout, name, engine, body }, context);
  return { events: [{ type: "layout_put", before: layout, after }], answer: shown(state, after) };
}

function remove(
  state: State,
  layout: Layout,
  { version, force }: Extract<OneCommand, { type: "delete" }>,
  context: Context,
): Decision<Event> {
  if (version !== undefined && version !== layout.version) return conflict(layout);
  const { id, channel } = layout;
  if (!force) {
    const workflows = usersOf(id, 1, context);
    if ("need" in workflows) return workflows;
    if (workflows.keys.length > 0)
      return refuse("FAILED_PRECONDITION", `workflows name it, as ${workflows.keys[0]}: force deletes it`, {
        reason: "LAYOUT_IN_USE",
      });
  }
  const events: Event[] = [{ type: "layout_removed", layout }];
  if (state.defaults.get(channel) === id) events.push({ type: "default_set", channel, id: null });
  return { events, answer: { id, deleted: true } };
}

/** Both layouts change: the one that is the default now, and the one that was. */
function setDefault(state: State, layout: Layout, context: Context): Decision<Event> {
  const { channel, id } = layout;
  const beforeId = state.defaults.get(channel);
  if (beforeId === id) return { events: [], answer: shown(state, layout) };
  const events: Event[] = [{ type: "default_set", channel, id }];
  if (beforeId !== undefined) {
    const before = layoutRows.get(beforeId, context);
    if (before === undefined) return layoutRows.need(beforeId);
    if (before !== null) events.push({ type: "layout_put", before, after: next(before, context) });
  }
  const after = next(layout, context);
  events.push({ type: "layout_put", before: layout, after });
  return { events, answer: layoutMessage(after, true, state.tenant) };
}

function list(
  state: State,
  channel: Channel | undefined,
  request: PageRequest,
  context: Context,
): Decision<Event> {
  const filter = { channel };
  const page = layoutRows.page(state.counts, { request, filter, secret: state.secret }, context);
  if (isRefusal(page) || "need" in page) return page;
  const layouts = cutToBytes(page.values.map((layout) => shown(state, layout)));
  const { secret, drawn } = secretOf(state, context);
  const more = page.more || layouts.length < page.values.length;
  const next_page_token = more ? page.cursorAfter(page.values[layouts.length - 1]!.id, secret) : "";
  return { events: drawn, answer: { layouts, next_page_token, total: page.total } };
}

function pick(
  state: State,
  { channel, id }: Extract<Command, { type: "pick" }>,
  context: Context,
): Decision<Event> {
  const named = id === undefined ? null : layoutRows.get(id, context);
  if (named === undefined) return layoutRows.need(id!);
  const defaultId = state.defaults.get(channel);
  const fits = named?.channel === channel;
  const found = fits || defaultId === undefined ? named : layoutRows.get(defaultId, context);
  if (found === undefined) return layoutRows.need(defaultId!);
  const layout = found?.channel === channel ? { engine: found.engine, body: found.body } : null;
  return { events: [], answer: { layout } };
}

function used({ workflowKey, layoutIds }: LayoutsUsed, context: Context): Decision<Event> {
  const ref = { collection: usersRows, key: [workflowKey] };
  const before = context.row(ref) as readonly string[] | null | undefined;
  if (before === undefined) return { need: [ref] };
  return { events: [{ type: "usage_put", workflowKey, before: before ?? [], after: layoutIds }] };
}

/** The first workflows that name a layout. */
function usersOf(id: string, limit: number, context: Context): { readonly keys: readonly string[] } | Need {
  const range = { collection: usageRows, prefix: [id], limit };
  const rows = context.range(range);
  return rows === undefined ? { need: [range] } : { keys: rows.map(({ key }) => key[1] as string) };
}

function next(layout: Layout, { now }: Context): Layout {
  return { ...layout, version: layout.version + 1, updatedAt: now };
}

function shown(state: State, layout: Layout) {
  return layoutMessage(layout, state.defaults.get(layout.channel) === layout.id, state.tenant);
}

function conflict({ version }: Layout) {
  return refuse("VERSION_CONFLICT", `the layout has version ${version}: read it again`, {
    extra: { current_version: version },
  });
}
