import type { Address } from "#runtime";

/** What a tenant has used of its quotas. */
export function quotaOf(tenant: string): Address {
  return { kind: "quota", tenant, key: "day" };
}

export const quotaWindow = "day";

/** `Quota.Get` */
export interface QuotaUse {
  readonly used: number;
  readonly resets_at: string;
}

/** `Quota.Reserve`: refused where it would be more than `limit`. */
export interface QuotaReservation {
  readonly operation: string;
  readonly amount: number;
  readonly limit: number;
  /** What makes a repeated request the same one; absent: it cannot be repeated. */
  readonly ref?: string;
}

export interface Reserved {
  /** Charged just now, and not by an earlier try of the same request. */
  readonly fresh: boolean;
  /** The day that was charged. */
  readonly day: number;
}

/** `Quota.Release`: the request was refused, or was a repeat of one that had been charged. */
export interface QuotaRelease {
  readonly operation: string;
  readonly amount: number;
  readonly ref?: string;
  readonly day: number;
}

/** `Quota.Note`: what was used of operations that have no limit, by operation. */
export interface QuotaNote {
  readonly used: Readonly<Record<string, number>>;
}
