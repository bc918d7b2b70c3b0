import { invalid, limits, type Refusal, refuse, toRfc3339 } from "#base";
import type { AcknowledgeRequest, ListConsumersRequest, PutConsumerRequest } from "#protos";
import type { Context, Decision } from "#runtime";
import { byId, byIdIn } from "../../kit/collection.ts";
import { after, type Bounds, listed, pageOf } from "../../kit/list.ts";
import { limitReached } from "../../kit/record.ts";
import { replaced } from "./read.ts";
import {
  type Asked,
  bytesThrough,
  type Consumer,
  chunkRows,
  type Event,
  lastOf,
  type State,
} from "./record.ts";

export type ConsumerCommand =
  | (PutConsumerRequest & Asked<"put_consumer" | "delete_consumer">)
  | Acknowledge
  | ListConsumers;

type Acknowledge = AcknowledgeRequest & Asked<"acknowledge">;
type ListConsumers = ListConsumersRequest & Asked<"list_consumers">;

export function putConsumer(state: State, id: string, { now }: Context): Decision<Event> {
  const known = state.consumers.get(id);
  if (known) return { events: [], answer: consumerMessage(state, known) };
  return roomFor(state) ?? put(state, newConsumer(state, id, now), false);
}

function put(state: State, consumer: Consumer, acknowledges: boolean): Decision<Event> {
  return {
    events: [{ type: "consumer_put", consumer, acknowledges }],
    answer: consumerMessage(state, consumer),
  };
}

export function deleteConsumer({ consumers }: State, id: string): Decision<Event> {
  if (!consumers.has(id)) return refuse("NOT_FOUND", "the stream has no such consumer");
  return { events: [{ type: "consumer_deleted", id }], answer: { id, deleted: true } };
}

/** Only forward: what a consumer has acknowledged others rely on. */
export function acknowledge(
  state: State,
  { consumer_id: id, sequence = 0 }: Acknowledge,
  context: Context,
): Decision<Event> {
  const known = state.consumers.get(id);
  const refusal = misplaced(known, sequence, state.head.latest) ?? (known ? undefined : roomFor(state));
  if (refusal) return refusal;
  if (known?.acked === sequence) return { events: [], answer: consumerMessage(state, known) };
  const bytes = bytesAt(state, sequence, context);
  if (bytes === undefined) return replaced;
  const before = known ?? newConsumer(state, id, context.now);
  return put(state, { ...before, acked: sequence, bytes, updatedAt: context.now }, true);
}

export function listConsumers(state: State, request: ListConsumers, context: Context): Decision<Event> {
  const consumers = [...state.consumers.values()].sort(byId());
  const list = {
    ...byIdIn<Consumer>([context.address.tenant, state.definition!.id, "consumers"]),
    read: (bounds: Bounds) => after(consumers, bounds, ({ id }, [last = ""]) => id > last),
  };
  return listed(
    "consumers",
    pageOf(request, list, (consumer) => consumerMessage(state, consumer)),
  );
}

/** Everything that is kept is still to be read. */
function newConsumer({ head }: State, id: string, now: number): Consumer {
  return { id, acked: head.floor, bytes: head.floorBytes, createdAt: now, updatedAt: now };
}

function roomFor({ consumers }: State): Refusal | undefined {
  if (consumers.size < limits.streamConsumersMax) return undefined;
  return limitReached("a stream", limits.streamConsumersMax, "consumers");
}

function misplaced(known: Consumer | undefined, sequence: number, latest: number): Refusal | undefined {
  if (sequence > latest)
    return {
      ...invalid({ field: "sequence", reason: `${sequence} is beyond the latest sequence ${latest}` }),
      extra: { latest_sequence: latest },
    };
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
