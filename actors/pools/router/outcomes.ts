import { limits, type Refusal, refuse, ulidTimeMs } from "#base";
import type { Context, RowRef } from "#runtime";
import { codeOf, type Measure, variantOf } from "../../kit/canary.ts";
import { checkMetadata } from "../metadata.ts";
import type { CanaryRouting } from "../router.ts";
import type { Event, OutcomeRecord } from "./event.ts";
import { bucketKey, unpackRecord } from "./record.ts";
import { outcomeRows, routingRows } from "./rows.ts";
import type { State } from "./state.ts";

/** How something ended, as reported. Without an id each report is a new one. */
export interface OutcomeSpec extends Omit<OutcomeRecord, "id" | "at"> {
  readonly id?: string;
  /** Of its item: with the time in the id it says which variant of a canary the item is of. */
  readonly itemKey?: string;
  /** Its item is not there any more: only what was told before is answered. */
  readonly gone?: Refusal;
}

export type OutcomeResult =
  | { readonly type: "recorded"; readonly outcome: OutcomeRecord }
  | { readonly type: "refused"; readonly refusal: Refusal };

/** Idempotent by id for at least a day; an outcome of a routing counts for the recipient that was chosen. */
export function decideOutcomes(
  state: State,
  specs: readonly OutcomeSpec[],
  context: Context,
): { readonly events: readonly Event[]; readonly results: readonly OutcomeResult[] } {
  context.prefetch(specs.flatMap((spec) => refsOf(spec, context.now)));
  const results: OutcomeResult[] = [];
  const events: Event[] = [];
  const seen = new Map<string, OutcomeRecord>();
  for (const spec of specs) {
    const known = seen.get(spec.id ?? "") ?? storedOutcome(spec, context);
    const result = known ? repeat(known, spec) : record(spec, context);
    results.push(result);
    if (result.type === "refused" || known) continue;
    seen.set(result.outcome.id, result.outcome);
    const code = state.canary && codeOfOutcome(state.canary, spec, result.outcome, context);
    events.push({ type: "outcome_recorded", outcome: result.outcome, ...(code !== undefined && { code }) });
  }
  return { events, results };
}

/** Of what was decided while the canary ran: by the key of the routing or item, and when that was made. */
function codeOfOutcome(
  { table }: CanaryRouting,
  { itemKey }: OutcomeSpec,
  { routingId, queueItemId, result, latencyMs }: OutcomeRecord,
  context: Context,
): number | undefined {
  if (result === "cancelled") return undefined;
  const packed = routingId === undefined ? null : context.get(routingRows, bucketKey(routingId));
  const key = packed ? unpackRecord(packed).key : itemKey;
  const id = routingId ?? queueItemId;
  if (key === undefined || id === undefined) return undefined;
  const variant = variantOf(table, key, ulidTimeMs(id));
  if (variant === undefined) return undefined;
  const measured: Measure[] = ["outcomes"];
  if (result !== "success") measured.push("outcome_failure");
  if (latencyMs !== undefined) measured.push("timed");
  if (latencyMs !== undefined && latencyMs > table.slowMs) measured.push("slow");
  return codeOf(variant, ...measured);
}

function record({ gone, itemKey: _, ...spec }: OutcomeSpec, context: Context): OutcomeResult {
  if (gone) return { type: "refused", refusal: gone };
  const tooLarge = checkMetadata(spec.metadata);
  if (tooLarge) return { type: "refused", refusal: tooLarge };
  const id = spec.id ?? context.newId(context.address.key);
  if (spec.routingId === undefined) return { type: "recorded", outcome: { ...spec, id, at: context.now } };
  const packed = context.get(routingRows, bucketKey(spec.routingId));
  if (packed === null)
    return { type: "refused", refusal: refuse("NOT_FOUND", "there is no such routing of the last day") };
  const { recipientId } = unpackRecord(packed);
  return { type: "recorded", outcome: { ...spec, id, recipientId, at: context.now } };
}

function repeat(known: OutcomeRecord, spec: OutcomeSpec): OutcomeResult {
  if (known.routingId === spec.routingId && known.queueItemId === spec.queueItemId)
    return { type: "recorded", outcome: known };
  return {
    type: "refused",
    refusal: refuse("ALREADY_EXISTS", `outcome ${known.id} is of another routing or item`),
  };
}

function storedOutcome(spec: OutcomeSpec, context: Context): OutcomeRecord | undefined {
  for (const key of outcomeKeys(spec, context.now)) {
    const stored = context.get(outcomeRows, key);
    if (stored) return stored;
  }
  return undefined;
}

function refsOf(spec: OutcomeSpec, now: number): RowRef[] {
  const { routingId } = spec;
  const routing = routingId === undefined ? [] : [{ collection: routingRows, key: bucketKey(routingId) }];
  return [...routing, ...outcomeKeys(spec, now).map((key) => ({ collection: outcomeRows, key }))];
}

/** Outcomes are kept by day and for a day after it, so two places can hold one of the last 24 hours. */
function outcomeKeys({ id }: OutcomeSpec, now: number): (readonly [day: number, id: string])[] {
  if (id === undefined) return [];
  const day = Math.floor(now / limits.outcomeDayMs);
  return [
    [day, id],
    [day - 1, id],
  ];
}
