import type { Program } from "../cel/cel.ts";
import type { CanaryShares } from "../kit/canary.ts";
import type { PoolConfig } from "./pool-config.ts";

/**
 * The contract between the twins of one pool. `pool` is the authority for configuration and hands every change to
 * `router` in the commit that makes it; `router` holds what is live about recipients, so capacity is counted in one
 * place; `queue` reads the router with `context.twin<RouterView>("router")` and reports through `RouterEvent`s in its
 * own commits (`Decided.twins`).
 */
export interface RouterView {
  /** "absent" before the pool is made and after it is deleted. */
  readonly status: "absent" | "active" | "disabled";
  readonly poolId: string;
  readonly tenant: string;
  readonly environment: string;
  /** Grows with every change of pool, recipients or rules; part of every seed. */
  readonly version: number;
  readonly strategy: Strategy;
  readonly config: PoolConfig;
  readonly recipients: ReadonlyMap<string, RouterRecipient>;
  /** Enabled rules in order. */
  readonly rules: readonly CompiledRule[];
  /** How often the condition of a rule failed to evaluate. */
  readonly ruleErrors: ReadonlyMap<string, number>;
  /** Derived, in order of id: recipients that no state of their own keeps out; health probes included. */
  readonly ready: readonly RouterRecipient[];
  /** Derived: how far round robin has come, as (2 picks − 1) / weight of the recipient that is furthest. */
  readonly clock: RotationClock;
  /** A candidate decides a share of the keys; the one field that routes and enqueues look at where there is none. */
  readonly canary: CanaryRouting | undefined;
  /** Derived: some of `ready` have a capacity or a probe to respect, so each has to be looked at. */
  readonly limited: boolean;
}

export type Strategy =
  | "weighted_random"
  | "round_robin"
  | "least_loaded"
  | "two_choice"
  | "priority"
  | "sticky_hash"
  | "longest_idle"
  | "skills";

export interface RotationClock {
  readonly numerator: number;
  readonly weight: number;
}

/** What strategies read of a recipient; a recorded decision is run again over these fields alone. */
export interface Candidate {
  readonly id: string;
  readonly weight: number;
  /** 0: unlimited. */
  readonly capacity: number;
  readonly tier: number;
  readonly skills: Readonly<Record<string, number>>;
  /** Cost held by leases and reservations. */
  readonly inFlight: number;
  /** Position of the last assignment among all of the pool; 0: never assigned. */
  readonly order: number;
  /** Assignments counted by round robin. */
  readonly picks: number;
  /** Of the id, as a signed 32-bit integer. */
  readonly hash: number;
}

export interface RouterRecipient extends Candidate {
  readonly status: "active" | "paused" | "draining";
  readonly labels: Readonly<Record<string, string>>;
  /** Milliseconds; 0: never. */
  readonly lastAssignedAt: number;
  readonly health: Health;
  /** Milliseconds of the last heartbeat; 0: it never sent one. */
  readonly heartbeatAt: number;
  /** Its heartbeat is overdue. */
  readonly offline: boolean;
}

export interface Health {
  readonly state: "healthy" | "ejected" | "half_open";
  /** In a row. */
  readonly failures: number;
  /** In a row; each lasts longer than the one before. */
  readonly ejections: number;
  /** End of the ejection; 0 where healthy. */
  readonly untilMs: number;
  /** When the probe of a half-open recipient went out; 0: none is out. */
  readonly probedAt: number;
}

/** Which recipients an item may go to: everything given must hold. */
export interface Selector {
  readonly recipientIds?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  /** Least level by name. */
  readonly skills?: Readonly<Record<string, number>>;
}

export type RuleAction =
  | { readonly type: "restrict"; readonly selector: Selector }
  | { readonly type: "prefer"; readonly selector: Selector }
  | { readonly type: "set_priority"; readonly priority: number }
  | { readonly type: "redirect"; readonly poolId: string }
  | { readonly type: "reject"; readonly reason: string };

