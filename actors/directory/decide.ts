import { handleOf, isRefusal, limits, type Refusal, refuse } from "#base";
import type { Context, Decision, RangeRef } from "#runtime";
import { pageBounds } from "../shared/cursor.ts";
import type { DirectoryEntry, DirectoryListRequest, DirectoryMessage } from "../shared/directory.ts";
import { kindOf } from "./kinds.ts";
import { type Event, type Filter, groupsOf, indexPrefix, type State, totalOf } from "./state.ts";

export type Command =
  | { readonly type: "create"; readonly request: unknown }
  | { readonly type: "list"; readonly request: DirectoryListRequest }
  | { readonly type: "tellSecret" }
  | { readonly type: "note"; readonly message: DirectoryMessage };

export function decide(state: State, command: Command, context: Context): Decision<Event> {
  switch (command.type) {
    case "create":
      return create(state, command.request, context);
    case "list": {
      const page = pageOf(state, command.request, context);
      return isRefusal(page) || "need" in page ? page : { events: drawnSecret(state, context) };
    }
    case "tellSecret":
      return { events: drawnSecret(state, context) };
    case "note":
      return note(command.message, context);
  }
}

/** A directory draws its secret when it is first needed. */
function drawnSecret(state: State, context: Context): Event[] {
  return state.secret === "" ? [{ type: "secretDrawn", secret: context.secret(limits.secretBytes) }] : [];
}

/** Draws an id whose handle is free: the handle alone addresses the entity. */
function create(state: State, request: unknown, context: Context): Decision<Event> {
  const kind = kindOf(context.address.key);
  const { max } = kind;
  if (max !== undefined && totalOf(state, { status: max.status }) >= max.count)
    return refuse("FAILED_PRECONDITION", `a tenant has at most ${max.count} of these`, {
      reason: "TOO_MANY",
    });
  for (let attempt = 0; attempt < limits.handleDrawsMax; attempt++) {
    const id = context.newId();
    const taken = context.row({ collection: "handles", key: [handleOf(id)] });
    if (taken === undefined) return { need: [{ collection: "handles", key: [handleOf(id)] }] };
    if (taken !== null) continue;
    const secret = state.secret || context.secret(limits.secretBytes);
    const made = kind.create(id, request, context, secret);
    if (isRefusal(made)) return made;
    return { events: [{ type: "created", secret, ...made }], awaitDelivery: true };
  }
  return refuse("UNAVAILABLE", "no free handle was found", { retryAfterMs: limits.retryAfterMs });
}

function note(message: DirectoryMessage, context: Context): Decision<Event> {
  const ref = { collection: "entries", key: [message.id] };
  const before = context.row(ref) as DirectoryEntry | null | undefined;
  if (before === undefined) return { need: [ref] };
  if (before === null) return { events: [] };
  if (message.type === "deleted") return { events: [{ type: "deleted", entry: before }], frees: true };
  const { name = before.name, status = before.status, paused = before.paused } = message;
  return { events: [{ type: "changed", before, after: { ...before, name, status, paused } }] };
}

export interface EntryPage {
  readonly entries: readonly DirectoryEntry[];
  readonly more: boolean;
}

/** Rows of one page: by id without a filter, else merged from the index of each group that the filter lets through. */
export function pageOf(
  state: State,
  request: DirectoryListRequest,
  context: Context,
): EntryPage | Refusal | { need: readonly RangeRef[] } {
  const filter = filterOf(request, context);
  const bounds = pageBounds(request, state.secret, scopeOf(context, filter));
  if (isRefusal(bounds)) return bounds;
  const { size, offset, after } = bounds;
  const ranges = rangesOf(state, filter, after?.[0] as string | undefined, offset + size + 1);
  const missing = ranges.filter((range) => context.range(range) === undefined);
  if (missing.length > 0) return { need: missing };
  const entries = ranges
    .flatMap((range) => context.range(range)!.map(({ value }) => value as DirectoryEntry))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  return { entries: entries.slice(offset, offset + size), more: entries.length > offset + size };
}

/** A principal bound to one side of the environments lists that side only. */
export function filterOf({ filter }: DirectoryListRequest, { address, caller }: Context): Filter {
  if (!kindOf(address.key).environments) return { ...filter };
  return {
    ...filter,
    ...(caller?.environment !== undefined && { header: caller.environment }),
    ...(caller && caller.environmentMode !== "any" && { mode: caller.environmentMode }),
  };
}

export function scopeOf(context: Context, filter: Filter) {
  const { status, environment, paused, header, mode } = filter;
  return [context.address.tenant, context.address.key, status, environment, paused, header, mode, "id"];
}

function rangesOf(state: State, filter: Filter, after: string | undefined, limit: number): RangeRef[] {
  if (Object.values(filter).every((value) => value === undefined))
    return [{ collection: "entries", limit, ...(after && { from: [successor(after)] }) }];
  return groupsOf(state, filter).map((group) => {
    const prefix = indexPrefix(group);
    return { collection: "index", prefix, limit, ...(after && { from: [...prefix, successor(after)] }) };
  });
}

/** The smallest key after this id. */
function successor(id: string): string {
  return `${id}\u0000`;
}
