import { isRefusal, limits, refuse, toRfc3339 } from "#base";
import type { Context, Decision } from "#runtime";
import type { EntityPurge } from "../kit/directory.ts";
import { environmentFor } from "../kit/environment.ts";
import { listed, type PageRequest } from "../kit/list.ts";
import { limitReached } from "../kit/record.ts";
import { runAt } from "../kit/workflow-run.ts";
import { type CreateRequest, definitionOf, digestOf } from "./definition.ts";
import type { InputMessage, WaitEvent } from "./input.ts";
import {
  eventIdRows,
  eventRows,
  heardKey,
  type RunEvent,
  type RunState,
  type StoredWaitEvent,
  type StreamEntry,
  streams,
} from "./run-state.ts";
import type { StreamGone } from "./stream.ts";

export type RunCommand =
  | { readonly type: "create_stream"; readonly request: CreateRequest }
  | { readonly type: "list_streams"; readonly request: PageRequest }
  | {
      readonly type: "publish";
      readonly event: Omit<WaitEvent, "environment">;
      /** Of the engine's run. Absent: there is none, and what the caller names counts. */
      readonly environment?: string;
    }
  | InputMessage
  | StreamGone
  | EntityPurge
  | Await
  | { readonly type: "rest" };

interface Await {
  readonly type: "wait";
  readonly key: string;
  /** Exclusive; empty: from the first. */
  readonly afterId: string;
  readonly waitMs: number;
  /** As of `publish`. */
  readonly environment?: string;
  /** Set when it is first parked. */
  readonly parked?: { readonly untilMs: number; readonly number: number };
}

/** Every decision for a caller has its `answer`. */
export function decideRun(state: RunState, command: RunCommand, context: Context): Decision<RunEvent> {
  switch (command.type) {
    case "create_stream":
      return createStream(state, command.request, context);
    case "list_streams":
      return listStreams(state, command.request, context);
    case "publish":
      return publish(state, command, context);
    case "input":
      return input(state, command, context);
    case "wait":
      return awaitEvent(state, command, context);
    case "stream_gone":
      return streamGone(state, command.id, context);
    case "purge":
      return purge(state, command, context);
    case "rest": {
      const { activeAtMs } = state.waits;
      const forget = activeAtMs + limits.waitEventsKeptMs <= context.now;
      return { events: [{ type: "rested", forget }], ...(forget && { frees: true }) };
    }
  }
}

export function wakeRun({ heard }: RunState, parked: readonly RunCommand[]): readonly number[] {
  return parked.flatMap((command, index) =>
    command.type === "wait" && (heard.get(heardKey(command)) ?? 0) > command.parked!.number ? [index] : [],
  );
}

/** The run commits first, and its outbox makes the stream. */
function createStream(state: RunState, request: CreateRequest, context: Context): Decision<RunEvent> {
  const environment = environmentOf(request, context);
  if (isRefusal(environment)) return environment;
  const { tenant } = context.address;
  const id = context.newId();
  const given = {
    id,
    tenant,
    ...environment,
    createdAt: context.now,
    secret: context.secret(limits.secretBytes),
  };
  const definition = definitionOf(request, given);
  const digest = digestOf(definition);
  const owner = streams.ownerOf("names", request.name, context);
  if (owner !== null) {
    if (streams.get(owner, context)?.digest === digest) return { events: [], answer: { id: owner } };
    return refuse("ALREADY_EXISTS", `the run has a stream ${request.name} with another definition`, {
      extra: { stream_id: owner },
    });
  }
  if (streams.total(state.counts) >= limits.runStreamsMax)
    return limitReached("a run", limits.runStreamsMax, "streams");
  const { name } = definition;
  const entry = { id, name, ...environment, createdAt: context.now, digest };
  return {
    events: [...noted(state, context), { type: "stream_created", entry, definition }],
    awaitDelivery: true,
    answer: { id },
  };
}

function listStreams(state: RunState, request: PageRequest, context: Context): Decision<RunEvent> {
  const show = ({ id, name, environment, createdAt }: StreamEntry) => ({
    id,
    run_id: context.address.key,
    name,
    environment,
    created_at: toRfc3339(createdAt),
  });
  return listed("streams", streams.page(state.counts, { request }, show, context));
}

