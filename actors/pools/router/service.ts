import { assert, type Refusal, toRfc3339 } from "#base";
import type { Context, EntityMethod } from "#runtime";
import { method } from "../../kit/ask.ts";
import { answered, answering } from "../../kit/methods.ts";
import { type PoolView, recipientResource } from "../pool-record.ts";
import type { Command } from "./decide.ts";
import type { Event, OutcomeRecord } from "./event.ts";
import type { OutcomeResult, OutcomeSpec } from "./outcomes.ts";
import { previewInPool } from "./preview.ts";
import type { RouteResult } from "./route.ts";
import type { State } from "./state.ts";
import { type PackedAnswer, type PackedRequest, packAnswer, route, unpackRoute } from "./wire.ts";

type Method = EntityMethod<State, Command, Event>;

export interface OutcomeMessage {
  readonly id?: string;
  readonly routing_id?: string;
  readonly queue_item_id?: string;
  readonly recipient_id?: string;
  readonly result: OutcomeRecord["result"];
  readonly latency_ms?: number;
  readonly score?: number;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Of its item; not in the contract. */
  readonly item_key?: string;
  /** Why its item cannot be asked who has it; not in the contract. */
  readonly gone?: Refusal;
}

export type AnsweredOutcome = { readonly outcome: object } | { readonly refusal: Refusal };

/** Outcomes of one pool. An answer for every entry, in their order: also a stored one, to a request that is repeated. */
export const recordInPool = method<
  { readonly outcomes: readonly OutcomeMessage[]; readonly single: boolean },
  readonly AnsweredOutcome[]
>("router", "RecordOutcomes");

export const methods: Readonly<Record<string, Method>> = {
  [route.name]: {
    fresh: true,
    command(request) {
      const [poolId, routes, keyed, redirectedFrom, environment, single] = request as PackedRequest;
      const specs = routes.map((packed) => unpackRoute(packed, redirectedFrom));
      return { type: "route", poolId, specs, single, keyed, environment };
    },
    respond(state, _events, _command, _context, answer): readonly PackedAnswer[] {
      return (answer as readonly RouteResult[]).map((result) => packAnswer(result, state.environment));
    },
  },

  [previewInPool.name]: answering(previewInPool, (request) => ({
    type: "preview",
    poolId: request.pool_id,
    request,
  })),

  "RoutingService.GetRouting": answered(({ routing_id, verify = false }) => ({
    type: "get_routing",
    id: routing_id as string,
    verify: verify as boolean,
  })),

  [recordInPool.name]: {
    command(request) {
      const { outcomes, single } = request as { outcomes: OutcomeMessage[]; single: boolean };
      return { type: "record_outcomes", outcomes: outcomes.map(outcomeSpec), single };
    },
    respond(state, _events, _command, _context, answer) {
      return (answer as readonly OutcomeResult[]).map((result) =>
        result.type === "refused"
          ? { refusal: result.refusal }
          : { outcome: outcomeResource(state, result.outcome) },
      );
    },
  },

  "RecipientService.Heartbeat": {
    command(request) {
      const { recipient_id, ttl_seconds = 30 } = request as { recipient_id: string; ttl_seconds?: number };
      return { type: "heartbeat", recipientId: recipient_id, ttlMs: ttl_seconds * 1_000 };
    },
    respond: (state, _events, command, context) =>
      heartbeatAnswer(state, (command as { recipientId: string }).recipientId, context),
  },
};

function outcomeSpec(message: OutcomeMessage): OutcomeSpec {
  const { id, routing_id, queue_item_id, recipient_id, result, latency_ms, score, metadata, gone } = message;
  const { item_key } = message;
  return {
    result,
    ...(id !== undefined && { id }),
    ...(routing_id !== undefined && { routingId: routing_id }),
    ...(queue_item_id !== undefined && { queueItemId: queue_item_id }),
    ...(recipient_id !== undefined && { recipientId: recipient_id }),
    ...(latency_ms !== undefined && { latencyMs: latency_ms }),
    ...(score !== undefined && { score }),
    ...(metadata !== undefined && { metadata }),
    ...(item_key !== undefined && { itemKey: item_key }),
    ...(gone !== undefined && { gone }),
  };
}

function outcomeResource(state: State, outcome: OutcomeRecord): Record<string, unknown> {
  const { routingId, queueItemId, recipientId, latencyMs, score } = outcome;
  return {
    id: outcome.id,
    pool_id: state.poolId,
    ...(routingId !== undefined && { routing_id: routingId }),
    ...(queueItemId !== undefined && { queue_item_id: queueItemId }),
    ...(recipientId !== undefined && { recipient_id: recipientId }),
    result: outcome.result,
    ...(latencyMs !== undefined && { latency_ms: latencyMs }),
    ...(score !== undefined && { score }),
    metadata: outcome.metadata ?? {},
    created_at: toRfc3339(outcome.at),
  };
}

function heartbeatAnswer(state: State, id: string, context: Context): Record<string, unknown> {
  const record = context.twin<PoolView>("pool").recipients.get(id);
  assert(record, "pool and router have the same recipients");
  return recipientResource(record, { poolId: state.poolId, tenant: state.tenant }, state.recipients.get(id));
}
