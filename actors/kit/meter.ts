import type { Address } from "#runtime";
import { method } from "./ask.ts";

/** What a queue counts and never resets. */
export const totalNames = [
  "enqueued",
  "claimed",
  "completed",
  "failed",
  "dead",
  "expired",
  "cancelled",
  "wait_ms_sum",
  "lease_ms_sum",
] as const;
export type TotalName = (typeof totalNames)[number];

/** Waits up to these milliseconds have a bucket of their own; the last one has the longer ones. */
export const waitBucketsMs = [
  10, 100, 1_000, 5_000, 15_000, 60_000, 300_000, 900_000, 3_600_000, 21_600_000, 86_400_000,
] as const;

/** The states of items that are not over. */
export const liveStates = ["scheduled", "ready", "leased", "retry_wait"] as const;

/** From a queue to its meter: what it has counted, and how it is now. */
export interface QueueTold {
  readonly type: "told";
  readonly environment: string;
  /** By the queue's own clock. */
  readonly at: number;
  readonly totals: Readonly<Record<TotalName, number>>;
  readonly waits: readonly number[];
  readonly live: Readonly<Record<(typeof liveStates)[number], number>>;
  /** 0: no item is ready. */
  readonly oldestReadyAt: number;
}

/** From a queue that goes with its pool. */
export interface QueueGone {
  readonly type: "gone";
}

export const meterKeys = ["0", "1", "2", "3"] as const;

/** The meter of a queue: one of four, by the last character of the handle, which is random. */
export function meterOf(tenant: string, handle: string): Address {
  return { kind: "meter", tenant, key: meterKeyOf(handle) };
}

export function meterKeyOf(handle: string): string {
  return String(handle.charCodeAt(handle.length - 1) % meterKeys.length);
}

/** Makes a queue tell its meter now. */
export const tellMeter = method<{ readonly pool_id: string }, object>("queue", "Tell");

/** Whether it is an item that waits or is leased that a queue tells of. */
export function isBusy({ live }: Pick<QueueTold, "live">): boolean {
  return liveStates.some((state) => live[state] > 0);
}
