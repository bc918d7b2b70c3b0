import { handleOf, type Refusal } from "#base";
import type { Address } from "#runtime";
import { contractMethod, method } from "../../../kit/ask.ts";
import type { PageRequest } from "../../../kit/list.ts";
import type { TotalName } from "../../../kit/meter.ts";
import type { Purged } from "../dead-letters/purge.ts";
import type { GroupKind } from "../rows/group.ts";
import type { ClaimRequest, EntryRequest, TenantRoom } from "./request.ts";

/** What handlers ask the queue of a pool. */
export function queueAt(tenant: string, poolId: string): Address {
  return { kind: "queue", tenant, key: handleOf(poolId) };
}

type Message = Readonly<Record<string, unknown>>;

interface InPool {
  readonly pool_id: string;
}

export interface GroupsRequest extends PageRequest {
  readonly environment?: string;
  readonly constraint_kind?: GroupKind;
  readonly status?: string;
}

export const listGroups = contractMethod<
  InPool & GroupsRequest,
  { readonly admission_groups: readonly Message[]; readonly next_page_token: string }
>("queue", "AdmissionService.ListAdmissionGroups");

export const getStatus = contractMethod<InPool, Message>("queue", "QueueControlService.GetQueueStatus");

/** What handlers send on to other pools. */
export type Sent = Partial<InPool> & TenantRoom & { readonly redirected_in?: string };

interface Redirected {
  readonly redirect_pool_id?: string;
  /** Of the pool that redirects: the way never leads out of it. */
  readonly redirect_environment?: string;
}

/** An answer that may send the caller to another pool, or be a refusal that was counted. */
export type Along = Message & Redirected & { readonly refused?: Refusal };
export type Entry = Message & Redirected & { readonly index?: number };

export const enqueue = contractMethod<Sent, Along>("queue", "QueueService.Enqueue");
export const preview = contractMethod<Sent, Along>("queue", "AdmissionService.PreviewAdmission");
export const enqueueAll = contractMethod<Sent, { readonly results: Entry[] }>(
  "queue",
  "QueueService.EnqueueBatch",
);

/** What a watched queue tells once a second. */
export interface Sample {
  readonly queue: Message;
  readonly totals: Readonly<Record<TotalName, number>>;
  /** Where they were asked for. */
  readonly recipients?: readonly Message[];
}

export const sample = method<InPool & { readonly recipients: boolean }, Sample>("queue", "Sample");

/** One step; the handler goes on until it has drained as many as were asked for. */
export const drainStep = method<
  InPool & { readonly max_items: number },
  { readonly drained: number; readonly remaining_depth: number }
>("queue", "DrainStep");

/** One step; the handler goes on until nothing is left. */
export const purgeStep = method<
  InPool & { readonly before: number; readonly include_quarantined?: boolean; readonly after?: string },
  Purged
>("queue", "PurgeStep");

export interface Leased {
  readonly item: { readonly id: string };
  readonly lease_token: string;
}

export interface LostFrame {
  readonly queue_item_id: string;
  readonly lease_token: string;
  readonly reason: string;
}

export const settleBatch = contractMethod<
  InPool & { readonly settlements: readonly EntryRequest[] },
  { readonly results: readonly Message[] }
>("queue", "QueueService.SettleBatch");

/** One round of a Work stream. */
export const workRound = method<
  InPool & { readonly settlements: readonly EntryRequest[]; readonly claim: ClaimRequest },
  { readonly results: readonly Message[]; readonly items: readonly Leased[] }
>("queue", "WorkRound");

/** What a Work stream waits for: items, and the leases its worker loses. */
export const workWait = method<
  InPool & ClaimRequest & { readonly first: number; readonly holds: boolean },
  { readonly items: readonly Leased[]; readonly lost: readonly LostFrame[]; readonly next: number }
>("queue", "WorkWait");
