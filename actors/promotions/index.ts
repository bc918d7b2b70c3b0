/**
 * Owns promotions: entity (promotion, tenant, handle) is one candidate of exact versions, on its way from preflight to promoted and
 * back. What is in force belongs to the targets; `kit/activation.ts` says how they are asked.
 *
 * 1. A candidate moves only as `table.ts` says.
 * 2. All targets of a candidate are activated, or none is; a rollback puts back what was in force, with the same rule ids, or nothing.
 * 3. An operation is a question in a commit and answers by messages: a crash delays it, and no task runs in the background.
 * 4. A candidate that is over has no canary and keeps no caller from changing a target.
 * 5. An approval holds for the digests of candidate, pack and check that it was given for, and for `promotion.approval_ttl`.
 * 6. The maker of the candidate or of a version in it does not approve it, unless the installation allows that.
 *
 * Publishes promotion.<state>. Lost with the process: callers that wait.
 */
import { limits } from "#base";
import { defineActor } from "#runtime";
import type { Module } from "../module.ts";
import type { ModuleParts } from "../parts.ts";
import type { Policy } from "./advance.ts";
import { type Command, decideWith, type Incoming, wake } from "./decide.ts";
import { promotionDirectory } from "./directory.ts";
import { createCandidate, listCandidates } from "./handlers/candidates.ts";
import { operationMethods } from "./handlers/operations.ts";
import type { Candidate } from "./record.ts";
import { methods } from "./service.ts";
import { apply, empty, resident, restore } from "./state.ts";

export function promotions(parts: Pick<ModuleParts, "settings" | "metrics" | "clock">): Module {
  const canaries = new ActiveCanaries(() => parts.clock.now());
  parts.metrics.gauge("service_canaries_active", {}, () => canaries.count());
  return {
    name: "promotions",
    actors: [
      defineActor({
        kind: "promotion",
        placement: "key",
        empty,
        resident,
        restore,
        environmentOf: ({ candidate }) => candidate?.environment,
        decide: decideWith(policyOf(parts.settings)),
        apply(state, event, rows) {
          apply(state, event, rows);
          canaries.note(state.candidate);
        },
        methods,
        wake,
        onMessage: (message: Incoming): Command => message,
        onTimer: (timer): Command => ({ type: "timer", timer }),
      }),
    ],
    directories: [promotionDirectory],
    orchestrations: {
      "PromotionService.CreateCandidate": createCandidate,
      "PromotionService.ListCandidates": listCandidates,
      ...operationMethods(parts),
    },
  };
}

function policyOf(settings: ModuleParts["settings"]): Policy {
  return {
    approvalsRequired: (settings["promotion.approvals_required"] as number | undefined) ?? 1,
    allowSelfApproval: settings["promotion.allow_self_approval"] === true,
    approvalTtlMs: (settings["promotion.approval_ttl"] as number | undefined) ?? 24 * 3_600_000,
  };
}

/**
 * Canaries that candidates of this thread run. Each is looked at by timer, so one that has not been heard of for two looks has
 * another owner by now, and counts there.
 */
class ActiveCanaries {
  readonly #seenMs = new Map<string, number>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  note(candidate: Candidate | undefined): void {
    if (candidate?.state === "canary") this.#seenMs.set(candidate.id, this.#now());
    else if (candidate) this.#seenMs.delete(candidate.id);
  }

  count(): number {
    const oldestMs = this.#now() - 2 * limits.promotionLookMs;
    for (const [id, seenMs] of this.#seenMs) if (seenMs < oldestMs) this.#seenMs.delete(id);
    return this.#seenMs.size;
  }
}
