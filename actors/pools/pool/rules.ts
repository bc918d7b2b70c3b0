import { isDeepStrictEqual } from "node:util";
import { type FieldError, handleOf, isRefusal, limits, type Refusal, refuse } from "#base";
import type { Context, Decision } from "#runtime";
import { problemsOf } from "../../cel/cel.ts";
import {
  limitReached,
  type Message,
  newRecord,
  nextRecord,
  requireFields,
  updatedSettings,
} from "../../kit/record.ts";
import { checkVersion } from "../../kit/version.ts";
import { actionResource, type RuleRecord } from "../pool-record.ts";
import type { RouterTableEvent, RoutingRule } from "../router.ts";
import { actionOf, oneKind, recipientIdsOf, sizeProblems } from "./rule-action.ts";
import { actionProblems, type RedirectTarget } from "./rule-check.ts";
import type { Event, State } from "./state.ts";

export type RuleCommand =
  | { readonly type: "create_rule"; readonly poolId: string; readonly given: Message }
  | { readonly type: "get_rule"; readonly id: string }
  | { readonly type: "update_rule"; readonly id: string; readonly given: Message }
  | { readonly type: "delete_rule"; readonly id: string; readonly version?: number };

const fields = ["name", "order", "enabled", "condition", "action"];

export function decideRule(state: State, command: RuleCommand, context: Context): Decision<Event> {
  if (command.type === "create_rule") return create(state, command.given, context);
  const stored = state.rules.get(command.id);
  if (!stored) return refuse("NOT_FOUND", "there is no such rule");
  switch (command.type) {
    case "get_rule":
      return { events: [] };
    case "update_rule":
      return update(state, stored, command.given, context.now);
    case "delete_rule":
      return checkVersion(stored.recordVersion, command.version) ?? remove(state, stored.id);
  }
}

function create(state: State, given: Message, context: Context): Decision<Event> {
  if (state.rules.size >= limits.rulesMax) return limitReached("a pool", limits.rulesMax, "rules");
  const id = context.newId(handleOf(state.pool!.id));
  const rule = newRecord(id, settingsOf(given, nextOrder(state)), context.now);
  return (
    invalid([...conditionErrors(rule), ...actionProblems(state, rule.action, given)]) ??
    put(state, rule, "created")
  );
}

function update(state: State, stored: RuleRecord, given: Message, now: number): Decision<Event> {
  const settings = { ...stored, action: actionResource(stored.action) };
  const changed = updatedSettings(stored, settings, given, { fields, required: [] });
  if (isRefusal(changed)) return changed;
  const named = { ...changed, action: oneKind(changed.action as Message | undefined, stored.action) };
  const incomplete = requireFields(named, ["name", "action"]);
  if (incomplete) return incomplete;
  const rule = { ...stored, ...settingsOf(named, nextOrder(state)) };
  const mask = given.update_mask as string[] | undefined;
  const problems = namesAction(mask, given) ? changedActionProblems(state, stored, rule, given) : [];
  return invalid([...conditionErrors(rule), ...problems]) ?? change(state, rule, now);
}

function namesAction(mask: readonly string[] | undefined, given: Message): boolean {
  if (mask === undefined || mask.length === 0) return given.action !== undefined;
  return mask.some((path) => path === "action" || path.startsWith("action."));
}

/** A recipient that was deleted after the rule named it does not prevent other changes of the rule. */
function changedActionProblems(
  state: State,
  stored: RuleRecord,
  { action }: RuleRecord,
  target: RedirectTarget,
): FieldError[] {
  const problems = [...sizeProblems(action), ...actionProblems(state, action, target)];
  if (!isDeepStrictEqual(recipientIdsOf(action), recipientIdsOf(stored.action))) return problems;
  return problems.filter(({ field }) => !field.includes("recipient_ids"));
}

function change(state: State, next: RuleRecord, now: number): Decision<Event> {
  const changed = nextRecord(state.rules.get(next.id)!, next, now);
  return changed ? put(state, changed, "updated") : { events: [] };
}

function put(state: State, rule: RuleRecord, change: "created" | "updated"): Decision<Event> {
  const version = state.version + 1;
  const others = [...state.rules.values()].filter(({ id }) => id !== rule.id);
  return {
    events: [{ type: "rule_put", change, rule, version }],
    twins: { router: [handOver([...others, rule], version)] },
  };
}

function remove(state: State, id: string): Decision<Event> {
  const version = state.version + 1;
  const left = [...state.rules.values()].filter((rule) => rule.id !== id);
  return {
    events: [{ type: "rule_removed", id, version }],
    twins: { router: [handOver(left, version)] },
    frees: true,
  };
}

/** The router gets the enabled rules in order, and nothing else of them. */
export function handOver(
  rules: readonly RuleRecord[],
  version: number,
): Extract<RouterTableEvent, { type: "rules_put" }> {
  const enabled: RoutingRule[] = rules
    .filter((rule) => rule.enabled)
    .sort((a, b) => a.order - b.order || (a.id < b.id ? -1 : 1))
    .map(({ id, order, condition, action }) => ({ id, order, condition, action }));
  return { type: "rules_put", version, rules: enabled };
}

function conditionErrors({ condition }: RuleRecord): FieldError[] {
  return problemsOf(condition, "condition").map(({ line, column, reason }) => ({
    field: "condition",
    reason: `line ${line}, column ${column}: ${reason}`,
  }));
}

function settingsOf(
  given: Message,
  order: number,
): Pick<RuleRecord, "name" | "order" | "enabled" | "condition" | "action"> {
  const condition = given.condition as string | undefined;
  return {
    name: given.name as string,
    order: (given.order as number | undefined) ?? order,
    enabled: (given.enabled as boolean | undefined) ?? true,
    // An empty condition matches everything: a rule for all items needs no expression.
    condition: condition === undefined || condition.trim() === "" ? "true" : condition,
    action: actionOf((given.action as Message | undefined) ?? {}),
  };
}

/** After all others. */
function nextOrder(state: State): number {
  let last = 0;
  for (const { order } of state.rules.values()) last = Math.max(last, order);
  return Math.min(last + 1, limits.ruleOrderMax);
}

function invalid(errors: readonly FieldError[]): Refusal | undefined {
  if (errors.length === 0) return undefined;
  return refuse("INVALID_ARGUMENT", `${errors[0]!.field} ${errors[0]!.reason}`, { fields: errors });
}
