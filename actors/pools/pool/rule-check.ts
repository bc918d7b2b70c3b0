import { type FieldError, limits } from "#base";
import { method } from "../../kit/ask.ts";
import type { Message } from "../../kit/record.ts";
import type { RuleAction } from "../router.ts";
import type { State } from "./state.ts";

/** What is known of the pool that an action redirects to; not in the contract. */
export interface RedirectTarget {
  /** Empty: there is no such pool. Absent: it is not known. */
  readonly target_environment?: string;
}

export interface ActionCheck extends RedirectTarget {
  readonly pool_id: string;
  readonly action: Message;
}

/** Asks what a rule of this pool would be refused for. */
export const checkAction = method<ActionCheck, { readonly problems: readonly FieldError[] }>(
  "pool",
  "CheckAction",
);

/** What an action selects, and what it names that is not there: a rule with that would do nothing, or send items nowhere. */
export function actionProblems(state: State, action: RuleAction, target: RedirectTarget): FieldError[] {
  switch (action.type) {
    case "redirect":
      return redirectProblems(state, action.poolId, target);
    case "restrict":
    case "prefer": {
      const field = `action.${action.type}`;
      if (Object.keys(action.selector).length === 0) return [{ field, reason: "selects nothing" }];
      const { recipientIds = [] } = action.selector;
      const unknown = recipientIds.flatMap((id, index) => (state.recipients.has(id) ? [] : [index]));
      return unknown.slice(0, limits.fieldErrorsMax).map((index) => ({
        field: `${field}.recipient_ids[${index}]`,
        reason: "is no recipient of this pool",
      }));
    }
    case "set_priority":
    case "reject":
      return [];
  }
}

export const noTarget: FieldError = { field: "action.redirect.pool_id", reason: "is no pool" };

function redirectProblems(
  state: State,
  poolId: string,
  { target_environment }: RedirectTarget,
): FieldError[] {
  const { field } = noTarget;
  const { id, environment } = state.pool!;
  if (poolId === id) return [{ field, reason: "is the pool itself" }];
  if (target_environment === undefined || target_environment === environment) return [];
  if (target_environment === "") return [noTarget];
  return [{ field, reason: `is in ${target_environment}, and this pool in ${environment}` }];
}
