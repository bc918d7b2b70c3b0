import { limits, shortened } from "#base";
import { exclusionOf, levelOf, type Requirements } from "../eligibility.ts";
import type { Exclusion } from "../selectable.ts";
import type { Draw } from "../strategy.ts";
import type { LiveRecipient } from "./recipient.ts";
import type { RouteView } from "./route-view.ts";

export interface Explanation {
  readonly recipient_id: string;
  readonly eligible: boolean;
  readonly chosen: boolean;
  readonly reason: "chosen" | "not_chosen" | Exclusion;
  readonly detail: string;
}

export interface Explained {
  readonly candidates: readonly Explanation[];
  /** Recipients that are not among them. */
  readonly leftOut: number;
}

export interface Asked {
  readonly requirements: Requirements;
  readonly cost: number;
  readonly now: number;
}

/** For every recipient of the pool, up to `most`, why it was in or out, as it stood before the decision. */
export function explain(
  state: RouteView,
  asked: Asked,
  candidates: readonly LiveRecipient[],
  chosen: LiveRecipient | undefined,
  draw: Draw,
  most: number,
): Explained {
  let next = 0;
  const explained = state.sorted.slice(0, most).map((recipient): Explanation => {
    // Both are in order of id.
    while (next < candidates.length && candidates[next]!.id < recipient.id) next++;
    const fits = candidates[next] === recipient;
    const out = exclusionOf(state, recipient, asked.requirements, asked.cost, asked.now);
    const reason = out ?? (recipient === chosen ? "chosen" : fits ? "not_chosen" : "not_preferred");
    return {
      recipient_id: recipient.id,
      eligible: fits,
      chosen: recipient === chosen,
      reason,
      // Callers choose the labels and skills that stand in it.
      detail: shortened(detailOf(state, recipient, reason, asked, draw), limits.explainedDetailLengthMax),
    };
  });
  return { candidates: explained, leftOut: state.sorted.length - explained.length };
}

function detailOf(
  state: RouteView,
  recipient: LiveRecipient,
  reason: Explanation["reason"],
  { requirements, cost }: Asked,
  draw: Draw,
): string {
  switch (reason) {
    case "paused":
    case "draining":
      return `is ${reason}`;
    case "offline":
      return `last heartbeat at ${new Date(recipient.heartbeatAt).toISOString()}`;
    case "ejected":
      return recipient.health.state === "half_open"
        ? "a probe is out"
        : `ejected until ${new Date(recipient.health.untilMs).toISOString()}`;
    case "weight_zero":
      return "weight 0 is never chosen";
    case "no_capacity":
      return `in_flight ${recipient.inFlight} + cost ${cost} > capacity ${recipient.capacity}`;
    case "labels":
      return missingLabel(recipient, requirements);
    case "skills":
      return missingSkill(recipient, requirements);
    case "not_selected":
      return "a rule names other recipients";
    case "not_preferred":
      return "a rule prefers somebody who is eligible";
    case "chosen":
    case "not_chosen":
      return statsOf(state, recipient, draw);
  }
}

/** What the strategy compares. */
function statsOf(state: RouteView, recipient: LiveRecipient, draw: Draw): string {
  const { weight, inFlight, capacity, tier, order, picks } = recipient;
  switch (state.strategy) {
    case "weighted_random":
      return `weight ${weight}`;
    case "round_robin":
      return `weight ${weight}, ${picks} turns`;
    case "least_loaded":
    case "two_choice":
    case "sticky_hash":
      return `weight ${weight}, in_flight ${inFlight}${capacity > 0 ? ` of ${capacity}` : ""}`;
    case "priority":
      return `tier ${tier}, weight ${weight}`;
    case "longest_idle":
      return order === 0 ? "never assigned" : `${state.order - order} assignments ago`;
    case "skills": {
      const score = Object.keys(draw.skills ?? {}).reduce(
        (sum, name) => sum + levelOf(recipient.skills, name),
        0,
      );
      return `score ${score}, ${order === 0 ? "never assigned" : `${state.order - order} assignments ago`}`;
    }
  }
}

function missingLabel(recipient: LiveRecipient, { restrictions }: Requirements): string {
  for (const { labels = {} } of restrictions)
    for (const [name, wanted] of Object.entries(labels))
      if (recipient.labels[name] !== wanted)
        return `label ${name} is ${labelText(recipient, name)}, not ${JSON.stringify(wanted)}`;
  return "a label is missing";
}

function labelText({ labels }: LiveRecipient, name: string): string {
  return Object.hasOwn(labels, name) ? JSON.stringify(labels[name]) : "missing";
}

function missingSkill(recipient: LiveRecipient, { restrictions }: Requirements): string {
  for (const { skills = {} } of restrictions)
    for (const [name, wanted] of Object.entries(skills))
      if (levelOf(recipient.skills, name) < wanted)
        return `skill ${name} is ${levelOf(recipient.skills, name)}, less than ${wanted}`;
  return "a skill is missing";
}
