import { limits, type Refusal, refuse } from "#base";
import type { PageRequest } from "../../../kit/list.ts";
import type { Claim } from "../commands/claimer.ts";
import type { Enqueue } from "../commands/enqueue.ts";
import type { NewItem } from "../commands/entry.ts";
import type { Settle } from "../commands/settle.ts";
import type { Extend } from "../commands/settle-batch.ts";
import type { Progress } from "../rows/item.ts";

/** Contract to domain. The contract has checked shapes and ranges; defaults are filled in here. */
export interface ItemRequest {
  readonly key?: string;
  readonly payload?: unknown;
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly priority?: number;
  readonly cost?: number;
  readonly dedup_id?: string;
  readonly not_before?: string;
  readonly expires_at?: string;
  readonly traceparent?: string;
}

/** What an enqueue that another pool sent on carries besides; not in the contract. */
interface Redirect {
  readonly redirected_in?: string;
}

/** What the tenant's record says of its pools; not in the contract. */
export interface TenantRoom {
  readonly tenant_depth_max?: number;
}

export function enqueueOf(request: unknown, items: readonly ItemRequest[], single: boolean): Enqueue {
  const {
    redirected_in: redirectedIn = "",
    pool_id: poolId,
    tenant_depth_max: depthMax = Number.POSITIVE_INFINITY,
  } = request as Redirect & TenantRoom & { readonly pool_id?: string };
  return { type: "enqueue", poolId, entries: items.map(newItem), single, redirectedIn, depthMax };
}

function newItem(request: ItemRequest): NewItem {
  return {
    key: request.key ?? "",
    payload: request.payload,
    attributes: request.attributes ?? {},
    priority: request.priority ?? 0,
    cost: request.cost ?? 1,
    dedupId: request.dedup_id ?? "",
    notBefore: timeMs(request.not_before),
    expiresAt: timeMs(request.expires_at),
    traceparent: request.traceparent ?? "",
  };
}

export interface ClaimRequest {
  readonly pool_id?: string;
  readonly recipient_id: string;
  readonly max_items?: number;
  readonly lease_seconds?: number;
  readonly wait_seconds?: number;
}

export function claimOf(request: ClaimRequest): Claim {
  return {
    type: "claim",
    poolId: request.pool_id,
    recipientId: request.recipient_id,
    maxItems: Math.min(request.max_items ?? 1, limits.claimItemsMax),
    leaseSeconds: request.lease_seconds ?? 0,
    waitMs: Math.min((request.wait_seconds ?? 0) * 1_000, limits.claimWaitMs),
  };
}

export interface SettleRequest {
  readonly queue_item_id: string;
  readonly lease_token: string;
  readonly result?: unknown;
  readonly error?: string;
  readonly error_type?: string;
  readonly retryable?: boolean;
  readonly delay_ms?: number;
  readonly lease_seconds?: number;
  readonly progress?: Progress;
}

/** Of a batch: each says itself what it is. */
export interface EntryRequest extends SettleRequest {
  readonly outcome: Settle["outcome"] | "extend";
}

export function settlementsOf(requests: readonly EntryRequest[]): (Settle | Extend)[] {
  return requests.map((request) => settleOf(request, request.outcome));
}

export function settleOf(request: SettleRequest, outcome: EntryRequest["outcome"]): Settle | Extend {
  const { queue_item_id: id, lease_token: token } = request;
  if (outcome === "extend")
    return { id, token, outcome, leaseSeconds: request.lease_seconds ?? 0, progress: request.progress };
  return {
    id,
    token,
    outcome,
    result: request.result,
    error: request.error ?? "",
    errorType: request.error_type ?? "",
    retryable: request.retryable ?? true,
    delayMs: request.delay_ms,
  };
}

export function pageOf(request: PageRequest): PageRequest {
  const { page_size, page_token, offset } = request;
  return {
    ...(page_size !== undefined && { page_size }),
    ...(page_token !== undefined && { page_token }),
    ...(offset !== undefined && { offset }),
  };
}

/** RFC 3339, or a duration back from now: whole days, hours, minutes and seconds, each once and in this order (`2h30m`). */
export function olderThan(text: string | undefined, now: number): number | Refusal {
  if (!text) return 0;
  const [, ...counts] = durationForm.exec(text) ?? [];
  if (counts.length > 0)
    return sinceEpoch(now - counts.reduce((sum, count, i) => sum + Number(count ?? 0) * unitsMs[i]!, 0));
  const at = rfc3339.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(at)) return sinceEpoch(at);
  const reason = "must be a time (RFC 3339) or a duration in d, h, m and s, such as 72h or 2h30m";
  return refuse("INVALID_ARGUMENT", `older_than ${reason}`, { fields: [{ field: "older_than", reason }] });
}

const rfc3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;
const durationForm = /^(?=\d)(?:(\d{1,9})d)?(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9})s)?$/;
const unitsMs = [86_400_000, 3_600_000, 60_000, 1_000];

export function timeMs(text: string | undefined): number {
  return text === undefined ? 0 : sinceEpoch(Date.parse(text));
}

/** 0 stands for no time at all: what was given is never that, however long ago it is. */
function sinceEpoch(ms: number): number {
  return Math.max(1, ms);
}