/** An event with an id that is known already is the same event. */
function publish(
  state: RunState,
  { event, ...asked }: Extract<RunCommand, { type: "publish" }>,
  context: Context,
): Decision<RunEvent> {
  const within = environmentOf(asked, context);
  if (isRefusal(within)) return within;
  const id = event.id || context.newId();
  if (context.get(eventIdRows, [within.environment, id]) !== null)
    return { events: [], answer: { event_id: id, duplicate: true } };
  if (state.waits.kept >= limits.waitEventsMax)
    return limitReached("a run", limits.waitEventsMax, "events that are kept");
  const stored = { ...event, ...within, id, number: state.waits.last + 1, at: context.now };
  return {
    events: [...noted(state, context), { type: "published", events: [stored] }],
    answer: { event_id: id, duplicate: false },
  };
}

/** The first thing that is kept of a run: its tenant's directory learns of it, for a purge. */
function noted({ counts, waits }: RunState, { address }: Context): readonly RunEvent[] {
  if (streams.total(counts) > 0 || waits.last > 0) return [];
  return [{ type: "noted", tenant: address.tenant, runId: address.key }];
}

/** A deleted tenant's run: its streams go first, those without a legal hold. */
function purge(_state: RunState, { id, tenant }: EntityPurge, context: Context): Decision<RunEvent> {
  const some = streams.some(limits.runStreamsMax, undefined, context);
  if (some.length === 0) return { events: [{ type: "purged", tenant, runId: id }], frees: true };
  return { events: [{ type: "purging", tenant, runId: id, ids: some.map((entry) => entry.id) }] };
}

function streamGone(state: RunState, id: string, context: Context): Decision<RunEvent> {
  const entry = streams.get(id, context);
  if (entry === null) return { events: [] };
  const { tenant, key: runId } = context.address;
  const isLast = streams.total(state.counts) === 1;
  return {
    events: [
      { type: "stream_removed", entry },
      ...(isLast ? [{ type: "purged" as const, tenant, runId }] : []),
    ],
    frees: true,
  };
}

/** From a stream of the run, at least once: what is known already is left out. */
function input(state: RunState, { events }: InputMessage, context: Context): Decision<RunEvent> {
  const keys = events.map(({ environment, id }): [string, string] => [environment, id]);
  const known = context.getMany(eventIdRows, keys);
  const fresh = events.filter((_, index) => known[index] === null);
  if (fresh.length === 0) return { events: [] };
  const { last } = state.waits;
  const stored = fresh.map((event, index) => ({ ...event, number: last + 1 + index, at: context.now }));
  const to = runAt(context.address.tenant, context.address.key);
  return { events: [...noted(state, context), { type: "published", events: stored, to }] };
}

/** The next event of a key, or none when the wait is over. */
function awaitEvent(_state: RunState, command: Await, context: Context): Decision<RunEvent> {
  const { key, afterId } = command;
  const within = environmentOf(command, context);
  if (isRefusal(within)) return within;
  const { environment } = within;
  let number = command.parked?.number ?? 0;
  if (afterId !== "" && number === 0) {
    const found = context.get(eventIdRows, [environment, afterId]);
    if (found === null || found[0] !== key) {
      const reason = "is no event of this key that is kept";
      return refuse("INVALID_ARGUMENT", `after_event_id ${reason}`, {
        fields: [{ field: "after_event_id", reason }],
      });
    }
    number = found[1];
  }
  const prefix = [environment, key];
  const [found] = context.scan(eventRows, { prefix, from: [...prefix, number + 1], limit: 1 });
  if (found) return { events: [], answer: { event: eventMessage(found.value) } };
  if (context.expired || command.waitMs === 0) return { events: [], answer: {} };
  const untilMs = command.parked?.untilMs ?? context.now + command.waitMs;
  return { park: { untilMs, command: { ...command, environment, parked: { untilMs, number } } } };
}

/** That of the engine's run; where it has none of this id, what the caller names. */
function environmentOf({ environment }: { readonly environment?: string }, { caller }: Context) {
  return environment === undefined ? environmentFor(caller) : { environment };
}

function eventMessage({ id, key, payload, at }: StoredWaitEvent) {
  return { event_id: id, event_key: key, payload, published_at: toRfc3339(at) };
}
