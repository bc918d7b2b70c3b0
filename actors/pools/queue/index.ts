/**
 * Owns the items of a pool from enqueue to their end: lines, leases, retries, admission groups, dead letters, pause and
 * drain. Twin of `pool` and `router`: a claim reads the router's recipients and reports its holds in the same commit.
 *
 * **How the line is kept.** What an item asks of its recipient is folded at enqueue into an eligibility class. A class
 * has one list of five bands; a band is ordered by (virtual start time, arrival) and is a range of rows whose first few
 * thousand are in memory. Who comes while the line is short stands in memory only (memory/recent-line.ts) and gets a row
 * when it has waited for some seconds: its own row is enough to find it again after a restart. So does who waits for a
 * time that comes soon. What such items and leases tell of admission groups is in no other row (memory/derived.ts). Fairness
 * is start-time fair queuing with the start drawn at arrival: an item starts where the last one of its key ended, so
 * serving in order of start *is* serving fairly, and no structure over keys is needed; all that is kept of a key is where
 * its last item ends, and that only while it is ahead of the band's virtual time. Items that a throttle or a concurrency
 * group has no room for leave the list for a line of their own, and come back when a timer or a lease makes room: a claim
 * does not meet them again. So a claim looks at one head per class and band, whatever stands behind, and a restart reads
 * one range per class and band.
 *
 * **How time is kept.** One timer per queue, at the earliest of: the next lease's end, the first row of the due index
 * (delays, retries, expirations, throttles, sticky waits), a pause's end, a job's next step, the first finished item to
 * forget, the first recent item that needs a row in line. A run handles a bounded number of things and sets the timer anew.
 *
 * 1. An item is in exactly one state and, while ready, in exactly one list or behind exactly one group.
 * 2. An item has at most one lease, and only its token settles it; a settlement is applied once and answered alike again.
 * 3. Slots in use of a concurrency group are the sum over its leases, never above the limit when one is taken.
 * 4. A throttled key is never handed out before its GCRA time, across restarts.
 * 5. A group that holds items back always has a lease, a timer, or an item of the same class ahead of them in line.
 * 6. An item that was acknowledged is in the rows until it is finished and its retention is over, or it is purged.
 * 7. Counters equal what the rows say.
 *
 * Tells its meter (apply/tell.ts) what it has counted. Publishes queue_item.*, queue.* and admission_group.* (docs/events.md). What can be lost: nothing that was answered.
 */
import { type AnyActorDefinition, defineActor } from "#runtime";
import type { ActivationMessage } from "../../kit/activation.ts";
import type { RouterView } from "../router.ts";
import { apply, beforeCommit } from "./apply/apply.ts";
import { wake } from "./commands/wake.ts";
import { type Command, decide } from "./decide.ts";
import { methods } from "./service.ts";
import { bytesOf, type Event, empty, resident, restore, type State } from "./state.ts";

/** The series goes back so many hours. */
export function makeQueue(seriesHours: number): AnyActorDefinition {
  return defineActor<State, Command, Event>({
    kind: "queue",
    placement: "key",
    twins: ["pool", "router", "watch"],
    empty: (address) => ({ ...empty(address), seriesHours }),
    resident,
    restore,
    bytesOf,
    environmentOf: (_state, twin) => twin<RouterView>("router").environment,
    decide,
    apply,
    beforeCommit,
    methods,
    onTimer: (id): Command => ({ type: id === "tell" ? "tell" : "tick" }),
    onMessage: (message): Command => message as ActivationMessage,
    wake,
  });
}
