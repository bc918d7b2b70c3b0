import type { EntityMethod } from "#runtime";
import { answered, versionOf } from "../../kit/methods.ts";
import type { Command } from "./decide.ts";
import type { Event, State } from "./state.ts";

type Method = EntityMethod<State, Command, Event>;

export const methods: Readonly<Record<string, Method>> = {
  "ExperimentGroupService.GetExperimentGroup": answered(({ id }) => ({ type: "get", id: id as string })),
  "ExperimentGroupService.DeleteExperimentGroup": answered((request) => ({
    type: "delete",
    id: request.id as string,
    ...versionOf(request),
  })),
  "ExperimentGroup.Take": answered((request) => ({
    ...(request as unknown as Omit<Extract<Command, { type: "take" }>, "type">),
    type: "take",
  })),
  "ExperimentGroup.Release": answered((request) => ({
    type: "release",
    experimentId: request.experimentId as string,
  })),
};
