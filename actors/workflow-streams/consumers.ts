import { limits, type Refusal, refuse, toRfc3339 } from "#base";
import type { Context, Decision } from "#runtime";
import { byId, byIdIn } from "../kit/collection.ts";
import { after, type Bounds, listed, type PageRequest, pageOf } from "../kit/list.ts";
import { type Asked, reach } from "./reach.ts";
import { replaced } from "./read.ts";
import type { Event, State } from "./stream.ts";
import { bytesThrough, type Consumer, chunkRows, lastOf } from "./stream.ts";

export type ConsumerCommand =
  | ({ readonly type: "put_consumer"; readonly id: string } & Asked)
  | ({ readonly type: "delete_consumer"; readonly id: string } & Asked)
  | ({ readonly type: "list_consumers"; readonly request: PageRequest } & Asked)
  | ({ readonly type: "acknowledge"; readonly id: string; readonly sequence: number } & Asked);

export function putConsumer(state: State, command: Of<"put_consumer">, context: Context): Decision<Event> {
  const refused = reach(state, command, "ack", context);
  if (refused) return refused;
  const known = state.consumers.get(command.id);
  if (known) return { events: [], answer: consumerMessage(state, known) };
  const full = roomFor(state);
  if (full) return full;
  const consumer = newConsumer(state, command.id, context.now);
  return {
    events: [{ type: "consumer_put", consumer, acknowledges: false }],
    answer: consumerMessage(state, consumer),
  };
}

export function deleteConsumer(
  state: State,
  command: Of<"delete_consumer">,
  context: Context,
): Decision<Event> {
  const refused = reach(state, command, "ack", context);
  if (refused) return refused;
  if (!state.consumers.has(command.id)) return refuse("NOT_FOUND", "the stream has no such consumer");
  return {
    events: [{ type: "consumer_deleted", id: command.id }],
    answer: { id: command.id, deleted: true },
  };
}

/** Only forward: what a consumer has acknowledged others rely on. */
export function acknowledge(state: State, command: Of<"acknowledge">, context: Context): Decision<Event> {
  const refused = reach(state, command, "ack", context);
  if (refused) return refused;
  const { head } = state;
  const { id, sequence } = command;
  const known = state.consumers.get(id);
  const refusal = misplaced(known, sequence, head.latest) ?? (known ? undefined : roomFor(state));
  if (refusal) return refusal;
  if (known && known.acked === sequence) return { events: [], answer: consumerMessage(state, known) };
  const bytes = bytesAt(state, sequence, context);
  if (bytes === undefined) return replaced;
  const before = known ?? newConsumer(state, id, context.now);
  const consumer = { ...before, acked: sequence, bytes, updatedAt: context.now };
  return {
    events: [{ type: "consumer_put", consumer, acknowledges: true }],
    answer: consumerMessage(state, consumer),
  };
}

export function listConsumers(
  state: State,
  command: Of<"list_consumers">,
  context: Context,
): Decision<Event> {
  const refused = reach(state, command, "read", context);
  if (refused) return refused;
  const consumers = [...state.consumers.values()].sort(byId());
  const list = {
    ...byIdIn<Consumer>([context.address.tenant, state.definition!.id, "consumers"]),
    read: (bounds: Bounds) => after(consumers, bounds, ({ id }, [last = ""]) => id > last),
  };
  return listed(
    "consumers",
    pageOf(command.request, list, (consumer) => consumerMessage(state, consumer)),
  );
}

type Of<Type extends ConsumerCommand["type"]> = Extract<ConsumerCommand, { type: Type }>;

/** Everything that is kept is still to be read. */
function newConsumer({ head }: State, id: string, now: number): Consumer {
  return { id, acked: head.floor, bytes: head.floorBytes, createdAt: now, updatedAt: now };
}

function roomFor({ consumers }: State): Refusal | undefined {
  if (consumers.size < limits.streamConsumersMax) return undefined;
  return refuse("FAILED_PRECONDITION", `a stream has at most ${limits.streamConsumersMax} consumers`, {
    reason: "LIMIT_REACHED",
  });
}

function misplaced(known: Consumer | undefined, sequence: number, latest: number): Refusal | undefined {
  if (sequence > latest)
    return refuse("INVALID_ARGUMENT", `sequence ${sequence} is beyond the latest sequence ${latest}`, {
      fields: [{ field: "sequence", reason: `is beyond the latest sequence ${latest}` }],
      extra: { latest_sequence: latest },
    });
  if (known === undefined || sequence >= known.acked) return undefined;
  return refuse("STATE_CONFLICT", `sequence ${sequence} is lower than the acknowledged ${known.acked}`, {
    reason: "ACK_REGRESSION",
    extra: { acknowledged_sequence: known.acked },
  });
}

/** Bytes of all records up to this one; of pruned ones up to the floor, from which they are counted. */
function bytesAt({ head, tail }: State, sequence: number, context: Context): number | undefined {
  if (sequence === head.latest) return head.bytes;
  if (sequence <= head.floor) return head.floorBytes;
  const inTail =
    tail[0] && sequence >= tail[0].first ? tail.find((chunk) => lastOf(chunk) >= sequence) : undefined;
  const chunk = inTail ?? context.scan(chunkRows, { from: [sequence], limit: 1 })[0]?.value;
  return chunk && bytesThrough(chunk, sequence);
}

function consumerMessage({ head }: State, { id, acked, bytes, createdAt, updatedAt }: Consumer) {
  const from = Math.max(acked, head.floor);
  return {
    consumer_id: id,
    acknowledged_sequence: acked,
    unread_items: head.latest - from,
    unread_bytes: head.bytes - (acked < head.floor ? head.floorBytes : bytes),
    created_at: toRfc3339(createdAt),
    updated_at: toRfc3339(updatedAt),
  };
}
