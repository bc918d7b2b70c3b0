/**
 * Owns the monitors of a pool, the points they have measured, and the anomalies they have found. Twin of `pool`, `router` and `queue`,
 * whose counts it reads: a point is a difference of two readings.
 *
 * 1. A pause by an anomaly is in the commit that opens it; so are its events. None is made twice, and a resume by hand stands.
 * 2. An interval that was not measured, or in which nothing happened that could be, is a gap and not 0.
 * 3. A monitor has at most as many points as its window and 168 hours; a pool at most 200 anomalies, those that are closed for 30 days.
 * 4. All goes with the pool.
 *
 * Publishes anomaly.opened, .alert and .closed. What can be lost: with a restart, one point of what is counted in memory only.
 */
import { handleOfChild } from "#base";
import { type AnyActorDefinition, defineActor } from "#runtime";
import type { Directory, EntityPurge } from "../../kit/directory.ts";
import type { RouterView } from "../router.ts";
import { type Command, deciding } from "./decide.ts";
import { anomalyKind } from "./record.ts";
import { methods } from "./service.ts";
import { apply, bytesOf, type Event, empty, resident, restore, type State } from "./state.ts";

export function makeWatch(isOn: boolean): AnyActorDefinition {
  return defineActor<State, Command, Event>({
    kind: "watch",
    placement: "key",
    twins: ["pool", "router", "queue"],
    empty,
    resident,
    restore,
    bytesOf,
    environmentOf: (_state, twin) => twin<RouterView>("router").environment,
    decide: deciding(isOn),
    apply,
    methods,
    onTimer: (): Command => ({ type: "tick" }),
    onMessage: (message): Command => message as EntityPurge,
  });
}

/** Anomalies of all pools. */
export const anomalyDirectory: Directory = {
  kind: anomalyKind,
  filters: ["state", "environment"],
  order: "descending",
  addressOf: (tenant, id) => ({ kind: "watch", tenant, key: handleOfChild(id) }),
};
