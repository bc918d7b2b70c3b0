import type { EntityMethod } from "#runtime";
import { answered, versionOf } from "../kit/methods.ts";
import type { Message } from "../kit/record.ts";
import type { Command } from "./decide.ts";
import type { Event, State } from "./state.ts";

type Method = EntityMethod<State, Command, Event>;

export const methods: Readonly<Record<string, Method>> = {
  "ExperimentService.GetExperiment": answered((request) => ({ type: "get", id: idOf(request) })),
  "ExperimentService.UpdateExperiment": answered((request) => ({
    type: "update",
    id: idOf(request),
    given: request,
  })),
  "ExperimentService.PauseExperiment": answered((request) => ({
    type: "pause",
    id: idOf(request),
    ...versionOf(request),
  })),
  "ExperimentService.CompleteExperiment": answered((request) => ({
    type: "complete",
    id: idOf(request),
    ...versionOf(request),
    ...(request.winner !== undefined && { winner: request.winner as string }),
  })),
  "ExperimentService.StopExperiment": answered((request) => ({
    type: "stop",
    id: idOf(request),
    ...versionOf(request),
    reason: request.reason as string,
  })),
  "ExperimentService.DeleteExperiment": answered((request) => ({
    type: "delete",
    id: idOf(request),
    ...versionOf(request),
  })),
  /** With the range that the group has given, where it has one. */
  "Experiment.Start": answered((request) => ({
    type: "start",
    id: idOf(request),
    ...versionOf(request),
    ...(request.group_start !== undefined && { groupStart: request.group_start as number }),
  })),
  /** The record itself, for what works with it at the door. */
  "Experiment.Look": answered((request) => ({ type: "look", id: idOf(request) })),
  "Experiment.Snapshot": answered((request) => ({ type: "snapshot", id: idOf(request) })),
};

function idOf(request: Message): string {
  return request.experiment_id as string;
}
