import { subscribeTo } from "../../../actors/workflow-streams/subscribe.ts";

/** The handler of subscriptions as it is played; planted bugs replace it. */
export const played = { subscribe: subscribeTo };
