import type { GetExperimentRequest } from "#protos";
import type { EntityMethod } from "#runtime";
import { contractMethod, method } from "../kit/ask.ts";
import { answeredMethods, answering } from "../kit/methods.ts";
import type { Message } from "../kit/record.ts";
import type { Command, StartRequest } from "./decide.ts";
import type { ExperimentRecord } from "./record.ts";
import type { Snapshot } from "./snapshot.ts";
import type { Event, State } from "./state.ts";

export const getExperiment = contractMethod("experiment", "ExperimentService.GetExperiment");
export const startExperiment = method<StartRequest, Message>("experiment", "Start");
/** The record itself, for what handlers work out of it. */
export const lookExperiment = method<GetExperimentRequest, ExperimentRecord>("experiment", "Look");
export const snapshotExperiment = method<GetExperimentRequest, Snapshot>("experiment", "Snapshot");

export const methods: Readonly<Record<string, EntityMethod<State, Command, Event>>> = {
  ...answeredMethods<Command>({
    "ExperimentService.GetExperiment": (request) => ({ type: "get", request }),
    "ExperimentService.UpdateExperiment": (request) => ({ type: "update", request }),
    "ExperimentService.PauseExperiment": (request) => ({ type: "pause", request }),
    "ExperimentService.CompleteExperiment": (request) => ({ type: "complete", request }),
    "ExperimentService.StopExperiment": (request) => ({ type: "stop", request }),
    "ExperimentService.DeleteExperiment": (request) => ({ type: "delete", request }),
  }),
  [startExperiment.name]: answering(startExperiment, (request) => ({ type: "start", request })),
  [lookExperiment.name]: answering(lookExperiment, (request) => ({ type: "look", request })),
  [snapshotExperiment.name]: answering(snapshotExperiment, (request) => ({ type: "snapshot", request })),
};
