import type { RouterView } from "../router.ts";
import type { LiveRecipient } from "./recipient.ts";

/** What a decision reads: the router itself, or the router with a candidate's rules and strategy. */
export interface RouteView extends RouterView {
  readonly recipients: ReadonlyMap<string, LiveRecipient>;
  readonly ready: readonly LiveRecipient[];
  readonly sorted: readonly LiveRecipient[];
  readonly reservations: number;
  readonly order: number;
  /** Of a canary: named by the routing records that it decides. */
  readonly candidateId: string | undefined;
}
