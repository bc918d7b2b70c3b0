import type { EntityMethod } from "#runtime";
import { method } from "../../kit/ask.ts";
import type { ListPart } from "../../kit/decide.ts";
import { answered, answering, partMethod } from "../../kit/methods.ts";
import type { Message } from "../../kit/record.ts";
import { runIndexes } from "../../kit/workflow-run.ts";
import type { IndexCommand, RunStats, StartCommand, StatsRequest } from "./decide.ts";
import { entries, type IndexEvent, type IndexState } from "./state.ts";

export const listedRuns = { service: "WorkflowRunService", many: "Runs", collection: entries };

/** With the version that the run begins with, or what the definition or the input does not allow. */
export const beginRun = method<StartCommand, Message>(runIndexes.kind, "BeginRun");
export const getStats = method<StatsRequest, RunStats>(runIndexes.kind, "GetStats");

export const indexMethods: Readonly<Record<string, EntityMethod<IndexState, IndexCommand, IndexEvent>>> = {
  [beginRun.name]: answering(beginRun, (command) => command),
  [partMethod(listedRuns)]: answered((request: ListPart) => ({ ...request, type: "list_part" })),
  [getStats.name]: answering(getStats, (request) => ({ ...request, type: "stats" })),
};
