import type { EntityMethod } from "#runtime";
import { contractMethod, method } from "../../kit/ask.ts";
import { answered, answering, versionOf } from "../../kit/methods.ts";
import type { Message } from "../../kit/record.ts";
import type { Command, TakeRange } from "./decide.ts";
import type { Event, State } from "./state.ts";

export const getGroup = contractMethod<{ readonly id: string }, Message>(
  "experiment_group",
  "ExperimentGroupService.GetExperimentGroup",
);
export const takeRange = method<TakeRange, { readonly start: number }>("experiment_group", "Take");
export const releaseRange = method<{ readonly experimentId: string }, object>("experiment_group", "Release");

export const methods: Readonly<Record<string, EntityMethod<State, Command, Event>>> = {
  [getGroup.name]: answering(getGroup, ({ id }) => ({ type: "get", id })),
  "ExperimentGroupService.DeleteExperimentGroup": answered((request) => ({
    type: "delete",
    id: request.id as string,
    ...versionOf(request),
  })),
  [takeRange.name]: answering(takeRange, (range) => ({ ...range, type: "take" })),
  [releaseRange.name]: answering(releaseRange, ({ experimentId }) => ({ type: "release", experimentId })),
};
