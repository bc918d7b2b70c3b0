import type { Context, Decision } from "#runtime";
import { type ActivationMessage, type Asked, no, type Said } from "../../../kit/activation.ts";
import type { CanaryTable, RouterTableEvent } from "../../router.ts";
import type { Canary } from "../governance.ts";
import { handOver } from "../rules.ts";
import type { Event, State } from "../state.ts";
import type { ContentKind } from "../version-content.ts";
import { contentIn, rulesFor } from "./promoted.ts";
import { replied, stale } from "./said.ts";

/** Begins a canary, or changes its share; 0 stops it. */
export function putCanary(state: State, message: ActivationMessage, context: Context): Decision<Event> {
  const { candidateId, artifacts, share } = message;
  const { bps, slowMs } = share!;
  const { governance } = state;
  const known = governance.canary?.candidateId === candidateId ? governance.canary : undefined;
  if (bps === 0 && known === undefined) return replied(message, {});
  // A smaller share has nothing to compare: it is also for a canary whose pool was edited meanwhile.
  const rises = bps > (known ? shareOf(known) : 0);
  const against = rises ? (otherCanary(state, candidateId) ?? stale(state, artifacts)) : undefined;
  if (against) return replied(message, against);
  if (known && shareOf(known) === bps) return replied(message, {});
  const ruleIds = known ? known.ruleIds : canaryRuleIds(state, artifacts, context);
  const canary: Canary = {
    candidateId,
    // From the next millisecond on: what was decided in this one keeps its variant.
    shares: [...(known?.shares ?? []), [context.now + 1, bps]],
    kinds: artifacts.map(({ kind }) => kind as ContentKind),
    startedAt: known?.startedAt ?? context.now,
    ...(ruleIds && { ruleIds }),
  };
  const version = state.version + 1;
  const put: RouterTableEvent = {
    type: "canary_put",
    version,
    canary: tableOf(state, canary, slowMs, artifacts, context),
  };
  const changed: Event = {
    type: "canary_changed",
    governance: { ...governance, canary },
    version,
    candidateId,
    bps,
  };
  return replied(message, {}, [changed], { router: [put] });
}

export function clearCanary(state: State, message: ActivationMessage): Decision<Event> {
  const { governance } = state;
  const { candidateId } = message;
  if (governance.canary?.candidateId !== candidateId) return replied(message, {});
  const { canary: _, ...left } = governance;
  const version = state.version + 1;
  const removed: RouterTableEvent = { type: "canary_removed", version };
  const changed: Event = { type: "canary_changed", governance: left, version, candidateId, bps: 0 };
  return replied(message, {}, [changed], { router: [removed] });
}

function otherCanary({ governance }: State, candidateId: string): Said | undefined {
  const { canary } = governance;
  if (canary === undefined || canary.candidateId === candidateId) return undefined;
  return no("CANARY_ACTIVE", `promotion ${canary.candidateId} has a canary here`);
}

function shareOf({ shares }: Canary): number {
  return shares.at(-1)?.[1] ?? 0;
}

function canaryRuleIds(
  state: State,
  artifacts: readonly Asked[],
  context: Context,
): readonly string[] | undefined {
  const routing = contentIn(state, artifacts, "routing", context);
  return routing && rulesFor(state, routing, undefined, context).map(({ id }) => id);
}

function tableOf(
  state: State,
  { candidateId, shares, ruleIds }: Canary,
  slowMs: number,
  artifacts: readonly Asked[],
  context: Context,
): CanaryTable {
  const routing = contentIn(state, artifacts, "routing", context);
  const strategy = contentIn(state, artifacts, "strategy", context);
  const rules = routing && handOver(rulesFor(state, routing, ruleIds, context), 0).rules;
  return {
    candidateId,
    shares,
    slowMs,
    ...(rules && { rules }),
    ...(strategy && { strategy: strategy.strategy, sticky: strategy.sticky ?? null }),
  };
}
