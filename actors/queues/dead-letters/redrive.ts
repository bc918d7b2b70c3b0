import { limits, type Refusal, refuse } from "#base";
import { heldByAnother, takeSingleton } from "../admission/singleton.ts";
import type { Draft } from "../draft.ts";
import type { Item } from "../item.ts";
import { standInLine } from "../line.ts";

/**
 * A dead letter back into line under its own id: same payload, priority, class and keys, with a new budget of attempts.
 * `undefined` where rows have to be read first.
 */
export function redrive(draft: Draft, item: Item): Item | Refusal | undefined {
  if (item.retries >= limits.deadLetterRetriesMax)
    return refuse("STATE_CONFLICT", `it was retried ${item.retries} times`, { reason: "MAX_RETRIES" });
  const held = heldByAnother(draft, item);
  if (held === undefined) return undefined;
  if (held)
    return refuse("STATE_CONFLICT", "another item has its singleton key", { reason: "SINGLETON_HELD" });
  const revived: Item = {
    ...item,
    attempts: 0,
    deliveries: 0,
    retries: item.retries + 1,
    finishedAt: 0,
    notBefore: 0,
    // Whoever retries an item wants it run: a deadline that has passed would end it at once.
    expiresAt: item.expiresAt <= draft.now ? 0 : item.expiresAt,
  };
  const after = standInLine(draft, revived);
  takeSingleton(draft, after, { type: "free" });
  draft.change(item, after, "redriven");
  return after;
}
