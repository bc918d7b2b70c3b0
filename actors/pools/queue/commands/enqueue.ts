import { isRefusal, limits, type Refusal, refuse } from "#base";
import type { Context, Decision, Origin } from "#runtime";
import { isSpent, spentOf, unreadConditions } from "../../../cel/command-budget.ts";
import { codeOf, type Variant, variantOf } from "../../../kit/canary.ts";
import { checkRedirect } from "../../../kit/environment.ts";
import type { RouterView } from "../../router.ts";
import { evaluateRules, type RoutableItem, type RuleOutcome } from "../../rules.ts";
import { coalesce, coalescedBytes, openDebounce, openWindow } from "../admission/debounce.ts";
import { type ItemKeys, keysOf } from "../admission/keys.ts";
import { joinLine, stepForward } from "../admission/line.ts";
import { rememberedItem } from "../admission/remembered.ts";
import { fullQueue, hasNoRoom, roomFreed } from "../admission/room.ts";
import {
  comeNext,
  judgeSingleton,
  replaceSingleton,
  type SingletonVerdict,
  takeKey,
} from "../admission/singleton.ts";
import { mayBeRecent, mayWaitRecent } from "../memory/recent-line.ts";
import type { GroupKind } from "../rows/group.ts";
import { type Item, isKept, isOver, type OwnItem } from "../rows/item.ts";
import type { Event, State } from "../state.ts";
import { reachPool } from "../unit/pool.ts";
import { UnitOfWork } from "../unit/unit-of-work.ts";
import { decisionCode } from "../unit/variants.ts";
import { itemOf, type NewItem, outsideBands, overLimits } from "./entry.ts";
import { jsonBytes } from "./size.ts";

export interface Enqueue {
  readonly type: "enqueue";
  readonly poolId?: string | undefined;
  readonly entries: readonly NewItem[];
  /** One entry whose refusal is the answer, rather than a result among others. */
  readonly single: boolean;
  /** Of the pool that sent them on; empty where they were sent here. */
  readonly redirectedIn: string;
  /** Items that may wait in a pool of this tenant. */
  readonly depthMax: number;
}

/** What became of one entry. */
export type Admission =
  | {
      readonly outcome: "enqueued" | "duplicate" | "debounced" | "skipped" | "replaced";
      /** The item the caller is shown. */
      readonly id: string;
      readonly existingId?: string;
      readonly kind?: GroupKind;
      readonly groupId?: string;
    }
  | { readonly outcome: "redirected"; readonly poolId: string }
  | { readonly outcome: "refused"; readonly refusal: Refusal };

/**
 * Dedup, rules, debounce, singleton, append: in this order, each entry seeing the ones before it. Of a batch that takes too
 * much for one command only the first entries have a result.
 */
export function enqueue(state: State, command: Enqueue, context: Context): Decision<Event> {
  const planned = planEnqueue(state, command, context);
  if (!("unit" in planned)) return planned;
  const { unit, results } = planned;
  const only = command.single ? results[0]! : undefined;
  if (only?.outcome === "refused") {
    // While there is a canary a refusal is counted, so it is told as a result.
    const { twins } = unit.router.canary === undefined ? {} : unit.decidedWith(results);
    return twins ? { events: [], twins, answer: unit, unrecorded: true } : only.refusal;
  }
  const more: Event[] = redirectTargets(results).map((toPoolId) => ({ type: "redirected", toPoolId }));
  const origin = only && context.caller?.origin;
  if (origin && "id" in only) more.push(originOf(unit, only.id, origin));
  return unit.decidedWith(results, more);
}

/** Set on an item that existed before this call too: the caller waits for that item to end. */
function originOf(unit: UnitOfWork, id: string, origin: Origin): Event {
  const state = unit.item(id)?.state;
  return { type: "origin_set", id, origin, ...(state !== undefined && isOver(state) && { over: state }) };
}

export interface EnqueuePlan {
  readonly unit: UnitOfWork;
  readonly results: readonly Admission[];
}

