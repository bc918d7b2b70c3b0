import { isRefusal, limits, type Refusal, refuse } from "#base";
import type { Context } from "#runtime";
import { bind, compile, evaluateKey } from "../../cel/cel.ts";
import { type CommandBudget, unreadConditions } from "../../cel/command-budget.ts";
import { codeOf, type Variant } from "../../kit/canary.ts";
import { eligible, exclusionOf, type Requirements } from "../eligibility.ts";
import { evaluateRules, type RoutableItem, type RuleOutcome } from "../rules.ts";
import { choose, type Draw, seedOf } from "../strategy.ts";
import { codeOfResult, counted, routedCode, variantNow } from "./canary.ts";
import type { Event } from "./event.ts";
import { type Explained, explain } from "./explain.ts";
import type { LiveRecipient } from "./recipient.ts";
import { none, packRecord, type RoutingRecord } from "./record.ts";
import { recordCandidates } from "./replay.ts";
import type { RouteView } from "./route-view.ts";
import type { State } from "./state.ts";

/** One item to route. */
export interface RouteSpec {
  readonly key: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly skills: Readonly<Record<string, number>>;
  readonly priority: number | undefined;
  readonly cost: number;
  /** 0: nothing is held. */
  readonly reserveMs: number;
  /** Recipients to say it of why they were in or out; 0: none. */
  readonly explain: number;
  /** Of a preview: what rules see as the payload, and what stands for the id of the routing in its draw. */
  readonly payload?: unknown;
  readonly seed?: string;
  /** Pools that sent it here, first to last, and the environment it began in. */
  readonly redirectedFrom: readonly string[];
}

export type RouteResult =
  | {
      readonly type: "routed";
      readonly id: string;
      readonly record: RoutingRecord;
      readonly explained: Explained | undefined;
      readonly events: readonly Event[];
    }
  | {
      readonly type: "redirect";
      readonly poolId: string;
      readonly ruleId: string;
      readonly events: readonly Event[];
    }
  | { readonly type: "refused"; readonly refusal: Refusal; readonly events: readonly Event[] };

/** One decision over the state as it is; while there is a canary, by the variant that the key belongs to. */
export function route(
  state: State,
  spec: RouteSpec,
  context: Context,
  commandBudget: CommandBudget,
): RouteResult {
  const { canary } = state;
  if (canary === undefined) return decideBy(state, spec, context, commandBudget);
  const variant = variantNow(canary, spec.key, context.now);
  if (variant !== "canary") return withCode(decideBy(state, spec, context, commandBudget, variant), variant);
  let result: RouteResult;
  try {
    result = decideBy(canary.view, spec, context, commandBudget, variant);
  } catch {
    // A candidate that throws is found out, and does not fail the caller.
    const stable = decideBy(state, spec, context, commandBudget);
    return { ...stable, events: [...stable.events, counted(codeOf("canary", "decisions", "fault"))] };
  }
  const judged = withCode(result, variant);
  // Its rules may not be in force: their errors are counted for the variant only.
  if (judged.events[0]?.type !== "rules_failed") return judged;
  return { ...judged, events: judged.events.slice(1) };
}

/** A routing has its code already. */
function withCode(result: RouteResult, variant: Variant | undefined): RouteResult {
  if (variant === undefined || result.type === "routed") return result;
  const code = codeOfResult(variant, result);
  return code === 0 ? result : { ...result, events: [...result.events, counted(code)] };
}

/** Rules, eligibility, strategy. */
export function decideBy(
  state: RouteView,
  spec: RouteSpec,
  context: Context,
  commandBudget: CommandBudget,
  variant?: Variant,
): RouteResult {
  const { now } = context;
  const rules = evaluateRules(state, itemOf(state, spec), now, commandBudget);
  const failed: readonly Event[] =
    rules.failed.length > 0 ? [{ type: "rules_failed", ruleIds: rules.failed }] : nothing;
  if (rules.type === "unread") return refused(unreadConditions, nothing);
  if (rules.type === "redirect")
    return { type: "redirect", poolId: rules.poolId, ruleId: rules.ruleId, events: failed };
  if (rules.type === "reject") return refused(rejected(rules), failed);
  if (spec.reserveMs > 0 && state.reservations >= limits.reservationsMax)
    return refused(tooManyReservations, failed);
  const drawKey = stickyKey(state, spec, now, commandBudget);
  if (isRefusal(drawKey)) return refused(drawKey, failed);

  const requirements = requirementsOf(spec, rules);
  commandBudget.steps -= lookSteps(state, requirements, spec.explain);
  const candidates = eligible(state, requirements, spec.cost, now) as readonly LiveRecipient[];
  const id = context.newId(context.address.key);
  const draw: Draw = {
    seed: seedOf(spec.seed ?? id, 0, state.version),
    cost: spec.cost,
    skills: spec.skills,
    key: drawKey || spec.key,
  };
  const chosen = choose(state, candidates, draw) as LiveRecipient | undefined;
  const asked = { requirements, cost: spec.cost, now };
  const explained =
    spec.explain > 0 ? explain(state, asked, candidates, chosen, draw, spec.explain) : undefined;
  if (!chosen) return refused(noRecipient(state, requirements, spec.cost, now, explained), failed);

  const reservedUntil = spec.reserveMs > 0 ? now + spec.reserveMs : 0;
  const { members, inputs, sample, digest } = recordCandidates(state, candidates, chosen, draw);
  const record: RoutingRecord = {
    recipientId: chosen.id,
    version: state.version,
    strategy: state.strategy,
    key: spec.key,
    drawKey,
    priority: priorityOf(state, spec, rules),
    cost: spec.cost,
    skills: spec.skills,
    candidateCount: candidates.length,
    members,
    inputs,
    sample,
    digest,
    matchedRuleIds: rules.matched,
    redirectedFrom: spec.redirectedFrom,
    reservedUntil,
    candidateId: state.candidateId,
  };
  const code = variant && routedCode(variant, rules.failed.length > 0);
  const routed = routedEvent(id, record, code);
  return {
    type: "routed",
    id,
    record,
    explained,
    events: failed.length === 0 ? [routed] : [...failed, routed],
  };
}

