import { limits, type Refusal, refuse } from "#base";
import { standInLine } from "../admission/line.ts";
import { fullQueue, hasNoRoom } from "../admission/room.ts";
import { heldByAnother, takeKey } from "../admission/singleton.ts";
import { copyItem, type Item } from "../rows/item.ts";
import type { UnitOfWork } from "../unit/unit-of-work.ts";

/**
 * A dead letter back into line under its own id: same payload, priority, class and keys, with a new budget of attempts.
 * `undefined` where rows have to be read first.
 */
export function redrive(unit: UnitOfWork, item: Item): Item | Refusal | undefined {
  if (item.retries >= limits.deadLetterRetriesMax)
    return refuse("STATE_CONFLICT", `it was retried ${item.retries} times`, { reason: "MAX_RETRIES" });
  const held = heldByAnother(unit, item);
  if (held === undefined) return undefined;
  if (held)
    return refuse("STATE_CONFLICT", "another item has its singleton key", { reason: "SINGLETON_HELD" });
  if (hasNoRoom(unit, { items: 1, bytes: item.bytes })) return fullQueue(unit, item.bytes);
  const revived = copyItem(item);
  revived.attempts = 0;
  revived.deliveries = 0;
  revived.retries++;
  revived.history++;
  revived.finishedAt = 0;
  revived.notBefore = 0;
  // A retry wants the item run: a deadline that has passed would end it at once.
  if (item.expiresAt <= unit.now) revived.expiresAt = 0;
  const after = standInLine(unit, revived);
  takeKey(unit, after);
  unit.change(item, after, "redriven");
  return after;
}
