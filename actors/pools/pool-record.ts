import { toRfc3339 } from "#base";
import { type Stored, stampsOf } from "../kit/record.ts";
import { fillPoolConfig, type PoolConfigInput } from "./pool-config.ts";
import type { RecipientTable, RouterRecipient, RuleAction, Selector, Strategy } from "./router.ts";

/** A pool's own settings; `config` holds only what was set, so that a reset finds the default. */
export interface PoolRecord extends Stored {
  readonly name: string;
  readonly description: string;
  readonly strategy: Strategy;
  readonly enabled: boolean;
  readonly config: PoolConfigInput;
  /** See control-numbers.ts; absent until the pool is changed: it has had no others than those of its configuration. */
  readonly controls?: readonly string[];
  readonly environment: string;
}

/** From the directory to the pool that it makes. */
export interface PoolCreation {
  readonly type: "create";
  readonly pool: PoolRecord;
  /** Redacts admission keys of the tenant. */
  readonly tenantKey: string;
}

export interface RecipientRecord extends RecipientTable, Stored {
  readonly name: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

export interface RuleRecord extends Stored {
  readonly name: string;
  readonly order: number;
  readonly enabled: boolean;
  readonly condition: string;
  readonly action: RuleAction;
}

/** What a sibling reads of the pool. */
export interface PoolView {
  readonly recipients: ReadonlyMap<string, RecipientRecord>;
  readonly rules: ReadonlyMap<string, RuleRecord>;
}

export interface Children {
  readonly recipientIds: readonly string[];
  readonly ruleIds: readonly string[];
  readonly governance: Record<string, unknown>;
}

export function poolResource(pool: PoolRecord, tenant: string, children: Children): Record<string, unknown> {
  return {
    id: pool.id,
    name: pool.name,
    description: pool.description,
    strategy: pool.strategy,
    status: pool.enabled ? "STATUS_ACTIVE" : "STATUS_DISABLED",
    config: fillPoolConfig(pool.config),
    recipient_ids: children.recipientIds,
    rule_ids: children.ruleIds,
    tenant_id: tenant,
    environment: pool.environment,
    governance: children.governance,
    ...stampsOf(pool),
  };
}

/** `live` is absent for a moment only: before the router has taken a new recipient over. */
export function recipientResource(
  record: RecipientRecord,
  owner: { poolId: string; tenant: string },
  live: RouterRecipient | undefined,
): Record<string, unknown> {
  return {
    id: record.id,
    pool_id: owner.poolId,
    tenant_id: owner.tenant,
    name: record.name,
    status: recipientStatus(record, live),
    weight: record.weight,
    capacity: record.capacity,
    tier: record.tier,
    labels: record.labels,
    skills: record.skills,
    metadata: record.metadata,
    in_flight: live?.inFlight ?? 0,
    ...(live && live.lastAssignedAt > 0 && { last_assigned_at: toRfc3339(live.lastAssignedAt) }),
    health: healthResource(live),
    ...stampsOf(record),
  };
}

export function ruleResource(
  rule: RuleRecord,
  owner: { poolId: string; tenant: string },
  evaluationErrors: number,
): Record<string, unknown> {
  return {
    id: rule.id,
    pool_id: owner.poolId,
    tenant_id: owner.tenant,
    name: rule.name,
    order: rule.order,
    enabled: rule.enabled,
    condition: rule.condition,
    action: actionResource(rule.action),
    evaluation_errors: evaluationErrors,
    ...stampsOf(rule),
  };
}

/** What an operator asked for comes before what was found out. */
export function recipientStatus(record: RecipientTable, live: RouterRecipient | undefined): string {
  if (record.status === "paused") return "STATUS_PAUSED";
  if (record.status === "draining") return "STATUS_DRAINING";
  if (live?.offline) return "STATUS_OFFLINE";
  return live && live.health.state !== "healthy" ? "STATUS_EJECTED" : "STATUS_ACTIVE";
}

function healthResource(live: RouterRecipient | undefined): Record<string, unknown> {
  const health = live?.health;
  return {
    state: health?.state ?? "healthy",
    consecutive_failures: health?.failures ?? 0,
    ejections: health?.ejections ?? 0,
    ...(health?.state === "ejected" && { ejected_until: toRfc3339(health.untilMs) }),
    ...(live && live.heartbeatAt > 0 && { last_heartbeat_at: toRfc3339(live.heartbeatAt) }),
  };
}

export function actionResource(action: RuleAction): Record<string, unknown> {
  switch (action.type) {
    case "restrict":
      return { restrict: selectorResource(action.selector) };
    case "prefer":
      return { prefer: selectorResource(action.selector) };
    case "set_priority":
      return { set_priority: { priority: action.priority } };
    case "redirect":
      return { redirect: { pool_id: action.poolId } };
    case "reject":
      return { reject: { reason: action.reason } };
  }
}

function selectorResource({ recipientIds, labels, skills }: Selector): Record<string, unknown> {
  return { recipient_ids: recipientIds ?? [], labels: labels ?? {}, skills: skills ?? {} };
}
