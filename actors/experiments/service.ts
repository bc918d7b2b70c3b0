import type { EntityMethod } from "#runtime";
import { contractMethod, method } from "../kit/ask.ts";
import { answered, answering, versionOf } from "../kit/methods.ts";
import type { Message } from "../kit/record.ts";
import type { Command } from "./decide.ts";
import type { ExperimentRecord } from "./record.ts";
import type { Snapshot } from "./snapshot.ts";
import type { Event, State } from "./state.ts";

interface ExperimentRef {
  readonly experiment_id: string;
}

export interface StartRequest extends ExperimentRef {
  readonly record_version?: number;
  /** The range that the group has given, where it has one. */
  readonly group_start?: number;
}

export const getExperiment = contractMethod<ExperimentRef, Message>(
  "experiment",
  "ExperimentService.GetExperiment",
);
export const startExperiment = method<StartRequest, Message>("experiment", "Start");
/** The record itself, for what handlers work out of it. */
export const lookExperiment = method<ExperimentRef, ExperimentRecord>("experiment", "Look");
export const snapshotExperiment = method<ExperimentRef, Snapshot>("experiment", "Snapshot");

export const methods: Readonly<Record<string, EntityMethod<State, Command, Event>>> = {
  [getExperiment.name]: answered((request) => ({ type: "get", id: idOf(request) })),
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
  [startExperiment.name]: answering(startExperiment, ({ experiment_id, group_start, ...request }) => ({
    type: "start",
    id: experiment_id,
    ...versionOf(request),
    ...(group_start !== undefined && { groupStart: group_start }),
  })),
  [lookExperiment.name]: answering(lookExperiment, ({ experiment_id }) => ({
    type: "look",
    id: experiment_id,
  })),
  [snapshotExperiment.name]: answering(snapshotExperiment, ({ experiment_id }) => ({
    type: "snapshot",
    id: experiment_id,
  })),
};

function idOf(request: Message): string {
  return request.experiment_id as string;
}
