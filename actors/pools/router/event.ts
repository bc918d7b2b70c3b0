import type { RouterEvent } from "../router.ts";

export type Event =
  | RouterEvent
  /** A decision; with `hold` its cost is reserved under the routing's own id. */
  | {
      readonly type: "routed";
      readonly id: string;
      readonly recipientId: string;
      readonly record: readonly unknown[];
      readonly hold?: { readonly cost: number; readonly untilMs: number };
      /** What it counts as, while there is a canary. */
      readonly code?: number;
    }
  /** A keyed request went on to another pool: a retry follows it without asking the rules again. */
  | { readonly type: "redirected"; readonly poolId: string; readonly ruleId: string }
  | { readonly type: "outcome_recorded"; readonly outcome: OutcomeRecord; readonly code?: number }
  | { readonly type: "heartbeat"; readonly recipientId: string; readonly ttlMs: number }
  | { readonly type: "went_offline"; readonly recipientId: string }
  | { readonly type: "half_opened"; readonly recipientId: string }
  | { readonly type: "bucket_expired"; readonly bucket: number }
  | { readonly type: "day_expired"; readonly day: number };

export interface OutcomeRecord {
  readonly id: string;
  readonly routingId?: string;
  readonly queueItemId?: string;
  readonly recipientId?: string;
  readonly result: "success" | "failure" | "timeout" | "cancelled";
  readonly latencyMs?: number;
  readonly score?: number;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly at: number;
}
