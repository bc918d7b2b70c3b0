import { method } from "./ask.ts";

/** One event, as a page for a module has it. */
export interface NextEvent {
  readonly id: string;
  readonly kind: string;
  readonly environment: string;
  readonly subject: string;
  readonly at: string;
  readonly payload: unknown;
}

interface NextRequest {
  /** Shard and position; empty: from now on, which the answer tells at once. */
  readonly cursor: readonly number[];
  readonly kinds: readonly string[];
  /** Absent: of all; else those of none, too. */
  readonly environment?: string;
  /** How long to wait for the first event. */
  readonly waitMs: number;
}

export interface NextEvents {
  readonly events: readonly NextEvent[];
  readonly cursor: readonly number[];
}

/** The next events of the tenant, for effects; refused as CURSOR_EXPIRED where some are no longer kept. */
export const nextEvents = method<NextRequest, NextEvents>("events", "Next");
