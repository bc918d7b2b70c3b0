import { type AnyActorDefinition, defineActor } from "#runtime";
import { method } from "../../kit/ask.ts";
import type { ListPart } from "../../kit/decide.ts";
import { answering, partMethod, takes } from "../../kit/methods.ts";
import type { Message } from "../../kit/record.ts";
import type { TenantPurge } from "../../kit/tenant.ts";
import { runIndexes } from "../../kit/workflow-run.ts";
import type { IndexMessage } from "../runs/record.ts";
import { type Command, decide, type RunStats, type StartCommand, type StatsRequest } from "./decide.ts";
import { apply, empty, entries, resident, restore } from "./state.ts";

export const listedRuns = { service: "WorkflowRunService", many: "Runs", collection: entries };

/** With the version that the run begins with, or what the definition or the input does not allow. */
export const beginRun = method<StartCommand, Message>(runIndexes.kind, "BeginRun");
export const getStats = method<StatsRequest, RunStats>(runIndexes.kind, "GetStats");

export const indexActor: AnyActorDefinition = defineActor({
  kind: runIndexes.kind,
  placement: "key",
  empty,
  resident,
  restore,
  decide,
  apply,
  methods: {
    [beginRun.name]: answering(beginRun, (command): Command => command),
    [partMethod(listedRuns)]: takes<ListPart>("list_part"),
    [getStats.name]: takes<Command>("stats"),
  },
  onMessage: (message: IndexMessage | TenantPurge): Command => message,
  onTimer: (): Command => ({ type: "purge" }),
});
