import type { Address } from "#runtime";
import { lazyProgram } from "../../cel/cel.ts";
import type { CanaryCounts } from "../../kit/canary.ts";
import { stateExclusion } from "../eligibility.ts";
import { type PoolConfig, poolConfigDefaults } from "../pool-config.ts";
import { clockOf } from "../rotation.ts";
import type {
  CanaryTable,
  CompiledRule,
  RotationClock,
  RouterView,
  RoutingRule,
  Strategy,
} from "../router.ts";
import { canaryOf, type RouterCanary } from "./canary.ts";
import type { LiveRecipient } from "./recipient.ts";
import type { RouteView } from "./route-view.ts";

export interface Hold {
  readonly recipientId: string;
  readonly cost: number;
  /** 0: until it is given back. */
  readonly untilMs: number;
}

/** What the router keeps in memory. Lists that strategies read are derived and made again only after a change. */
export class State implements RouteView {
  status: RouterView["status"] = "absent";
  poolId = "";
  readonly tenant: string;
  environment = "";
  version = 0;
  strategy: Strategy = "weighted_random";
  config: PoolConfig = poolConfigDefaults;
  recipients = new Map<string, LiveRecipient>();
  /** While rows come back: recipients whose own row has not come, or never will. */
  readonly early = new Map<string, LiveRecipient>();
  rules: readonly CompiledRule[] = [];
  readonly ruleErrors = new Map<string, number>();
  canary: RouterCanary | undefined = undefined;
  /** Its counters have changed since they were written. */
  countsMoved = false;
  /** While rows come back: the counters of a canary whose own row has not come. */
  earlyCounts: CanaryCounts | undefined = undefined;
  readonly candidateId: undefined;
  /** Routes that found no recipient, since it is in memory: no commit has them. */
  unroutable = 0;
  holds = new Map<string, Hold>();
  /** Holds of leases whose rows the open commit has to write. */
  readonly leasesMoved = new Set<string>();
  /** Reservations among the holds. */
  reservations = 0;
  /** Position of the newest assignment. */
  order = 0;
  clock: RotationClock = clockOf([]);
  /** The table that decisions refer to has been recorded for this version in this bucket. */
  recordedBucket = -1;
  recordedVersion = -1;
  /** Buckets and days whose end has a timer; known again after the first write to each. */
  readonly timed = new Set<string>();
  #sorted: readonly LiveRecipient[] | undefined;
  #ready: readonly LiveRecipient[] | undefined;
  #limited = false;

  constructor(tenant: string) {
    this.tenant = tenant;
  }

  get ready(): readonly LiveRecipient[] {
    this.#ready ??= this.#findReady();
    return this.#ready;
  }

  get limited(): boolean {
    this.#ready ??= this.#findReady();
    return this.#limited;
  }

  /** All recipients in order of id. */
  get sorted(): readonly LiveRecipient[] {
    this.#sorted ??= [...this.recipients.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
    return this.#sorted;
  }

  /** After any change of who could be chosen at all. */
  changed(): void {
    this.#sorted = undefined;
    this.#ready = undefined;
  }

  /** Back to what it was before the pool was made. */
  reset(): void {
    const fresh = new State(this.tenant);
    const { status, poolId, environment, version, strategy, config, recipients, rules, holds } = fresh;
    Object.assign(this, { status, poolId, environment, version, strategy, config, recipients, rules, holds });
    Object.assign(this, { reservations: 0, order: 0, clock: fresh.clock, recordedBucket: -1 });
    this.ruleErrors.clear();
    this.timed.clear();
    this.leasesMoved.clear();
    this.canary = undefined;
    this.countsMoved = false;
    this.changed();
  }

  /** With the counters so far, where it is the same candidate. */
  setCanary(table: CanaryTable, counts = this.canary?.counts): void {
    this.canary = canaryOf(this, table, counts);
  }

  setRules(rules: readonly RoutingRule[]): void {
    this.rules = rules.map((rule) => ({ ...rule, program: lazyProgram(rule.condition) }));
  }

  /** A copy whose live figures can be moved on: decisions of one batch see each other before any is applied. */
  fork(): State {
    const copy = new State(this.tenant);
    const { status, poolId, environment, version, strategy, config, rules, order, clock, reservations } =
      this;
    Object.assign(copy, {
      status,
      poolId,
      environment,
      version,
      strategy,
      config,
      rules,
      order,
      clock,
      reservations,
    });
    for (const [id, recipient] of this.recipients) copy.recipients.set(id, recipient.copy());
    if (this.canary) copy.setCanary(this.canary.table, this.canary.counts);
    return copy;
  }

  #findReady(): readonly LiveRecipient[] {
    const ready = this.sorted.filter((recipient) => stateExclusion(recipient) === undefined);
    this.#limited = ready.some(({ capacity, health }) => capacity > 0 || health.state === "half_open");
    // Usually everybody is ready: one list then serves both.
    return ready.length === this.sorted.length ? this.sorted : ready;
  }
}

export function empty(address: Address): State {
  return new State(address.tenant);
}

export function bytesOf({ recipients, rules, holds }: State): number {
  return recipients.size * 600 + rules.length * 500 + holds.size * 250;
}
