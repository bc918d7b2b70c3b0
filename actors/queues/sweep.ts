import { limits } from "#base";
import type { Draft } from "./draft.ts";
import { parkedTotal } from "./group.ts";
import type { Event } from "./state.ts";

/**
 * Forgets what says nothing any more: fairness keys that virtual time has passed, throttle keys that are full again. Runs
 * with ticks that happen anyway; a queue without traffic has nothing to sweep.
 */
export function sweep(draft: Draft): Extract<Event, { type: "swept" }> | undefined {
  const { state, now } = draft;
  if (now < state.sweepAt) return undefined;
  state.sweepAt = now + limits.queueSweepMs;
  const flows: string[] = [];
  for (const [key] of state.flows.entries()) {
    if (flows.length >= limits.queueSweepMax) break;
    const finish = draft.flow(key);
    if (finish && finish <= state.virtualTime[Number(key[0])]!) flows.push(key);
  }
  const groups: string[] = [];
  for (const [hold] of state.groups.entries()) {
    if (groups.length >= limits.queueSweepMax) break;
    const group = draft.group(hold);
    if (
      group?.kind === "throttle" &&
      group.tat <= now &&
      parkedTotal(group.parked) === 0 &&
      group.wakeAt === 0
    )
      groups.push(hold);
  }
  return flows.length + groups.length > 0 ? { type: "swept", flows, groups } : undefined;
}
