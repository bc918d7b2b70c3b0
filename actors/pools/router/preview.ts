import { isRefusal, limits, type Refusal } from "#base";
import type { PreviewRouteRequest, RuleContent } from "#protos";
import type { Context } from "#runtime";
import { bind, failureOf } from "../../cel/cel.ts";
import { fullBudget, spentOf, unreadConditions } from "../../cel/command-budget.ts";
import { method } from "../../kit/ask.ts";
import { actionOf } from "../pool/rule-action.ts";
import type { PoolView } from "../pool-record.ts";
import type { CanaryTable } from "../router.ts";
import { evaluateRules, type RuleOutcome } from "../rules.ts";
import { canaryOf, variantNow } from "./canary.ts";
import { decideBy, itemOf, type RouteResult, type RouteSpec } from "./route.ts";
import type { RouteView } from "./route-view.ts";
import type { State } from "./state.ts";
import { packRoute, unpackRoute } from "./wire.ts";

type Message = Readonly<Record<string, unknown>>;

export const previewInPool = method<PreviewRouteRequest, Message>("router", "Preview");

/** What Route would answer now, by the same decision; nothing of it is kept. */
export function preview(state: State, request: PreviewRouteRequest, context: Context): Message | Refusal {
  const view = viewOf(state, request, context.now);
  const spec = specOf(request);
  const budget = fullBudget();
  const result = decideBy(view, spec, context, budget);
  context.spend(spentOf(budget));
  if (result.type === "refused" && result.refusal === unreadConditions) return unreadConditions;
  const told = outcomeOf(result);
  if (isRefusal(told)) return told;
  return { ...told, rules: previewedRules(view, spec, request.draft_rules, context) };
}

/** With the drafts instead of the rules; else the variant of a canary that the key belongs to. */
function viewOf(state: State, { draft_rules: drafts, key }: PreviewRouteRequest, now: number): RouteView {
  if (drafts.length > 0) return canaryOf(state, draftTable(drafts), undefined).view;
  const { canary } = state;
  return canary && variantNow(canary, key, now) === "canary" ? canary.view : state;
}

/** The id of a draft is its place in the request. */
function draftTable(drafts: readonly RuleContent[]): CanaryTable {
  const rules = [...drafts.entries()]
    .filter(([, { enabled }]) => enabled !== false)
    .sort(([, a], [, b]) => a.order - b.order)
    .map(([place, { order, condition, action }]) => ({
      id: String(place),
      order,
      condition: condition.trim() === "" ? "true" : condition,
      action: actionOf({ ...action }),
    }));
  return { candidateId: "", shares: [], slowMs: 0, rules };
}

function specOf({ payload, seed, ...route }: PreviewRouteRequest): RouteSpec {
  const spec = unpackRoute(packRoute({ ...route, explain: true }, limits.explainedMax), []);
  return { ...spec, ...(payload !== undefined && { payload }), ...(seed !== undefined && { seed }) };
}

function outcomeOf(result: RouteResult): Message | Refusal {
  if (result.type === "redirect") return { outcome: "redirected", redirect_pool_id: result.poolId };
  const explained = result.type === "routed" ? result.explained : result.refusal.explanation;
  const { candidates = [], leftOut = 0 } = explained ?? {};
  const explanation = { explanation: candidates, ...(leftOut > 0 && { explanation_left_out: leftOut }) };
  if (result.type === "routed")
    return { outcome: "routed", recipient_id: result.record.recipientId, ...explanation };
  const { code, reason, detail } = result.refusal;
  if (code === "ROUTING_FAILED") return { outcome: "no_recipient", reason: detail, ...explanation };
  return reason === "RULE_REJECTED" ? { outcome: "rejected", reason: detail } : result.refusal;
}

/** Those that were looked at, up to the one that rejects or redirects. */
function previewedRules(
  view: RouteView,
  spec: RouteSpec,
  drafts: readonly RuleContent[],
  context: Context,
): readonly Message[] {
  const item = itemOf(view, spec);
  const outcome = evaluateRules(view, item, context.now);
  const stored = context.twin<PoolView>("pool").rules;
  const end = lastRuleOf(outcome);
  const looked =
    end === undefined ? view.rules : view.rules.slice(0, view.rules.findIndex(({ id }) => id === end) + 1);
  return looked.map(({ id, program }) => {
    const draft = drafts[Number(id)];
    const named = draft ? { name: draft.name } : { rule_id: id, name: stored.get(id)?.name ?? "" };
    const matched = outcome.matched.includes(id);
    if (!outcome.failed.includes(id)) return { ...named, matched };
    return { ...named, matched, error: failureOf(program, bind(item, view.tenant, context.now)) };
  });
}

function lastRuleOf(outcome: RuleOutcome): string | undefined {
  return outcome.type === "redirect" || outcome.type === "reject" ? outcome.ruleId : undefined;
}
