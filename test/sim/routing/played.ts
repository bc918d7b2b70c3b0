import { subscribeEvents } from "../../../actors/events/subscribe.ts";
import { workStreamOver } from "../../../actors/queues/doors/work.ts";
import { routing } from "../../../actors/routing/index.ts";
import type { Answer, Ask, Asker } from "../../../runtime/index.ts";
import type { Callers } from "../caller.ts";
import type { Stage } from "../scenario.ts";
import type { Doors } from "./doors.ts";
import type { Told } from "./told.ts";

/** The handlers of the streams as they are played; planted bugs replace them. */
export const played = {
  work: workStreamOver,
  route: () => routing.streams!["RoutingService.RouteStream"]!,
  subscribe: () => subscribeEvents,
};

/** What one stream needs of those who play it. */
export interface StreamParts {
  readonly stage: Stage;
  readonly callers: Callers;
  readonly doors: Doors;
  readonly told: Told;
  /** Every question has an answer: of a process that is gone, that it is not known. */
  asker(seen: (ask: Ask) => void, heard: (ask: Ask, answer: Answer) => void): Asker;
}
