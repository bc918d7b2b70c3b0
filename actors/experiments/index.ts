/**
 * Owns experiments: entity (experiment, tenant, handle) has the settings, phases and state of one; 32 shards beside it have its
 * units (units/), a group gives out ranges (groups/). What statistics say is worked out from sums when it is asked for (results.ts).
 *
 * 1. An experiment moves only as the table of `decide.ts` says; what has started never changes its variants, metrics or hash.
 * 2. Once a change is answered, no shard decides by what was before.
 * 3. Receipts prove an assignment: who has not the tenant's secret makes none.
 * 4. While an experiment runs, its guardrails are looked at every five minutes; a breach of one that pauses, pauses.
 *
 * Publishes experiment.* with every new state, phase and finding of a look. What a look found is lost at most until the next one.
 */

import { defineActor, type EffectStep } from "#runtime";
import type { EntityPurge } from "../kit/directory.ts";
import type { Module } from "../module.ts";
import type { ModuleParts } from "../parts.ts";
import { type Command, decide } from "./decide.ts";
import { experimentDirectory } from "./directory.ts";
import type { LookResult } from "./effects.ts";
import { lookHandler } from "./effects.ts";
import { groupDirectory } from "./groups/directory.ts";
import { groupActor } from "./groups/index.ts";
import { assignMany, assignOne } from "./handlers/assign.ts";
import { listExperiments, listGroups } from "./handlers/lists.ts";
import { recordExposures, recordScore, recordScores } from "./handlers/record.ts";
import { getResults } from "./handlers/results.ts";
import { start } from "./handlers/start.ts";
import { deleteUnit, getUnit } from "./handlers/units.ts";
import type { ExperimentCreation } from "./record.ts";
import { methods } from "./service.ts";
import { apply, empty, lookEffect, lookRows, recordRows, restore } from "./state.ts";
import { unitsActor } from "./units/index.ts";

export function experiments(parts: Pick<ModuleParts, "call" | "metrics">): Module {
  return {
    name: "experiments",
    actors: [
      defineActor({
        kind: "experiment",
        placement: "key",
        empty,
        resident: [recordRows, lookRows],
        restore,
        environmentOf: ({ record }) => record?.environment,
        decide,
        apply,
        methods,
        onMessage: (message: ExperimentCreation | EntityPurge): Command => message,
        onEffect: (step: EffectStep<LookResult>): Command => ({ type: "effect", step }),
      }),
      unitsActor,
      groupActor,
    ],
    directories: [experimentDirectory, groupDirectory],
    orchestrations: {
      "ExperimentService.ListExperiments": listExperiments,
      "ExperimentService.StartExperiment": start,
      "ExperimentService.Assign": assignOne(parts.metrics),
      "ExperimentService.AssignMany": assignMany(parts.metrics),
      "ExperimentService.RecordExposures": recordExposures,
      "ExperimentService.RecordScore": recordScore,
      "ExperimentService.RecordScores": recordScores,
      "ExperimentService.GetResults": getResults,
      "ExperimentService.GetUnit": getUnit,
      "ExperimentService.DeleteUnit": deleteUnit,
      "ExperimentGroupService.ListExperimentGroups": listGroups,
    },
    effects: { [lookEffect]: lookHandler(parts) },
  };
}