/** Everything but the commit: a preview runs exactly this. */
export function planEnqueue(state: State, command: Enqueue, context: Context): EnqueuePlan | Refusal {
  const unit = new UnitOfWork(state, context);
  unit.depthMax = command.depthMax;
  const { router } = unit;
  const astray = router.status !== "absent" && checkRedirect(command.redirectedIn, router.environment);
  const refusal = astray || reachPool(router, context);
  if (refusal) return refusal;
  const results: Admission[] = [];
  for (const entry of command.entries) {
    // The rest is sent again: others have their turn before it.
    if (results.length > 0 && isSpent(unit.commandBudget)) break;
    const result = enqueueOne(unit, entry, state.secret);
    if (result === unread) break;
    results.push(result);
  }
  context.spend(spentOf(unit.commandBudget));
  if (results.length === 0) return unreadConditions;
  if (command.single) readShown(unit, results[0]!);
  stepForward(unit);
  return { unit, results };
}

function enqueueOne(unit: UnitOfWork, entry: NewItem, secret: string): Admission {
  const { router, now } = unit;
  if (entry.dedupId) {
    const known = rememberedItem(unit, entry.dedupId);
    if (known) return existing(unit, "duplicate", known);
  }
  const band = entry.priority || router.config.priority.default;
  const bytes = jsonBytes(entry.payload, entry.attributes);
  const unfit = outsideBands(unit, band) ?? overLimits(unit, entry, bytes);
  if (unfit) return refused(unfit);
  const routable = {
    key: entry.key,
    payload: entry.payload,
    attributes: entry.attributes,
    priority: band,
    cost: entry.cost,
  };
  const { canary } = router;
  if (canary === undefined)
    return admitBy(unit, entry, bytes, judge(unit, routable, router, secret), undefined);
  const variant = variantOf(canary.table, entry.key, now);
  if (variant !== "canary")
    return admitBy(unit, entry, bytes, judge(unit, routable, router, secret), variant);
  let judged: Judged;
  try {
    judged = judge(unit, routable, canary.view, secret);
  } catch {
    // A candidate that throws is found out, and does not fail the caller.
    unit.forRouter.countVariant(codeOf("canary", "decisions", "fault"));
    return admitBy(unit, entry, bytes, judge(unit, routable, router, secret), undefined);
  }
  return admitBy(unit, entry, bytes, judged, variant);
}

interface Judged {
  readonly ruled: RuleOutcome;
  /** Where the rules let the item pass. */
  readonly keys: ItemKeys | Refusal | undefined;
  readonly band: number;
}

/** Rules and keys: what a candidate may say otherwise. */
function judge(
  unit: UnitOfWork,
  routable: RoutableItem & { readonly cost: number; readonly priority: number },
  view: RouterView,
  secret: string,
): Judged {
  const { router, now, commandBudget } = unit;
  const ruled = evaluateRules(view, routable, now, commandBudget);
  const band = routable.priority;
  if (ruled.type !== "pass") return { ruled, keys: undefined, band };
  const keys = keysOf(view.config, routable, { tenant: router.tenant, now, secret, commandBudget });
  return { ruled, keys, band: ruled.priority ?? band };
}

function admitBy(
  unit: UnitOfWork,
  entry: NewItem,
  bytes: number,
  { ruled, keys, band }: Judged,
  variant: Variant | undefined,
): Admission {
  if (ruled.type === "unread") return unread;
  if (ruled.failed.length > 0 && variant !== "canary") unit.forRouter.countFailedRules(ruled.failed);
  if (variant !== undefined) unit.forRouter.countVariant(decisionCode(variant, ruled));
  if (ruled.type === "redirect") return { outcome: "redirected", poolId: ruled.poolId };
  if (ruled.type === "reject") return refused(rejection(ruled));
  if (isRefusal(keys)) return refused(keys);
  const { restrictions, preferences } = ruled;
  const classNo = unit.classFor({ restrictions, preferences });
  if (classNo === undefined) return refused(tooManyClasses());
  return admit(unit, itemOf(unit, entry, { band, bytes, classNo, keys: keys! }), entry);
}