/** Each form is written out: with a canary, spreading one into the next took 2 µs of the 24 µs of a route. */
function routedEvent(id: string, record: RoutingRecord, code: number | undefined): Event {
  const { recipientId, cost, reservedUntil } = record;
  const packed = packRecord(record);
  if (reservedUntil === 0)
    return code === undefined
      ? { type: "routed", id, recipientId, record: packed }
      : { type: "routed", id, recipientId, record: packed, code };
  const hold = { cost, untilMs: reservedUntil };
  return code === undefined
    ? { type: "routed", id, recipientId, record: packed, hold }
    : { type: "routed", id, recipientId, record: packed, hold, code };
}

const nothing: readonly never[] = [];

/** What it takes to look at the recipients of a pool, at worst at all of them. */
function lookSteps(
  { recipients }: RouteView,
  { restrictions, preferences }: Requirements,
  explained: number,
): number {
  let traits = 0;
  for (const selectors of [restrictions, preferences])
    for (const { labels, skills } of selectors) {
      for (const _name in labels) traits++;
      for (const _name in skills) traits++;
    }
  const each = limits.recipientSteps + traits * limits.traitSteps;
  return recipients.size * each + Math.min(recipients.size, explained) * limits.explainedSteps;
}

const tooManyReservations = refuse("RATE_LIMITED", "too many reservations", {
  reason: "CONCURRENCY",
  retryAfterMs: limits.retryAfterMs,
});

function rejected({ reason, ruleId }: RuleOutcome & { type: "reject" }): Refusal {
  return refuse("FAILED_PRECONDITION", reason, { reason: "RULE_REJECTED", extra: { rule_id: ruleId } });
}

function refused(refusal: Refusal, events: readonly Event[]): RouteResult {
  return { type: "refused", refusal, events };
}

export function itemOf(state: RouteView, spec: RouteSpec): RoutableItem {
  const { key, attributes, cost, payload, priority = state.config.priority.default } = spec;
  return payload === undefined
    ? { key, attributes, priority, cost }
    : { key, attributes, priority, cost, payload };
}

/** What items stick by where the pool says so; empty: by their key. */
function stickyKey(
  state: RouteView,
  spec: RouteSpec,
  now: number,
  commandBudget: CommandBudget,
): string | Refusal {
  const source = state.strategy === "sticky_hash" ? state.config.sticky?.key : undefined;
  if (source === undefined) return "";
  const compiled = compile(source);
  if (!("program" in compiled)) return "";
  const found = evaluateKey(compiled.program, bind(itemOf(state, spec), state.tenant, now, commandBudget));
  if ("key" in found) return found.key;
  const field = "config.sticky.key";
  const reason = `${source} fails for this item: ${found.error}`;
  return refuse("INVALID_ARGUMENT", `${field}: ${reason}`, { fields: [{ field, reason }] });
}

function requirementsOf(spec: RouteSpec, rules: RuleOutcome & { type: "pass" }): Requirements {
  if (spec.labels === none && spec.skills === none) return rules;
  const own = { labels: spec.labels, skills: spec.skills };
  return { restrictions: [own, ...rules.restrictions], preferences: rules.preferences };
}

function priorityOf(state: RouteView, spec: RouteSpec, rules: RuleOutcome & { type: "pass" }): number {
  const { bands, default: usual } = state.config.priority;
  return Math.min(rules.priority ?? spec.priority ?? usual, bands);
}

function noRecipient(
  state: RouteView,
  requirements: Requirements,
  cost: number,
  now: number,
  explained: Explained | undefined,
): Refusal {
  const counts = new Map<string, number>();
  for (const recipient of state.sorted) {
    const reason = exclusionOf(state, recipient, requirements, cost, now) ?? "eligible";
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  const reasons = [...counts].map(([reason, count]) => `${count} ${reason}`).join(", ");
  const size = state.recipients.size;
  return refuse(
    "ROUTING_FAILED",
    size === 0 ? "the pool has no recipients" : `none of ${size} recipients is eligible: ${reasons}`,
    { retryAfterMs: limits.retryAfterMs, ...(explained && { explanation: explained }) },
  );
}
