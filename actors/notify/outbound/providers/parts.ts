import type { Clock } from "#base";
import type { Outgoing } from "../../../outgoing.ts";

/** What providers are made of. */
export interface ProviderParts {
  readonly outgoing: Outgoing;
  readonly clock: Clock;
}
