import { type FieldError, limits } from "#base";
import { tooMany } from "../../kit/mask.ts";
import type { RuleAction, Selector } from "../router.ts";

type Message = Readonly<Record<string, unknown>>;

/** An action from its message; the contract has checked that it has exactly one kind. */
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

/**
 * A merged action message with one kind left: a patch that sets another kind than the stored one replaces it. `undefined`
 * where the patch has removed the only kind.
 */
export function oneKind(merged: Message | undefined, stored: RuleAction): Message | undefined {
  const kinds = Object.keys(merged ?? {});
  if (kinds.length <= 1) return kinds.length === 0 ? undefined : merged;
  const { [stored.type]: _, ...another } = merged!;
  return another;
}

export function recipientIdsOf(action: RuleAction): readonly string[] {
  return "selector" in action ? (action.selector.recipientIds ?? []) : [];
}

/** The contract bounds what one request sets; the sum of several patches is known only here. */
export function sizeProblems(action: RuleAction): readonly FieldError[] {
  if (!("selector" in action)) return [];
  const { labels = {}, skills = {} } = action.selector;
  const field = `action.${action.type}`;
  return [
    ...(tooMany(`${field}.labels`, labels, limits.recipientTraitsMax)?.fields ?? []),
    ...(tooMany(`${field}.skills`, skills, limits.recipientTraitsMax)?.fields ?? []),
  ];
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
