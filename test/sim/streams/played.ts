import { subscribeTo } from "../../../actors/workflow-streams/stream/handlers/subscribe.ts";

/** The handler of subscriptions in the simulator; planted bugs replace it. */
export const played = { subscribe: subscribeTo };
