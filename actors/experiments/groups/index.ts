/**
 * Owns the ranges of an experiment group: entity (experiment_group, tenant, handle). Experiments of a group have ranges that do
 * not meet, so that no unit is in two of them.
 *
 * 1. Ranges do not overlap and stay within the group.
 * 2. An experiment that asks again gets the range it has.
 */
import { defineActor } from "#runtime";
import { type Command, decide, type GroupMessage } from "./decide.ts";
import { methods } from "./service.ts";
import { apply, empty, groupRows, restore } from "./state.ts";

export const groupActor = defineActor({
  kind: "experiment_group",
  placement: "key",
  empty,
  resident: [groupRows],
  restore,
  decide,
  apply,
  methods,
  onMessage: (message: GroupMessage): Command => message,
});
