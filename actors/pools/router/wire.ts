import { isRefusal, type Refusal, toRfc3339, ulidTimeMs } from "#base";
import { method } from "../../kit/ask.ts";
import type { Strategy } from "../router.ts";
import type { Explanation } from "./explain.ts";
import { none, type RoutingRecord, strategies } from "./record.ts";
import type { RouteResult, RouteSpec } from "./route.ts";

/**
 * What passes between the orchestrations of this module and its router, often from one thread to another: values in a
 * fixed order and nothing that the asker knows, because names cost more to carry and to copy than what they name.
 */
export type PackedRequest = readonly [
  poolId: string,
  routes: readonly PackedRoute[],
  keyed: boolean,
  redirectedFrom: readonly string[],
  /** Of the pool that was asked first; empty: this one. */
  environment: string,
  /** One route whose refusal is the answer, rather than a result among others. */
  single: boolean,
];

/** Decides the first of the routes, as many as one command may. */
export const route = method<PackedRequest, readonly PackedAnswer[]>("router", "Route");

/** As the contract has it. */
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

/** Most routes have a key and attributes only. */
type PackedRoute =
  | readonly [key: string, attributes: Attributes]
  | readonly [
      key: string,
      attributes: Attributes,
      labels: Labels | null,
      skills: Skills | null,
      cost: number,
      reserveMs: number,
      explain: number,
      priority: number | null,
    ];
type Attributes = Readonly<Record<string, unknown>> | null;
type Labels = Readonly<Record<string, string>>;
type Skills = Readonly<Record<string, number>>;

/** `explained`: of how many recipients it is told why they were in or out, where the route asks for it. */
export function packRoute(message: RouteMessage, explained: number): PackedRoute {
  const {
    key = "",
    attributes = null,
    cost = 1,
    reserve = false,
    explain = false,
    priority = null,
  } = message;
  const labels = given(message.required_labels);
  const skills = given(message.skills);
  if (labels === null && skills === null && cost === 1 && !reserve && !explain && priority === null)
    return [key, attributes];
  const reserveMs = reserve ? (message.reserve_seconds ?? 30) * 1_000 : 0;
  return [key, attributes, labels, skills, cost, reserveMs, explain ? explained : 0, priority];
}

export function unpackRoute(packed: PackedRoute, redirectedFrom: readonly string[]): RouteSpec {
  const [key, attributes, labels, skills, cost = 1, reserveMs = 0, explain = 0, priority] = packed;
  return {
    key,
    attributes: attributes ?? none,
    labels: labels ?? none,
    skills: skills ?? none,
    priority: priority ?? undefined,
    cost,
    reserveMs,
    explain,
    redirectedFrom,
  };
}

/** Interfaces that decode binary fill in empty maps. */
function given<T>(map: Readonly<Record<string, T>> | undefined): Readonly<Record<string, T>> | null {
  for (const _ in map) return map;
  return null;
}

/** What the router says to one entry: a routing, where to ask instead, or a refusal. */
export type PackedAnswer = PackedRouting | readonly [poolId: string, environment: string] | Refusal;

type PackedRouting = readonly [...PlainRouting, candidateId?: string];

type PlainRouting = readonly [
  id: string,
  recipientId: string,
  strategy: number,
  version: number,
  priority: number,
  candidateCount: number,
  reservedUntil: number,
  matchedRuleIds: readonly string[] | null,
  explanation: readonly Explanation[] | null,
  leftOut: number,
];

export function packAnswer(result: RouteResult, environment: string): PackedAnswer {
  switch (result.type) {
    case "refused":
      return result.refusal;
    case "redirect":
      return [result.poolId, environment];
    case "routed": {
      const { id, record, explained } = result;
      const routing: PlainRouting = [
        id,
        record.recipientId,
        strategies.indexOf(record.strategy),
        record.version,
        record.priority,
        record.candidateCount,
        record.reservedUntil,
        record.matchedRuleIds.length === 0 ? null : record.matchedRuleIds,
        explained?.candidates ?? null,
        explained?.leftOut ?? 0,
      ];
      return record.candidateId === undefined ? routing : [...routing, record.candidateId];
    }
  }
}

/** One entry of an answer, as the asker goes on with it. */
export type RouterAnswer =
  | { readonly routing: Record<string, unknown> }
  | { readonly refusal: Refusal }
  | { readonly redirect: string; readonly environment: string };

/** What the asker knows of the entry and the router does not repeat. */
export interface Asked {
  readonly poolId: string;
  readonly tenant: string;
  readonly redirectedFrom: readonly string[];
}

export function readAnswer(packed: PackedAnswer, message: RouteMessage, asked: Asked): RouterAnswer {
  if (isRefusal(packed)) return { refusal: packed };
  if (packed.length === 2) return { redirect: packed[0], environment: packed[1] };
  const [
    id,
    recipientId,
    strategy,
    version,
    priority,
    candidateCount,
    reservedUntil,
    matched,
    explanation,
    leftOut,
    candidateId,
  ] = packed;
  return {
    routing: routingResource(asked.poolId, asked.tenant, id, {
      recipientId,
      strategy: strategies[strategy]!,
      key: message.key ?? "",
      priority,
      cost: message.cost ?? 1,
      version,
      matchedRuleIds: matched ?? [],
      redirectedFrom: asked.redirectedFrom,
      reservedUntil,
      candidateCount,
      explanation: explanation ?? [],
      leftOut,
      candidateId,
    }),
  };
}

interface Shown
  extends Pick<
    RoutingRecord,
    | "recipientId"
    | "key"
    | "priority"
    | "cost"
    | "version"
    | "matchedRuleIds"
    | "redirectedFrom"
    | "reservedUntil"
    | "candidateCount"
    | "candidateId"
  > {
  readonly strategy: Strategy;
  readonly explanation: readonly Explanation[];
  readonly leftOut: number;
}

export function routingResource(
  poolId: string,
  tenant: string,
  id: string,
  shown: Shown,
): Record<string, unknown> {
  const routing: Record<string, unknown> = {
    id,
    pool_id: poolId,
    tenant_id: tenant,
    recipient_id: shown.recipientId,
    strategy: shown.strategy,
    key: shown.key,
    priority: shown.priority,
    cost: shown.cost,
    pool_version: shown.version,
    matched_rule_ids: shown.matchedRuleIds,
    redirected_from: shown.redirectedFrom,
    candidate_count: shown.candidateCount,
    explanation: shown.explanation,
    created_at: createdAt(id),
  };
  if (shown.candidateId !== undefined) routing.candidate_id = shown.candidateId;
  if (shown.leftOut > 0) routing.explanation_left_out = shown.leftOut;
  if (shown.reservedUntil > 0) routing.reserved_until = toRfc3339(shown.reservedUntil);
  return routing;
}

function createdAt(id: string): string {
  const time = id.slice(0, 10);
  if (time !== lastTime) {
    lastCreatedAt = toRfc3339(ulidTimeMs(id));
    lastTime = time;
  }
  return lastCreatedAt;
}

/** Of the last id that was shown: ids of one millisecond share it. */
let lastTime = "";
let lastCreatedAt = "";
