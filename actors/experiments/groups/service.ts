import type { EntityMethod } from "#runtime";
import { contractMethod, method } from "../../kit/ask.ts";
import { answeredMethods, answering } from "../../kit/methods.ts";
import type { Command, TakeRange } from "./decide.ts";
import type { Event, State } from "./state.ts";

export const getGroup = contractMethod("experiment_group", "ExperimentGroupService.GetExperimentGroup");
export const takeRange = method<TakeRange, { readonly start: number }>("experiment_group", "Take");
export const releaseRange = method<{ readonly experimentId: string }, object>("experiment_group", "Release");

export const methods: Readonly<Record<string, EntityMethod<State, Command, Event>>> = {
  ...answeredMethods<Command>({
    "ExperimentGroupService.GetExperimentGroup": (request) => ({ ...request, type: "get" }),
    "ExperimentGroupService.DeleteExperimentGroup": (request) => ({ ...request, type: "delete" }),
  }),
  [takeRange.name]: answering(takeRange, (range) => ({ ...range, type: "take" })),
  [releaseRange.name]: answering(releaseRange, ({ experimentId }) => ({ type: "release", experimentId })),
};
