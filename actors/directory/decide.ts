import { assert, invalid, isRefusal, limits, type Refusal, refuse } from "#base";
import type { Context, Decision } from "#runtime";
import type {
  DirectoryEntry,
  DirectoryListRequest,
  DirectoryMessage,
  DirectoryPage,
} from "../kit/directory.ts";
import { limitReached } from "../kit/record.ts";
import { deciding } from "../kit/table.ts";
import type { TenantPurge } from "../kit/tenant.ts";
import type { AskedText } from "../kit/text-index.ts";
import type { Kind } from "./kinds.ts";
import type { Event, State } from "./state.ts";

export type Command =
  | { readonly type: "create"; readonly request: never }
  | { readonly type: "list"; readonly request: DirectoryListRequest }
  | { readonly type: "find"; readonly name: string }
  | { readonly type: "note"; readonly message: DirectoryMessage }
  | TenantPurge;

/** Every decision for a caller has its `answer`. */
export const decide = deciding<State, Command, Event>({
  create: (state, { request }, context) => create(state, request, context),
  list: (state, { request }, context) => list(state, request, context),
  find: (state, { name }, context) => ({
    events: [],
    answer: { id: state.kind.entries.ownerOf("names", name, context) },
  }),
  note: (state, { message }, context) => note(state, message, context),
  purge: (state, _command, context) => purge(state, context),
});

/** Draws an id whose handle is free: the handle alone addresses the entity. */
function create(state: State, request: never, context: Context): Decision<Event> {
  const { entries, limit, create } = state.kind;
  assert(create, "only a directory that creates is asked to");
  for (let attempt = 0; attempt < limits.handleDrawsMax; attempt++) {
    const id = context.newId();
    const made = create.make(id, request, context);
    if (isRefusal(made)) return made;
    const { answer, ifAbsent, ...created } = made;
    const { name, environment } = made.entry;
    const namesake = ifAbsent && entries.firstByText(name, { environment }, context);
    if (namesake) return { events: [], answer: { existing: namesake.id } };
    if (limit && entries.total(state.counts, limit.where) >= limit.most)
      return limitReached("a tenant", limit.most, limit.many);
    const conflict = entries.conflict(made.entry, context);
    if (conflict?.taken === "names")
      return refuse("ALREADY_EXISTS", `there is a ${context.address.key} with this name already`);
    if (conflict) continue;
    return { events: [{ type: "created", ...created }], awaitDelivery: true, answer };
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
  const asked = nameAsked(state.kind, request);
  if (isRefusal(asked)) return asked;
  const show = (entry: DirectoryEntry) => entry;
  const page = asked
    ? entries.pageByText({ request, filter, asked }, show, context)
    : entries.page(state.counts, { request, filter }, show, context);
  if (isRefusal(page)) return page;
  const { values, next_page_token, ...rest } = page;
  const cut = cut_after ? entries.cursorAfter(cut_after, filter, context, asked) : next_page_token;
  const answer: DirectoryPage = { entries: values, next_page_token: cut, ...rest };
  return { events: [], answer };
}

function nameAsked({ byName }: Kind, request: DirectoryListRequest): AskedText | Refusal | undefined {
  const { name, name_prefix } = request;
  const text = name ?? name_prefix;
  if (!byName || text === undefined) return undefined;
  if (name !== undefined && name_prefix !== undefined)
    return invalid({ field: "name_prefix", reason: "cannot be combined with name" });
  return { text, whole: name !== undefined };
}
