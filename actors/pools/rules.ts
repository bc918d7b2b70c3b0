import { isDeepStrictEqual } from "node:util";
import { type FieldError, handleOf, isRefusal, limits, type Refusal, refuse } from "#base";
import type { Context, Decision } from "#runtime";
import { problemsOf } from "../shared/cel.ts";
import { applyMask } from "../shared/mask.ts";
import type { RuleRecord } from "../shared/pool-record.ts";
import type { RouterTableEvent, RoutingRule, RuleAction, Selector } from "../shared/router.ts";
import { checkVersion } from "../shared/version.ts";
import { actionProblems } from "./rule-check.ts";
import type { Event, State } from "./state.ts";

type Message = Readonly<Record<string, unknown>>;

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
  if (state.rules.size >= limits.rulesMax)
    return refuse("FAILED_PRECONDITION", `a pool has at most ${limits.rulesMax} rules`, {
      reason: "LIMIT_REACHED",
    });
  const id = context.newId(handleOf(state.pool!.id));
  const times = { createdAt: context.now, updatedAt: context.now, recordVersion: 0 };
  const rule = { ...settingsOf(given, nextOrder(state)), id, ...times };
  return (
    invalid([...conditionErrors(rule), ...actionProblems(state, rule.action, given)]) ??
    put(state, rule, "created", context.now)
  );
}

function update(state: State, stored: RuleRecord, given: Message, now: number): Decision<Event> {
  const conflict = checkVersion(stored.recordVersion, given.record_version as number | undefined);
  if (conflict) return conflict;
  // An action is one choice: it is replaced, whichever of its members a patch names.
  const mask = (given.update_mask as string[] | undefined)?.map((path) =>
    path.replace(/^action\..*/, "action"),
  );
  const replaced = mask && mask.length > 0 ? mask.includes("action") : given.action !== undefined;
  const { action, ...plain } = stored;
  const changed = applyMask(plain, given, mask, fields);
  if (isRefusal(changed)) return changed;
  const required = [
    ...(typeof changed.name === "string" ? [] : ["name"]),
    ...(replaced && given.action === undefined ? ["action"] : []),
  ];
  if (required.length > 0) return invalid(required.map((field) => ({ field, reason: "is required" })))!;
  const next = { ...stored, ...settingsOf(changed, nextOrder(state)) };
  // What is stored was there when it was named; a recipient that is gone since does not keep the rest from being changed.
  const rule = replaced ? next : { ...next, action };
  const problems = replaced ? actionProblems(state, rule.action, given) : [];
  return invalid([...conditionErrors(rule), ...problems]) ?? change(state, rule, now);
}

function change(state: State, next: RuleRecord, now: number): Decision<Event> {
  if (isDeepStrictEqual(next, state.rules.get(next.id))) return { events: [] };
  return put(state, next, "updated", now);
}

function put(state: State, record: RuleRecord, change: "created" | "updated", now: number): Decision<Event> {
  const rule = { ...record, updatedAt: now, recordVersion: record.recordVersion + 1 };
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
  };
}

/** The router gets the enabled rules in order, and nothing else of them. */
function handOver(rules: readonly RuleRecord[], version: number): RouterTableEvent {
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

export function actionOf(given: Message): RuleAction {
  if (given.restrict) return { type: "restrict", selector: selectorOf(given.restrict as Message) };
  if (given.prefer) return { type: "prefer", selector: selectorOf(given.prefer as Message) };
  if (given.set_priority) {
    const { priority } = given.set_priority as { priority: number };
    return { type: "set_priority", priority };
  }
  if (given.redirect) return { type: "redirect", poolId: (given.redirect as { pool_id: string }).pool_id };
  const { reason = "" } = (given.reject as { reason?: string } | undefined) ?? {};
  return { type: "reject", reason };
}

function selectorOf(given: Message): Selector {
  const ids = (given.recipient_ids as string[] | undefined) ?? [];
  const labels = (given.labels as Record<string, string> | undefined) ?? {};
  const skills = (given.skills as Record<string, number> | undefined) ?? {};
  return {
    ...(ids.length > 0 && { recipientIds: ids }),
    ...(Object.keys(labels).length > 0 && { labels }),
    ...(Object.keys(skills).length > 0 && { skills }),
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
