import { exclusionOf, noRequirements } from "../../../actors/pools/eligibility.ts";
import type { Item } from "../../../actors/pools/queue/rows/item.ts";
import type { RouterView } from "../../../actors/pools/router.ts";
import type { LeasedItem } from "../queue.ts";
import type { Changing } from "./changing.ts";
import type { Recipient } from "./recipients.ts";
import { namedControls } from "./settings.ts";

/** The items just leased are within the present limits: of their recipient, and of every control that the item has. */
export function handoutProblems(
  { slots, settings }: Changing,
  recipient: Recipient,
  handedOut: readonly LeasedItem[],
  items: readonly Item[],
): string[] {
  const leased = items.filter(({ lease }) => lease !== null);
  const used = leased
    .filter(({ lease }) => lease!.recipient === recipient.id)
    .reduce((sum, { cost }) => sum + cost, 0);
  const problems: string[] = [];
  if (handedOut.length > 0 && recipient.capacity > 0 && used > recipient.capacity)
    problems.push(`${recipient.id} holds ${used} of ${recipient.capacity}`);
  for (const { item } of handedOut)
    for (const [name, { limit }] of namedControls(settings.admission.concurrency)) {
      const slot = slots.get(item.id)!.get(name);
      if (!slot) continue;
      const taken = leased
        .map(({ id }) => slots.get(id)!.get(name))
        .reduce((sum, other) => sum + (other?.group === slot.group ? other.cost : 0), 0);
      if (taken > Math.max(limit, slot.cost)) problems.push(`${slot.group} has ${taken} of ${limit}`);
    }
  return problems;
}

/** No claim waits that would be refused, or for which there is an item in line. */
export function claimProblems(model: Changing, items: readonly Item[]): string[] {
  const { bench, polls, paused } = model;
  const router = bench.driver.state<RouterView>(bench.at("router"));
  return [...polls].flatMap(({ recipient }) => {
    if (!model.mayClaim(recipient)) return [`a claim of ${recipient.id} waits that would be refused`];
    if (paused) return [];
    const there = router.recipients.get(recipient.id)!;
    const fits = ({ list, classNo, cost }: Item) =>
      (list === recipient.id || (list.startsWith("c") && (classNo === 0 || recipient.labels.x))) &&
      exclusionOf(router, there, noRequirements, cost, bench.driver.now) === undefined;
    const item = items.find(fits);
    return item ? [`a claim of ${recipient.id} waits, and so does ${item.id} in ${item.list}`] : [];
  });
}
