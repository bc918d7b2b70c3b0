import { invalid, isRefusal, limits, refuse, toRfc3339 } from "#base";
import type { AwaitRequest, ListStreamsRequest, PublishRequest } from "#protos";
import type { Context, Decision } from "#runtime";
import type { EntityPurge } from "../../kit/directory.ts";
import { environmentFor } from "../../kit/environment.ts";
import { listed } from "../../kit/list.ts";
import { limitReached } from "../../kit/record.ts";
import { deciding } from "../../kit/table.ts";
import { runAt } from "../../kit/workflow-run.ts";
import {
  type CreateRequest,
  definitionDigest,
  definitionOf,
  type InputMessage,
  type StreamGone,
} from "../stream/record.ts";
import {
  type Event,
  eventIdRows,
  eventRows,
  heardKey,
  type State,
  type StoredWaitEvent,
  type StreamEntry,
  streams,
} from "./state.ts";

export type Command =
  | { readonly type: "create_stream"; readonly request: CreateRequest }
  | ListStreams
  | Publish
  | InputMessage
  | StreamGone
  | EntityPurge
  | Await
  | { readonly type: "rest" };

export type ListStreams = ListStreamsRequest & { readonly type: "list_streams" };

/** In the environment of the engine's run. Absent: there is none, and what the caller names counts. */
interface InRun {
  readonly environment?: string;
}

export interface Publish extends PublishRequest, InRun {
  readonly type: "publish";
}

export interface Await extends AwaitRequest, InRun {
  readonly type: "wait";
  /** Set when it is first parked. */
  readonly parked?: { readonly untilMs: number; readonly number: number };
}

/** Every decision for a caller has its `answer`. */
export const decide = deciding<State, Command, Event>({
  create_stream: (state, { request }, context) => createStream(state, request, context),
  list_streams: listStreams,
  publish,
  input,
  wait: (_state, command, context) => awaitEvent(command, context),
  stream_gone: (state, { id }, context) => streamGone(state, id, context),
  purge: (_state, command, context) => purge(command, context),
  rest(state, _command, context) {
    const { activeAtMs } = state.waits;
    const forget = activeAtMs + limits.waitEventsKeptMs <= context.now;
    return { events: [{ type: "rested", forget }], ...(forget && { frees: true }) };
  },
});

export function wake({ heard }: State, parked: readonly Command[]): readonly number[] {
  return parked.flatMap((command, index) =>
    command.type === "wait" &&
    (heard.get(heardKey(command.environment, command.event_key)) ?? 0) > command.parked!.number
      ? [index]
      : [],
  );
}

/** The run commits first, and its outbox makes the stream. */
function createStream(state: State, request: CreateRequest, context: Context): Decision<Event> {
  const environment = environmentOf(request.environment, context);
  if (isRefusal(environment)) return environment;
  const { tenant } = context.address;
  const id = context.newId();
  const secret = context.secret(limits.secretBytes);
  const given = { id, tenant, ...environment, createdAt: context.now, secret };
  const definition = definitionOf(request, given);
  const digest = definitionDigest(definition);
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

function listStreams(state: State, request: ListStreams, context: Context): Decision<Event> {
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
  state: State,
  { event_key: key, event_id, payload = null, environment }: Publish,
  context: Context,
): Decision<Event> {
  const most = limits.streamRecordBytesMax;
  if (Buffer.byteLength(JSON.stringify(payload)) > most)
    return refuse("PAYLOAD_TOO_LARGE", `payload may have at most ${most} bytes`, {
      fields: [{ field: "payload", reason: `has more than ${most} bytes` }],
    });
  const within = environmentOf(environment, context);
  if (isRefusal(within)) return within;
  const id = event_id || context.newId();
  if (context.get(eventIdRows, [within.environment, id]) !== null)
    return { events: [], answer: { event_id: id, duplicate: true } };
  if (state.waits.kept >= limits.waitEventsMax)
    return limitReached("a run", limits.waitEventsMax, "events that are kept");
  const stored = { ...within, id, key, payload, number: state.waits.last + 1, at: context.now };
  return {
    events: [...noted(state, context), { type: "published", events: [stored] }],
    answer: { event_id: id, duplicate: false },
  };
}

/** The first thing that is kept of a run: its tenant's directory learns of it, for a purge. */
function noted({ counts, waits }: State, { address }: Context): readonly Event[] {
  if (streams.total(counts) > 0 || waits.last > 0) return [];
  return [{ type: "noted", tenant: address.tenant, runId: address.key }];
}

/** A deleted tenant's run: its streams go first, those without a legal hold. */
function purge({ id, tenant }: EntityPurge, context: Context): Decision<Event> {
  const some = streams.some(limits.runStreamsMax, undefined, context);
  if (some.length === 0) return { events: [{ type: "purged", tenant, runId: id }], frees: true };
  const purges = some.map((stream) => ({ type: "purge" as const, tenant, runId: id, id: stream.id }));
  return { events: [{ type: "purging", purges }] };
}

function streamGone(state: State, id: string, context: Context): Decision<Event> {
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
function input(state: State, { events }: InputMessage, context: Context): Decision<Event> {
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
function awaitEvent(command: Await, context: Context): Decision<Event> {
  const { event_key: key, after_event_id: afterId = "", wait_ms = 0 } = command;
  const within = environmentOf(command.environment, context);
  if (isRefusal(within)) return within;
  const { environment } = within;
  let number = command.parked?.number ?? 0;
  if (afterId !== "" && number === 0) {
    const found = context.get(eventIdRows, [environment, afterId]);
    if (found?.[0] !== key)
      return invalid({ field: "after_event_id", reason: "is no event of this key that is kept" });
    number = found[1];
  }
  const prefix = [environment, key];
  const [found] = context.scan(eventRows, { prefix, from: [...prefix, number + 1], limit: 1 });
  if (found) return { events: [], answer: { event: eventMessage(found.value) } };
  if (context.expired || wait_ms === 0) return { events: [], answer: {} };
  const untilMs = command.parked?.untilMs ?? context.now + wait_ms;
  return { park: { untilMs, command: { ...command, environment, parked: { untilMs, number } } } };
}

/** That of the engine's run; where it has none of this id, what the caller names. */
function environmentOf(environment: string | undefined, { caller }: Context) {
  return environment === undefined ? environmentFor(caller) : { environment };
}

function eventMessage({ id, key, payload, at }: StoredWaitEvent) {
  return { event_id: id, event_key: key, payload, published_at: toRfc3339(at) };
}
