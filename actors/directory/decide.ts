import { assert, isRefusal, limits, refuse } from "#base";
import type { Context, Decision } from "#runtime";
import type {
  DirectoryEntry,
  DirectoryListRequest,
  DirectoryMessage,
  DirectoryPage,
} from "../kit/directory.ts";
import { limitReached } from "../kit/record.ts";
import type { TenantPurge } from "../kit/tenant.ts";
import type { Event, State } from "./state.ts";

export type Command =
  | { readonly type: "create"; readonly request: unknown }
  | { readonly type: "list"; readonly request: DirectoryListRequest }
  | { readonly type: "find"; readonly name: string }
  | { readonly type: "note"; readonly message: DirectoryMessage }
  | TenantPurge;

/** Every decision for a caller has its `answer`. */
export function decide(state: State, command: Command, context: Context): Decision<Event> {
  switch (command.type) {
    case "create":
      return create(state, command.request, context);
    case "list":
      return list(state, command.request, context);
    case "find":
      return { events: [], answer: { id: state.kind.entries.ownerOf("names", command.name, context) } };
    case "note":
      return note(state, command.message, context);
    case "purge":
      return purge(state, context);
  }
}

/** Draws an id whose handle is free: the handle alone addresses the entity. */
function create(state: State, request: unknown, context: Context): Decision<Event> {
  const { entries, limit, create } = state.kind;
  assert(create, "only a directory that creates is asked to");
  if (limit && entries.total(state.counts, limit.where) >= limit.most)
    return limitReached("a tenant", limit.most, limit.many);
  for (let attempt = 0; attempt < limits.handleDrawsMax; attempt++) {
    const id = context.newId();
    const made = create.make(id, request, context);
    if (isRefusal(made)) return made;
    const conflict = entries.conflict(made.entry, context);
    if (conflict?.taken === "names")
      return refuse("ALREADY_EXISTS", `there is a ${context.address.key} with this name already`);
    if (conflict) continue;
    return {
      events: [{ type: "created", ...made }],
      awaitDelivery: true,
      answer: create.respond(made, context),
    };
  }
  return refuse("UNAVAILABLE", "no free handle was found", { retryAfterMs: limits.retryAfterMs });
}

function note(state: State, message: DirectoryMessage, context: Context): Decision<Event> {
  const { entries, uniqueName } = state.kind;
  const id = message.type === "noted" ? message.entry.id : message.id;
  const before = entries.get(id, context);
  if (message.type === "noted") {
    if (before === null) return { events: [{ type: "noted", entry: message.entry }] };
    return { events: [{ type: "changed", before, after: message.entry }] };
  }
  if (before === null) return { events: [] };
  if (message.type === "deleted") return { events: [{ type: "deleted", entry: before }], frees: true };
  const { type: _, ...fields } = message;
  const after: DirectoryEntry = { ...before, ...fields, ...(uniqueName && { name: before.name }) };
  return { events: [{ type: "changed", before, after }] };
}

/**
 * Some at a time, one after the other: each tells us when it is gone. What stays (a legal hold) does not hold up the others; it is
 * asked again later.
 */
function purge(state: State, context: Context): Decision<Event> {
  const { entries, addressOf } = state.kind;
  const { tenant } = context.address;
  const some = entries.some(limits.purgeStepMax, state.purgedTo || undefined, context);
  const after = some.at(-1)?.id ?? "";
  if (after === "" && entries.total(state.counts) === 0) return { events: [{ type: "purged" }] };
  const targets = some.map(({ id }) => ({ id, to: addressOf(tenant, id) }));
  const waitMs = after === "" ? limits.purgeAgainMs : limits.purgeStepMs;
  return { events: [{ type: "purging", tenant, targets, after, againAtMs: context.now + waitMs }] };
}

/** A page of entries; who asks adds what entries do not carry. */
function list(state: State, request: DirectoryListRequest, context: Context): Decision<Event> {
  const { entries } = state.kind;
  const { filter = {}, cut_after } = request;
  const page = entries.page(state.counts, { request, filter }, (entry) => entry, context);
  if (isRefusal(page)) return page;
  const { values, next_page_token, total = 0 } = page;
  const cut = cut_after === undefined ? next_page_token : entries.cursorAfter(cut_after, filter, context);
  const answer: DirectoryPage = { entries: values, next_page_token: cut, total };
  return { events: [], answer };
}
