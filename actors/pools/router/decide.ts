import { isRefusal, type Refusal, refuse } from "#base";
import type { PreviewRouteRequest } from "#protos";
import type { Context, Decision } from "#runtime";
import { fullBudget, isSpent, spentOf, unreadConditions } from "../../cel/command-budget.ts";
import { checkEnvironment, checkRedirect } from "../../kit/environment.ts";
import { advance } from "./assign.ts";
import type { Event } from "./event.ts";
import { decideOutcomes, type OutcomeSpec } from "./outcomes.ts";
import { preview } from "./preview.ts";
import { bucketKey, bucketOf, unpackRecord } from "./record.ts";
import { verify } from "./replay.ts";
import { type RouteResult, type RouteSpec, route } from "./route.ts";
import { routingRows, tableRows } from "./rows.ts";
import type { State } from "./state.ts";
import { routingResource } from "./wire.ts";

export type Command =
  | {
      readonly type: "route";
      readonly poolId: string;
      readonly specs: readonly RouteSpec[];
      /** One of them, whose refusal is the answer, rather than a result among others. */
      readonly single: boolean;
      /** With an idempotency key a redirect is committed, so that a retry goes the same way. */
      readonly keyed: boolean;
      /** Of the pool that was asked first, if that was another one: a redirect stays inside it. */
      readonly environment: string;
    }
  | { readonly type: "preview"; readonly poolId: string; readonly request: PreviewRouteRequest }
  | { readonly type: "get_routing"; readonly id: string; readonly verify: boolean }
  | {
      readonly type: "record_outcomes";
      readonly outcomes: readonly OutcomeSpec[];
      /** As of a route. */
      readonly single: boolean;
    }
  | { readonly type: "heartbeat"; readonly recipientId: string; readonly ttlMs: number }
  | { readonly type: "timer"; readonly id: string };

/**
 * Answers say more than events do: refused entries of a batch, redirects, explanations. The `answer` of a route is its
 * `RouteResult`s, that of outcomes their `OutcomeResult`s.
 */
export function decide(state: State, command: Command, context: Context): Decision<Event> {
  if (command.type === "timer") return decideTimer(state, command.id, context.now);
  if (state.status === "absent") return refuse("NOT_FOUND", `there is no such ${subjectOf(command)}`);
  const astray = command.type === "route" && checkRedirect(command.environment, state.environment);
  const foreign = astray || checkEnvironment(state.environment, context.caller);
  if (foreign) return foreign;
  switch (command.type) {
    case "route":
      return decideRoutes(state, command, context);
    case "preview": {
      const told = mayRoute(state, command) ?? preview(state, command.request, context);
      return isRefusal(told) ? told : { events: [], answer: told };
    }
    case "get_routing":
      return getRouting(state, command, context);
    case "record_outcomes": {
      const decided = decideOutcomes(state, command.outcomes, context);
      const { events, results } = decided;
      const only = command.single ? results[0]! : undefined;
      return only?.type === "refused" ? only.refusal : { events, answer: results };
    }
    case "heartbeat": {
      const { recipientId, ttlMs } = command;
      if (!state.recipients.has(recipientId)) return refuse("NOT_FOUND", "there is no such recipient");
      return { events: [{ type: "heartbeat", recipientId, ttlMs }] };
    }
  }
}

/** What a caller looks for in a pool that is not there. */
function subjectOf(command: Exclude<Command, { type: "timer" }>): string {
  switch (command.type) {
    case "route":
    case "preview":
      return "pool";
    case "get_routing":
      return "routing of the last day";
    case "record_outcomes":
      return "routing of the last day, or item";
    case "heartbeat":
      return "recipient";
  }
}

function decideRoutes(state: State, command: Command & { type: "route" }, context: Context): Decision<Event> {
  const refusal = mayRoute(state, command);
  if (refusal) return refusal;
  const { specs, single, keyed } = command;
  // Later decisions of a batch see the earlier ones; a single one needs no copy.
  const scratch = specs.length === 1 ? state : state.fork();
  const results: RouteResult[] = [];
  const events: Event[] = [];
  const commandBudget = fullBudget();
  for (const spec of specs) {
    // The rest is asked for again: others have their turn before it.
    if (results.length > 0 && isSpent(commandBudget)) break;
    const result = route(scratch, spec, context, commandBudget);
    if (result.type === "refused" && result.refusal === unreadConditions) break;
    results.push(result);
    for (const event of result.events) events.push(event);
    if (result.type === "routed" && scratch !== state) moveOn(scratch, result, context.now);
    if (result.type === "redirect" && keyed)
      events.push({ type: "redirected", poolId: result.poolId, ruleId: result.ruleId });
  }
  context.spend(spentOf(commandBudget));
  if (results.length === 0) return unreadConditions;
  const only = single ? results[0]! : undefined;
  // A refusal is not stored under an idempotency key: a retry may find a recipient.
  if (only?.type === "refused" && events.length === 0) return only.refusal;
  // While there is a canary a refusal is counted, so it is told as a result.
  if (only?.type === "refused" && state.canary === undefined) return only.refusal;
  return { events, answer: results, ...(only?.type === "refused" && { unrecorded: true as const }) };
}

function mayRoute(state: State, { poolId }: { readonly poolId: string }): Refusal | undefined {
  if (poolId !== state.poolId) return refuse("NOT_FOUND", "there is no such pool");
  if (state.status === "disabled")
    return refuse("FAILED_PRECONDITION", "the pool is disabled", { reason: "POOL_DISABLED" });
  return undefined;
}

function moveOn(scratch: State, { record }: RouteResult & { type: "routed" }, now: number): void {
  const recipient = scratch.recipients.get(record.recipientId)!;
  advance(scratch, recipient, now);
  if (record.reservedUntil === 0) return;
  recipient.inFlight += record.cost;
  scratch.reservations++;
}

function getRouting(
  { poolId, tenant }: State,
  { id, verify: isVerified }: Command & { type: "get_routing" },
  context: Context,
): Decision<Event> {
  const packed = context.get(routingRows, bucketKey(id));
  if (packed === null) return refuse("NOT_FOUND", "there is no such routing of the last day");
  const record = unpackRecord(packed);
  const routing = routingResource(poolId, tenant, id, { ...record, explanation: [], leftOut: 0 });
  if (!isVerified) return { events: [], answer: routing };
  const table = context.get(tableRows, [bucketOf(id), record.version]);
  return { events: [], answer: { ...routing, verification: verify(id, record, table) } };
}

/** Timers name what they are for; by the time they fire it may be over. */
function decideTimer(state: State, timerId: string, now: number): Decision<Event> {
  const colon = timerId.indexOf(":");
  const subject = timerId.slice(colon + 1);
  const nothing: Decision<Event> = { events: [] };
  switch (timerId.slice(0, colon)) {
    case "hold":
      return state.holds.has(subject) ? { events: [{ type: "unheld", holdId: subject }] } : nothing;
    case "probe": {
      const ejected = state.recipients.get(subject)?.health.state === "ejected";
      return ejected ? { events: [{ type: "half_opened", recipientId: subject }] } : nothing;
    }
    case "heartbeat": {
      const recipient = state.recipients.get(subject);
      const overdue =
        recipient && !recipient.offline && recipient.heartbeatAt + recipient.heartbeatTtlMs <= now;
      return overdue ? { events: [{ type: "went_offline", recipientId: subject }] } : nothing;
    }
    case "bucket":
      return { events: [{ type: "bucket_expired", bucket: Number(subject) }], frees: true };
    case "day":
      return { events: [{ type: "day_expired", day: Number(subject) }], frees: true };
    default:
      return nothing;
  }
}
