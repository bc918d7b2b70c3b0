import type { Address } from "#runtime";
import { method } from "./ask.ts";

export const getQuota = method<{ readonly operation: string }, QuotaUse>("quota", "Get");
/** Refused where it would be more than `limit`. */
export const reserveQuota = method<QuotaReservation, Reserved>("quota", "Reserve");
/** The request was refused, or was a repeat of one that had been charged. */
export const releaseQuota = method<QuotaRelease, object>("quota", "Release");
/** Tells what was used of operations that have no limit. */
export const noteQuota = method<QuotaNote, object>("quota", "Note");

/** What a tenant has used of its quotas. */
export function quotaOf(tenant: string): Address {
  return { kind: "quota", tenant, key: quotaWindow };
}

export const quotaWindow = "day";

export interface QuotaUse {
  readonly used: number;
  readonly resets_at: string;
}

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

export interface QuotaRelease {
  readonly operation: string;
  readonly amount: number;
  readonly ref?: string;
  readonly day: number;
}

export interface QuotaNote {
  /** By operation. */
  readonly used: Readonly<Record<string, number>>;
}
