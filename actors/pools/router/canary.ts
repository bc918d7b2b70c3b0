import type { Refusal } from "#base";
import { lazyProgram } from "../../cel/cel.ts";
import { type CanaryCounts, codeOf, noCounts, type Variant, variantOf } from "../../kit/canary.ts";
import type { PoolConfig } from "../pool-config.ts";
import type { CanaryRouting, CanaryTable, CompiledRule, RotationClock, Strategy } from "../router.ts";
import type { Event } from "./event.ts";
import type { LiveRecipient } from "./recipient.ts";
import type { RouteView } from "./route-view.ts";

/** The router with a candidate's rules, strategy and sticky key in the place of its own; all else is the router's. */
class CanaryView implements RouteView {
  readonly canary: undefined;
  readonly candidateId: string;
  readonly #state: RouteView;
  readonly #table: CanaryTable;
  readonly #rules: readonly CompiledRule[] | undefined;
  #from: PoolConfig | undefined;
  #config: PoolConfig | undefined;

  constructor(state: RouteView, table: CanaryTable) {
    this.#state = state;
    this.#table = table;
    this.candidateId = table.candidateId;
    this.#rules = table.rules?.map((rule) => ({ ...rule, program: lazyProgram(rule.condition) }));
  }

  get rules(): readonly CompiledRule[] {
    return this.#rules ?? this.#state.rules;
  }

  get strategy(): Strategy {
    return this.#table.strategy ?? this.#state.strategy;
  }

  get config(): PoolConfig {
    const { config } = this.#state;
    if (this.#table.strategy === undefined) return config;
    if (this.#from !== config || this.#config === undefined) {
      const { sticky: _, ...rest } = config;
      const { sticky } = this.#table;
      this.#config = sticky ? { ...rest, sticky } : rest;
      this.#from = config;
    }
    return this.#config;
  }

  get status(): RouteView["status"] {
    return this.#state.status;
  }

  get poolId(): string {
    return this.#state.poolId;
  }

  get tenant(): string {
    return this.#state.tenant;
  }

  get environment(): string {
    return this.#state.environment;
  }

  get version(): number {
    return this.#state.version;
  }

  get recipients(): RouteView["recipients"] {
    return this.#state.recipients;
  }

  get ruleErrors(): ReadonlyMap<string, number> {
    return this.#state.ruleErrors;
  }

  get ready(): readonly LiveRecipient[] {
    return this.#state.ready;
  }

  get sorted(): readonly LiveRecipient[] {
    return this.#state.sorted;
  }

  get clock(): RotationClock {
    return this.#state.clock;
  }

  get limited(): boolean {
    return this.#state.limited;
  }

  get reservations(): number {
    return this.#state.reservations;
  }

  get order(): number {
    return this.#state.order;
  }
}

export interface RouterCanary extends CanaryRouting {
  readonly view: RouteView;
  /** Edited in place, and written at the end of a commit. */
  readonly counts: CanaryCounts;
}

export function canaryOf(
  state: RouteView,
  table: CanaryTable,
  counts: CanaryCounts | undefined,
): RouterCanary {
  const known = counts?.candidateId === table.candidateId ? counts : noCounts(table.candidateId);
  return { table, view: new CanaryView(state, table), counts: known };
}

/** Which variant decides what comes now. */
export function variantNow({ table }: CanaryRouting, key: string, now: number): Variant | undefined {
  return variantOf(table, key, now);
}

/** The same four numbers for nearly every decision. */
const routedCodes = {
  canary: [codeOf("canary", "decisions"), codeOf("canary", "decisions", "condition_error")],
  stable: [codeOf("stable", "decisions"), codeOf("stable", "decisions", "condition_error")],
} as const;

export function routedCode(variant: Variant, failed: boolean): number {
  return routedCodes[variant][failed ? 1 : 0];
}

/** What is counted of a decision. */
type CountedResult = { readonly events: readonly Event[] } & (
  | { readonly type: "routed" | "redirect" }
  | { readonly type: "refused"; readonly refusal: Refusal }
);

/** What one decision counts as for its variant; 0: nothing, it says nothing of the candidate. */
export function codeOfResult(variant: Variant, result: CountedResult): number {
  const failed = result.events.some(({ type }) => type === "rules_failed");
  const more = failed ? (["condition_error"] as const) : [];
  switch (result.type) {
    case "routed":
      return codeOf(variant, "decisions", ...more);
    case "redirect":
      return codeOf(variant, "decisions", "redirected", ...more);
    case "refused":
      if (result.refusal.code === "ROUTING_FAILED")
        return codeOf(variant, "decisions", "unroutable", ...more);
      return result.refusal.reason === "RULE_REJECTED"
        ? codeOf(variant, "decisions", "rejected", ...more)
        : 0;
  }
}

export function counted(code: number): Event {
  return { type: "counted", counts: [[code, 1]] };
}
