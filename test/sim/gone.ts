import { type Refusal, refuse } from "#base";
import type { Owner, Scheduler } from "./scheduler.ts";

const everyMs = 300;

/** While an answer is awaited: checks whether the process that was asked is still alive. */
export function lookAfter(
  scheduler: Scheduler,
  owner: Owner,
  waits: () => boolean,
  asked: { readonly isThere: () => boolean; readonly gone: () => void },
): void {
  scheduler.schedule(owner, everyMs, "look", () => {
    if (!waits()) return;
    if (asked.isThere()) lookAfter(scheduler, owner, waits, asked);
    else asked.gone();
  });
}

export function goneRefusal(): Refusal {
  return refuse("UNAVAILABLE", "its owner is gone", { retryAfterMs: 100 });
}
