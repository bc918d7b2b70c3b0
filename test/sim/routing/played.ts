import { subscribeEvents } from "../../../actors/events/subscribe.ts";
import { pools } from "../../../actors/pools/index.ts";
import { workStreamOver } from "../../../actors/pools/queue/handlers/work.ts";
import type { Answer, Ask, Asker } from "../../../runtime/index.ts";
import type { Callers } from "../caller.ts";
import type { Stage } from "../scenario.ts";
import type { Doors } from "./doors.ts";
import type { Told } from "./told.ts";

/** The handlers of the streams in the simulator; planted bugs replace them. */
export const played = {
  work: workStreamOver,
  route: () => pools.streams!["RoutingService.RouteStream"]!,
  subscribe: () => subscribeEvents,
};

/** What one stream needs from the simulator. */
export interface StreamParts {
  readonly stage: Stage;
  readonly callers: Callers;
  readonly doors: Doors;
  readonly told: Told;
  /** Every question gets an answer: if its process is gone, that the outcome is unknown. */
  asker(seen: (ask: Ask) => void, heard: (ask: Ask, answer: Answer) => void): Asker;
}
