import { assert, type Refusal, toRfc3339, ulidTimeMs } from "#base";
import type { Context, EntityMethod } from "#runtime";
import { batchError } from "../shared/batch.ts";
import { type PoolView, recipientResource } from "../shared/pool-record.ts";
import type { Command } from "./decide.ts";
import type { Explanation } from "./explain.ts";
import type { OutcomeSpec } from "./outcomes.ts";
import { bucketKey, bucketOf, none, type RoutingRecord, type TableRecord, unpackRecord } from "./record.ts";
import { verify } from "./replay.ts";
import type { RouteResult, RouteSpec } from "./route.ts";
import type { Event, OutcomeRecord, State } from "./state.ts";

type Method = EntityMethod<State, Command, Event>;

/** Between the orchestrations of this module and its router. */
export interface RouterRequest {
  readonly pool_id: string;
  readonly routes: readonly RouteMessage[];
  readonly keyed: boolean;
  readonly environment?: string;
  readonly redirected_from: readonly string[];
}

export interface RouteMessage {
  readonly key?: string;
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly required_labels?: Readonly<Record<string, string>>;
  readonly skills?: Readonly<Record<string, number>>;
  readonly priority?: number;
  readonly cost?: number;
  readonly reserve?: boolean;
  readonly reserve_seconds?: number;
  readonly explain?: boolean;
}

/** What the router answers for one entry. */
export type RouterAnswer =
  | { readonly routing: Record<string, unknown> }
  | { readonly refusal: Refusal }
  | { readonly redirect: string; readonly environment: string };

export interface OutcomeMessage {
  readonly id?: string;
  readonly routing_id?: string;
  readonly queue_item_id?: string;
  readonly recipient_id?: string;
  readonly result: OutcomeRecord["result"];
  readonly latency_ms?: number;
  readonly score?: number;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export const methods: Readonly<Record<string, Method>> = {
  "Router.Route": {
    command(request) {
      const { pool_id, routes, keyed, environment, redirected_from } = request as RouterRequest;
      const specs = routes.map((message) => specOf(message, redirected_from));
      const answer = { results: [] };
      return {
        type: "route",
        poolId: pool_id,
        specs,
        keyed,
        answer,
        ...(environment !== undefined && { environment }),
      };
    },
    respond(state, _events, command): readonly RouterAnswer[] {
      assert(command.type === "route", "a route answers a route");
      return command.answer.results.map((result) => answerOf(state, result));
    },
  },

  "RoutingService.GetRouting": {
    command(request) {
      const { routing_id, verify = false } = request as { routing_id: string; verify?: boolean };
      return { type: "get_routing", id: routing_id, verify };
    },
    respond(state, _events, command, context) {
      assert(command.type === "get_routing", "a get answers a get");
      const { id } = command;
      const record = unpackRecord(context.row({ collection: "routings", key: bucketKey(id) }) as unknown[]);
      const routing = routingResource(state, id, record, []);
      if (!command.verify) return routing;
      const table = context.row({ collection: "tables", key: [bucketOf(id), record.version] });
      return { ...routing, verification: verify(id, record, table as TableRecord | null) };
    },
  },

  "Router.RecordOutcomes": {
    command: (request) => ({
      type: "record_outcomes",
      outcomes: (request as { outcomes: OutcomeMessage[] }).outcomes.map(outcomeSpec),
      answer: { results: [] },
    }),
    respond(state, _events, command) {
      assert(command.type === "record_outcomes", "outcomes answer outcomes");
      return command.answer.results.map((result) =>
        result.type === "refused"
          ? { error: batchError(result.refusal), refusal: result.refusal }
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

function specOf(message: RouteMessage, redirectedFrom: readonly string[]): RouteSpec {
  const { priority, reserve = false, reserve_seconds = 30 } = message;
  return {
    key: message.key ?? "",
    attributes: message.attributes ?? none,
    labels: given(message.required_labels),
    skills: given(message.skills),
    cost: message.cost ?? 1,
    reserveMs: reserve ? reserve_seconds * 1_000 : 0,
    explain: message.explain ?? false,
    redirectedFrom,
    ...(priority !== undefined && { priority }),
  };
}

/** Doors that decode binary fill in empty maps. */
function given<T>(map: Readonly<Record<string, T>> | undefined): Readonly<Record<string, T>> {
  for (const _ in map) return map;
  return none;
}

function answerOf(state: State, result: RouteResult): RouterAnswer {
  switch (result.type) {
    case "routed":
      return { routing: routingResource(state, result.id, result.record, result.explanation) };
    case "refused":
      return { refusal: result.refusal };
    case "redirect":
      return { redirect: result.poolId, environment: state.environment };
  }
}

function routingResource(
  state: State,
  id: string,
  record: RoutingRecord,
  explanation: readonly Explanation[],
): Record<string, unknown> {
  return {
    id,
    pool_id: state.poolId,
    tenant_id: state.tenant,
    recipient_id: record.recipientId,
    strategy: record.strategy,
    key: record.key,
    priority: record.priority,
    cost: record.cost,
    pool_version: record.version,
    matched_rule_ids: record.matchedRuleIds,
    redirected_from: record.redirectedFrom,
    ...(record.reservedUntil > 0 && { reserved_until: toRfc3339(record.reservedUntil) }),
    candidate_count: record.candidateCount,
    explanation,
    created_at: toRfc3339(ulidTimeMs(id)),
  };
}

function outcomeSpec(message: OutcomeMessage): OutcomeSpec {
  const { id, routing_id, queue_item_id, recipient_id, result, latency_ms, score, metadata } = message;
  return {
    result,
    ...(id !== undefined && { id }),
    ...(routing_id !== undefined && { routingId: routing_id }),
    ...(queue_item_id !== undefined && { queueItemId: queue_item_id }),
    ...(recipient_id !== undefined && { recipientId: recipient_id }),
    ...(latency_ms !== undefined && { latencyMs: latency_ms }),
    ...(score !== undefined && { score }),
    ...(metadata !== undefined && { metadata }),
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
