/**
 * Owns the units of an experiment: entity (experiment_units, tenant, handle.shard) has those whose key begins with a byte of that
 * shard. No id of a unit is stored: its key is an HMAC of it. The state in memory is the snapshot of the experiment and the sums.
 *
 * 1. A unit that was exposed keeps its variant, phase and time of exposure, whatever changes later.
 * 2. The sums are those of the units that are stored, at every commit, as exact integers.
 * 3. A score counts once: a repeat of its id with the same body changes nothing, with another body it is refused.
 * 4. No command is decided by a snapshot older than the last change that the experiment has answered.
 *
 * Units are forgotten 30 days after scores close; the sums stay.
 */
import { defineActor } from "#runtime";
import type { ShardMessage } from "../snapshot.ts";
import { type Command, decide } from "./decide.ts";
import { methods } from "./service.ts";
import {
  apply,
  beforeCommit,
  bytesOf,
  dayRows,
  empty,
  requiredRows,
  restore,
  snapshotRows,
  sumRows,
} from "./state.ts";

export const unitsActor = defineActor({
  kind: "experiment_units",
  placement: "key",
  empty,
  resident: [requiredRows, snapshotRows, sumRows, dayRows],
  restore,
  bytesOf,
  decide,
  apply,
  beforeCommit,
  methods,
  onMessage: (message: ShardMessage): Command => message,
  onTimer: (): Command => ({ type: "forget" }),
});