export interface RoutingRule {
  readonly id: string;
  readonly order: number;
  readonly condition: string;
  readonly action: RuleAction;
}

export interface CompiledRule extends RoutingRule {
  readonly program: Program;
}

/** The part of a recipient that the pool decides. */
export interface RecipientTable {
  readonly id: string;
  readonly status: "active" | "paused" | "draining";
  readonly weight: number;
  readonly capacity: number;
  readonly tier: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly skills: Readonly<Record<string, number>>;
}

/** What the pool hands over of a canary: what is absent is as in the pool itself. */
export interface CanaryTable extends CanaryShares {
  readonly rules?: readonly RoutingRule[];
  readonly strategy?: Strategy;
  /** With `strategy` only; `null`: none. */
  readonly sticky?: PoolConfig["sticky"] | null;
  /** An outcome above it is slow. */
  readonly slowMs: number;
}

export interface CanaryRouting {
  readonly table: CanaryTable;
  /** The same recipients, with what the candidate says instead. */
  readonly view: RouterView;
}

/** What a twin may tell the router. */
export type RouterEvent =
  /** A lease or a reservation takes `cost` of the recipient until `unheld`, or until `untilMs`. An assignment. */
  | {
      readonly type: "held";
      readonly holdId: string;
      readonly recipientId: string;
      readonly cost: number;
      readonly untilMs?: number;
    }
  /** Harmless where the hold is already gone. */
  | { readonly type: "unheld"; readonly holdId: string }
  /** What all of the queue's leases take of the recipient now, as one hold; `assigned` of them are new. */
  | {
      readonly type: "leases_changed";
      readonly recipientId: string;
      readonly cost: number;
      readonly assigned: number;
    }
  /** How something given to the recipient ended; feeds its health. */
  | { readonly type: "observed"; readonly recipientId: string; readonly ok: boolean }
  /** Conditions of these rules failed to evaluate on an item, or on so many of a batch; counted. */
  | {
      readonly type: "rules_failed";
      readonly ruleIds: readonly string[];
      readonly times?: readonly number[];
    }
  /** Codes of `codeOf`, and how often. */
  | { readonly type: "counted"; readonly counts: readonly (readonly [code: number, times: number])[] }
  | RouterTableEvent;

/** Sent by the pool only. */
export type RouterTableEvent =
  | {
      readonly type: "configured";
      readonly version: number;
      readonly poolId: string;
      readonly environment: string;
      readonly enabled: boolean;
      readonly strategy: Strategy;
      readonly config: PoolConfig;
    }
  | { readonly type: "recipient_put"; readonly version: number; readonly recipient: RecipientTable }
  | { readonly type: "recipient_removed"; readonly version: number; readonly recipientId: string }
  /** An operator says it is well again. */
  | { readonly type: "reinstated"; readonly recipientId: string }
  | { readonly type: "rules_put"; readonly version: number; readonly rules: readonly RoutingRule[] }
  | { readonly type: "canary_put"; readonly version: number; readonly canary: CanaryTable }
  | { readonly type: "canary_removed"; readonly version: number }
  | { readonly type: "removed" };

/** What the queue reads of its pool, to name it. */
export interface PoolView {
  readonly pool?: { readonly name: string } | undefined;
}

/** What a sibling reads of the queue: the pool, to know whether it may be deleted. */
export interface QueueView {
  /** Items that are not finished, dead letters included. */
  readonly liveItems: number;
  readonly paused: boolean;
}

/** What the pool tells its queue. Everything else the queue reads from the router. */
export type QueuePoolEvent =
  /** The pool is made. `secret` redacts admission keys: the same in all pools of a tenant. */
  | { readonly type: "opened"; readonly poolId: string; readonly secret: string }
  /** Admission is another: whom the old limits hold back may go now. */
  | { readonly type: "reconfigured" }
  /** All rows, timers and counters of the queue go. */
  | { readonly type: "pool_deleted" };

/** What the pool tells its watch: all of it goes. */
export interface WatchPoolEvent {
  readonly type: "pool_deleted";
}
