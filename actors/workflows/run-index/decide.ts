import { limits, type Refusal } from "#base";
import type { Context, Decision } from "#runtime";
import type { Filter } from "../../kit/collection.ts";
import type { ListPart } from "../../kit/decide.ts";
import { partOf } from "../../kit/list.ts";
import { limitReached } from "../../kit/record.ts";
import { deciding } from "../../kit/table.ts";
import type { TenantPurge } from "../../kit/tenant.ts";
import type { Pinned } from "../definitions/decide.ts";
import { entryMessage, entryOf, type IndexMessage, type RunCreation, type RunEntry } from "../runs/record.ts";
import { isOver, type Run } from "../runs/run.ts";
import { isCompatible } from "../runs/state.ts";
import { type Event, entries, openKeyRows, type State } from "./state.ts";

interface Start extends Pinned {
  readonly type: "start";
  readonly input: unknown;
  readonly runKey: string;
}

export type StartCommand =
  | Start
  /** What the definition or the input does not allow: a repeat of a start that was answered is answered as it was. */
  | { readonly type: "refuse"; readonly refusal: Refusal };

export interface StatsRequest {
  readonly environment?: string;
  readonly windowMs: number;
}

export interface RunStats {
  readonly terminals: number;
  readonly failed: number;
  readonly idle: number;
  readonly incompatible: number;
  readonly dead: number;
  readonly total: number;
}

export type Command =
  | StartCommand
  | ListPart
  | (StatsRequest & { readonly type: "stats" })
  | IndexMessage
  | TenantPurge;

/** Every decision for a caller has its `answer`. */
export const decide = deciding<State, Command, Event>({
  start,
  refuse: (_state, { refusal }) => refusal,
  list_part(state, { filter, after, most }, context) {
    const { values, total } = entries.after(state.counts, filter, context, after, most);
    return { events: [], answer: partOf(values.map(entryMessage), most, total) };
  },
  stats: (state, command, context) => ({ events: [], answer: statsOf(state, command, context) }),
  changed: (_state, command, context) => changed(command, context),
  deleted(_state, { id }, context) {
    const entry = entries.get(id, context);
    return { events: entry === null ? [] : [{ type: "deleted", entry }], frees: true };
  },
  purge: (_state, _command, context) => purge(context),
});

/** An open run with this key is the run that was asked for. */
function start(state: State, command: Start, context: Context): Decision<Event> {
  const { definition, version, body, input, runKey } = command;
  if (runKey !== "") {
    const open = context.get(openKeyRows, [definition.id, runKey]);
    const entry = open === null ? null : entries.get(open, context);
    if (entry) return { events: [], answer: { run: entryMessage(entry), started: false } };
  }
  if (entries.total(state.counts) >= limits.workflowRunsMax)
    return limitReached("a sixteenth of a tenant's runs", limits.workflowRunsMax, "runs that are kept");
  const { address, now } = context;
  // Its character at index 10 is the key of this index.
  const id = context.newId(address.key + context.newId().slice(-7));
  const seconds = body.timeout_seconds ?? limits.workflowTimeoutSeconds;
  const run: Run = {
    id,
    tenant: address.tenant,
    environment: definition.environment,
    definitionId: definition.id,
    definitionKey: definition.key,
    version,
    runKey,
    status: "pending",
    deadlineAt: now + seconds * 1_000,
    outputBytes: 0,
    progressAt: now,
    idleSince: 0,
    dismissedAt: 0,
    createdAt: now,
    updatedAt: now,
    endedAt: 0,
    recordVersion: 1,
  };
  const pending = entryOf(run, false);
  // Where this build runs it, its first commit says no more than this: it need not tell.
  const listed = isCompatible({ body }) ? ("running" as const) : undefined;
  const entry: RunEntry = listed ? { ...pending, status: listed } : pending;
  const creation: RunCreation = { type: "create", run, body, input, ...(listed && { listed }) };
  const answer = { run: { ...entryMessage(pending), input }, started: true };
  return { events: [{ type: "started", entry, creation }], awaitDelivery: true, answer };
}

/** A run that ends gives its key back; one that goes on after a retry takes it again where it is free. */
function changed({ entry }: Extract<IndexMessage, { type: "changed" }>, context: Context): Decision<Event> {
  const before = entries.get(entry.id, context);
  if (before === null) return { events: [] };
  let takesKey = false;
  if (entry.runKey !== "" && isOver(before.status) !== isOver(entry.status)) {
    const owner = context.get(openKeyRows, [entry.definition_id, entry.runKey]);
    takesKey = isOver(entry.status) ? owner === entry.id : owner === null;
  }
  return { events: [{ type: "changed", before, after: entry, takesKey }] };
}

function statsOf(state: State, { environment, windowMs }: StatsRequest, { now }: Context): RunStats {
  const ended = [...state.ended.values()].filter(
    (row) =>
      row.fromMs + limits.workflowFigureMs > now - windowMs &&
      (environment ?? row.environment) === row.environment,
  );
  const count = (filter: Filter) => entries.total(state.counts, { environment, ...filter });
  return {
    terminals: ended.reduce((sum, { terminals }) => sum + terminals, 0),
    failed: ended.reduce((sum, { failed }) => sum + failed, 0),
    idle: count({ mark: "idle" }),
    incompatible: count({ mark: "incompatible" }),
    dead: count({ mark: "dead" }),
    total: count({}),
  };
}

/** Some at a time: each tells us when it is gone. */
function purge(context: Context): Decision<Event> {
  const some = entries.some(limits.purgeStepMax, undefined, context);
  if (some.length === 0) return { events: [{ type: "purged" }] };
  return { events: [{ type: "purging", ids: some.map(({ id }) => id) }] };
}
