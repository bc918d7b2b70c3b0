import type { Context } from "#runtime";
import type { RouterView } from "../shared/router.ts";
import type { Event, State } from "./state.ts";

/** The queue's own first facts, where nothing has happened to it yet: whose it is, and the secret of its hashes. */
export function opening(state: State, context: Context): Extract<Event, { type: "opened" }>[] {
  if (state.secret !== "") return [];
  const { poolId } = context.twin<RouterView>("router");
  return [{ type: "opened", poolId, secret: `${context.newId()}${context.newId()}` }];
}