/** Debounce, then singleton, then append. */
function admit(unit: UnitOfWork, item: OwnItem, entry: NewItem): Admission {
  const body = { payload: entry.payload, attributes: entry.attributes };
  const open = openWindow(unit, item.groups.debounce);
  if (open) {
    if (hasNoRoom(unit, { items: 0, bytes: coalescedBytes(unit, open, item) })) return noRoom(unit, item);
    coalesce(unit, open, body, item);
    return instead(unit, item, "debounced", open.id, "debounce");
  }
  const verdict = judgeSingleton(unit, item.groups.singleton);
  if (verdict === undefined) return pending;
  if (verdict.type === "skip") return instead(unit, item, "skipped", verdict.existing.id, "singleton");
  const freed = roomFreed(unit, item.groups.singleton, verdict);
  if (hasNoRoom(unit, { items: 1 - freed.items, bytes: item.bytes - freed.bytes })) return noRoom(unit, item);
  if (verdict.type === "replace") replaceSingleton(unit, item.groups.singleton, verdict.existing);
  comeNext(unit, item, verdict);
  place(unit, item);
  if (verdict.type !== "wait") takeKey(unit, item);
  unit.change(null, item, "enqueued", { body });
  const replaced = replacedBy(verdict);
  if (replaced) return { outcome: "replaced", id: item.id, existingId: replaced, ...singletonOf(item) };
  return { outcome: "enqueued", id: item.id };
}

/** Whose place the item took; empty: it took none. */
function replacedBy(verdict: SingletonVerdict): string {
  switch (verdict.type) {
    case "replace":
      return verdict.existing.id;
    case "wait":
      return verdict.instead;
    case "free":
    case "skip":
      return "";
  }
}

/** Every item gets a number when it comes, also one that is not in line yet: so it is known how many came after another. */
function place(unit: UnitOfWork, item: OwnItem): void {
  const { state, now } = unit;
  if (!item.groups.debounce && item.notBefore === 0) {
    joinLine(unit, item);
    item.recent = item.list !== "" && !isKept(item) && mayBeRecent(state, unit.depth);
    return;
  }
  item.order = unit.nextOrder();
  if (item.groups.debounce) openDebounce(unit, item);
  else item.recent = mayWaitRecent(state, unit.depth, item.notBefore - now);
}

/** Answered with an item that is there already; it has to be in memory for the answer. */
function existing(
  unit: UnitOfWork,
  outcome: "duplicate" | "debounced" | "skipped",
  id: string,
  kind?: GroupKind,
  groupId?: string,
): Admission {
  const item = unit.item(id);
  if (item) unit.meet(item);
  return { outcome, id, existingId: id, ...(kind && { kind }), ...(groupId && { groupId }) };
}

/** Nothing of the request stays but its dedup id: repeated, it is answered with the same item. */
function instead(
  unit: UnitOfWork,
  { dedupId, groups }: Item,
  outcome: "debounced" | "skipped",
  id: string,
  kind: "debounce" | "singleton",
): Admission {
  if (dedupId) unit.remember(dedupId, id);
  return existing(unit, outcome, id, kind, groups[kind]);
}

/** The payload of an item that was there already. Not for a batch: a small one may name as much as a thread has memory. */
function readShown(unit: UnitOfWork, result: Admission): void {
  const item = "existingId" in result ? unit.item(result.id) : undefined;
  if (item) unit.body(item);
}

const unread = refused(unreadConditions);

/** Stands for an entry that is looked at again once the rows are read. */
const pending: Admission = { outcome: "enqueued", id: "" };

function noRoom(unit: UnitOfWork, { bytes }: Item): Admission {
  return refused(fullQueue(unit, bytes));
}

function refused(refusal: Refusal): Admission {
  return { outcome: "refused", refusal };
}

function rejection({ reason, ruleId }: { readonly reason: string; readonly ruleId: string }): Refusal {
  return refuse("FAILED_PRECONDITION", reason || "a rule rejects this item", {
    reason: "RULE_REJECTED",
    extra: { rule_id: ruleId },
  });
}

function tooManyClasses(): Refusal {
  return refuse("RATE_LIMITED", `items of ${limits.queueClassesMax} eligibility classes wait`, {
    reason: "CLASSES",
    retryAfterMs: limits.retryAfterMs,
  });
}

function singletonOf(item: OwnItem): { kind: GroupKind; groupId: string } {
  return { kind: "singleton", groupId: item.groups.singleton };
}

/** Each once. */
function redirectTargets(results: readonly Admission[]): string[] {
  const targets: string[] = [];
  for (const result of results)
    if (result.outcome === "redirected" && !targets.includes(result.poolId)) targets.push(result.poolId);
  return targets;
}
