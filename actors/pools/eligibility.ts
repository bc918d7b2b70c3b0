import { limits } from "#base";
import { Demands } from "./demands.ts";
import { Preferences } from "./preferences.ts";
import type { RouterRecipient, RouterView, Selector } from "./router.ts";
import type { Exclusion, Selectable } from "./selectable.ts";

/** What an item asks of its recipient: folded from the request and the rules, once. */
export interface Requirements {
  /** All must hold. */
  readonly restrictions: readonly Selector[];
  /** Kept to as far as an eligible recipient fits, first preference first. */
  readonly preferences: readonly Selector[];
}

export const noRequirements: Requirements = { restrictions: [], preferences: [] };

/** Recipients that may take `cost` now, preferences applied, in order of id. Often `view.ready` itself: do not change it. */
export function eligible(
  view: RouterView,
  requirements: Requirements,
  cost: number,
  now: number,
): readonly RouterRecipient[] {
  const { restrictions, preferences } = requirements;
  if (restrictions.length === 0 && preferences.length === 0 && !view.limited) return view.ready;
  const fitting: RouterRecipient[] = [];
  for (const recipient of view.ready)
    if (limitOf(view, recipient, cost, now) === undefined && mismatch(recipient, restrictions) === undefined)
      fitting.push(recipient);
  return preferences.length === 0 ? fitting : preferred(fitting, preferences);
}

/** Narrows to the preferences, each only where a recipient is left. */
export function preferred<T extends Selectable>(
  fitting: readonly T[],
  preferences: readonly Selector[],
): readonly T[] {
  let left = fitting;
  if (preferences.length > limits.selectorsEachMax) {
    const known = new Preferences(setOf);
    for (const selector of preferences) left = known.narrow(left, selector);
    return left;
  }
  for (const selector of preferences) {
    const closer = left.filter((recipient) => mismatch(recipient, [selector]) === undefined);
    if (closer.length > 0) left = closer;
  }
  return left;
}

/** Why this recipient is out for every item now, or for this one; `undefined`: it is eligible. */
export function exclusionOf(
  view: RouterView,
  recipient: RouterRecipient,
  requirements: Requirements,
  cost: number,
  now: number,
): Exclusion | undefined {
  return (
    stateExclusion(recipient) ??
    mismatch(recipient, requirements.restrictions) ??
    limitOf(view, recipient, cost, now)
  );
}

/** Why its own state keeps a recipient out of `ready`. */
export function stateExclusion(recipient: RouterRecipient): Exclusion | undefined {
  if (recipient.status !== "active") return recipient.status;
  if (recipient.offline) return "offline";
  if (recipient.health.state === "ejected") return "ejected";
  return recipient.weight === 0 ? "weight_zero" : undefined;
}

/** Which kind of restriction a recipient fails, if any: for capacity-free checks such as the class of an item. */
export function mismatch(recipient: Selectable, restrictions: readonly Selector[]): Exclusion | undefined {
  if (restrictions.length > limits.selectorsEachMax) return demandsOf(restrictions).mismatch(recipient);
  for (const { recipientIds, labels, skills } of restrictions) {
    if (recipientIds && !isNamed(recipientIds, recipient.id)) return "not_selected";
    for (const name in labels) if (recipient.labels[name] !== labels[name]) return "labels";
    for (const name in skills) if (levelOf(recipient.skills, name) < skills[name]!) return "skills";
  }
  return undefined;
}

/** Made once for all recipients that are held against it. */
function demandsOf(restrictions: readonly Selector[]): Demands {
  let found = demands.get(restrictions);
  if (!found) {
    found = new Demands(restrictions, setOf);
    demands.set(restrictions, found);
  }
  return found;
}

const demands = new WeakMap<readonly Selector[], Demands>();

/** A rule may name a thousand recipients: a long list is searched as a set, made once. */
function isNamed(ids: readonly string[], id: string): boolean {
  return ids.length <= 8 ? ids.includes(id) : setOf(ids).has(id);
}

function setOf(ids: readonly string[]): ReadonlySet<string> {
  let set = sets.get(ids);
  if (!set) {
    set = new Set(ids);
    sets.set(ids, set);
  }
  return set;
}

const sets = new WeakMap<readonly string[], ReadonlySet<string>>();

/** A skill named like a member of every object is still only what the recipient has. */
export function levelOf(skills: Readonly<Record<string, number>>, name: string): number {
  const level = skills[name];
  return typeof level === "number" ? level : 0;
}

function limitOf(
  view: RouterView,
  recipient: RouterRecipient,
  cost: number,
  now: number,
): Exclusion | undefined {
  if (recipient.capacity > 0 && recipient.inFlight + cost > recipient.capacity) return "no_capacity";
  const { state, probedAt } = recipient.health;
  // One probe at a time; a probe without an outcome is forgotten after the time of an ejection.
  if (state === "half_open" && probedAt > 0 && now - probedAt < probeMs(view)) return "ejected";
  return undefined;
}

function probeMs(view: RouterView): number {
  return Math.min(view.config.outlier.ejection_seconds * 1_000, limits.ejectionMsMax);
}
