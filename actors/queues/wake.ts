import type { Context } from "#runtime";
import type { RouterRecipient, RouterView } from "../shared/router.ts";
import { choose, seedOf } from "../shared/strategy.ts";
import type { Command } from "./decide.ts";
import type { State } from "./state.ts";

/**
 * Parked claims to run again: as many as there are items they could get. If one recipient waits it gets the item at once;
 * if several do, the pool's strategy says who goes first.
 */
export function wake(state: State, parked: readonly Command[], context: Context): readonly number[] {
  const ready = state.counts.ready - state.held;
  if (ready <= 0 || state.pause?.untilMs === 0) return [];
  const router = context.twin<RouterView>("router");
  const waiting = new Map<RouterRecipient, number[]>();
  for (let i = 0; i < parked.length; i++) {
    const command = parked[i]!;
    const recipient = command.type === "claim" ? router.recipients.get(command.recipientId) : undefined;
    if (!recipient || (recipient.capacity > 0 && recipient.inFlight >= recipient.capacity)) continue;
    const indexes = waiting.get(recipient);
    if (indexes) indexes.push(i);
    else waiting.set(recipient, [i]);
  }
  return inOrder(state, router, waiting, parked, ready);
}

function inOrder(
  state: State,
  router: RouterView,
  waiting: Map<RouterRecipient, number[]>,
  parked: readonly Command[],
  ready: number,
): number[] {
  const woken: number[] = [];
  for (let room = 0; room < ready && waiting.size > 0; ) {
    const seed = seedOf(`${state.handle}:${state.order}`, woken.length, router.version);
    const recipient = choose(router, [...waiting.keys()], { seed, cost: 1 })!;
    const indexes = waiting.get(recipient)!;
    const index = indexes.shift()!;
    if (indexes.length === 0) waiting.delete(recipient);
    const command = parked[index]!;
    room += command.type === "claim" ? command.maxItems : 1;
    woken.push(index);
  }
  return woken;
}
