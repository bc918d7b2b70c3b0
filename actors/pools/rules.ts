import { bind, matches } from "../cel/cel.ts";
import type { CommandBudget } from "../cel/command-budget.ts";
import type { RouterView, Selector } from "./router.ts";

/** What an expression sees as `item`, in proto names. */
export interface RoutableItem {
  readonly id?: string;
  readonly key?: string;
  readonly payload?: unknown;
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly priority?: number;
  readonly cost?: number;
}

export type RuleOutcome = {
  /** Ids of rules that matched, in order. */
  readonly matched: readonly string[];
  /** Ids of rules whose condition failed to evaluate; such a rule does not match. */
  readonly failed: readonly string[];
} & (
  | {
      readonly type: "pass";
      readonly restrictions: readonly Selector[];
      readonly preferences: readonly Selector[];
      readonly priority?: number;
    }
  | { readonly type: "redirect"; readonly poolId: string; readonly ruleId: string }
  | { readonly type: "reject"; readonly reason: string; readonly ruleId: string }
  /** Conditions are left that the command has no steps to parse: the item is for the next one. */
  | { readonly type: "unread" }
);

const nothing: RuleOutcome = { type: "pass", matched: [], failed: [], restrictions: [], preferences: [] };

/** Rules in order: every matching restriction and preference counts, the last priority wins, the first redirect or reject ends it. */
export function evaluateRules(
  view: RouterView,
  item: RoutableItem,
  now: number,
  commandBudget?: CommandBudget,
): RuleOutcome {
  if (view.rules.length === 0) return nothing;
  const bindings = bind(item, view.tenant, now, commandBudget);
  const matched: string[] = [];
  const failed: string[] = [];
  const restrictions: Selector[] = [];
  const preferences: Selector[] = [];
  let priority: number | undefined;
  for (const { id, program, action } of view.rules) {
    const match = matches(program, bindings);
    if (match === "unread") return { type: "unread", matched: [], failed: [] };
    if (match === "error") failed.push(id);
    if (match !== true) continue;
    matched.push(id);
    switch (action.type) {
      case "restrict":
        restrictions.push(action.selector);
        break;
      case "prefer":
        preferences.push(action.selector);
        break;
      case "set_priority":
        priority = action.priority;
        break;
      case "redirect":
        return { type: "redirect", matched, failed, poolId: action.poolId, ruleId: id };
      case "reject":
        return { type: "reject", matched, failed, reason: action.reason, ruleId: id };
    }
  }
  return {
    type: "pass",
    matched,
    failed,
    restrictions,
    preferences,
    ...(priority !== undefined && { priority }),
  };
}
