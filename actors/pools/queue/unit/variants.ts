import { codeOf, type Measure, type Variant, variantOf } from "../../../kit/canary.ts";
import type { CanaryRouting } from "../../router.ts";
import type { RuleOutcome } from "../../rules.ts";
import type { Cause } from "../rows/change.ts";
import type { Item } from "../rows/item.ts";

/** What the rules of one variant said to an entry, as `codeOf` has it. */
export function decisionCode(variant: Variant, { type, failed }: RuleOutcome): number {
  const measured: Measure[] = ["decisions"];
  if (failed.length > 0) measured.push("condition_error");
  if (type === "redirect") measured.push("redirected");
  if (type === "reject") measured.push("rejected");
  return codeOf(variant, ...measured);
}

/** How an attempt or an item ended, of the variant that the item came in by; 0: it did not end, or has no variant. */
export function endCode({ table }: CanaryRouting, before: Item, after: Item, cause: Cause): number {
  const settled = before.lease !== null && after.lease === null;
  const attempted = settled && cause !== "released" && cause !== "cancelled";
  const died = after.state === "dead" && before.state !== "dead";
  const ended = died || (after.state === "completed" && before.state !== "completed");
  if (!attempted && !ended) return 0;
  const variant = variantOf(table, before.key, before.createdAt);
  if (variant === undefined) return 0;
  const measured: Measure[] = [];
  if (attempted) measured.push("attempts");
  if (attempted && after.state !== "completed") measured.push("attempt_failure");
  if (ended) measured.push("ended");
  if (died) measured.push("dead");
  return codeOf(variant, ...measured);
}
