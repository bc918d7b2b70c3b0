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
  | { readonly type: "tellSecret" }
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
    case "tellSecret": {
      const { secret, drawn } = secretOf(state, context);
      return { events: drawn, answer: { secret } };
    }
    case "find": {
      const found = state.kind.entries.holderOf("names", command.name, context);
      return "need" in found ? found : { events: [], answer: found };
    }
    case "note":
      return note(state, command.message, context);
    case "purge":
      return purge(state, context);
  }
}

/** A directory draws its secret when it is first needed. */
function secretOf(state: State, context: Context): { readonly secret: string; readonly drawn: Event[] } {
  if (state.secret !== "") return { secret: state.secret, drawn: [] };
  const secret = context.secret(limits.secretBytes);
  return { secret, drawn: [{ type: "secretDrawn", secret }] };
}

/** Draws an id whose handle is free: the handle alone addresses the entity. */
function create(state: State, request: unknown, context: Context): Decision<Event> {
  const { entries, limit, create } = state.kind;
  assert(create, "only a directory that creates is asked to");
  if (limit && entries.total(state.counts, limit.where) >= limit.most)
    return limitReached("a tenant", limit.most, limit.many);
  for (let attempt = 0; attempt < limits.handleDrawsMax; attempt++) {
    const id = context.newId();
    const secret = state.secret || context.secret(limits.secretBytes);
    const made = create.make(id, request, context, secret);
    if (isRefusal(made)) return made;
    const conflict = entries.conflict(made.entry, context);
    if (conflict && "need" in conflict) return conflict;
    if (conflict?.taken === "names")
      return refuse("ALREADY_EXISTS", `there is a ${context.address.key} with this name already`);
    if (conflict) continue;
    return {
      events: [{ type: "created", secret, ...made }],
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
  if (before === undefined) return entries.need(id);
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
  if ("need" in some) return some;
  const after = some.values.at(-1)?.id ?? "";
  if (after === "" && entries.total(state.counts) === 0) return { events: [{ type: "purged" }] };
  const targets = some.values.map(({ id }) => ({ id, to: addressOf(tenant, id) }));
  const waitMs = after === "" ? limits.purgeAgainMs : limits.purgeStepMs;
  return { events: [{ type: "purging", tenant, targets, after, againAtMs: context.now + waitMs }] };
}

/** A page of entries; who asks adds what entries do not carry. */
function list(state: State, request: DirectoryListRequest, context: Context): Decision<Event> {
  const { filter = {}, cut_after } = request;
  const page = state.kind.entries.page(state.counts, { request, filter, secret: state.secret }, context);
  if (isRefusal(page) || "need" in page) return page;
  const { secret, drawn } = secretOf(state, context);
  const last = cut_after ?? (page.more ? page.values.at(-1)!.id : undefined);
  const answer: DirectoryPage = {
    entries: page.values,
    next_page_token: last === undefined ? "" : page.cursorAfter(last, secret),
    total: page.total,
  };
  return { events: drawn, answer };
}
