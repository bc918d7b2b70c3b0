import { isRefusal } from "#base";
import type { Context, Decision } from "#runtime";
import { cancelJob, startJob } from "../../../kit/jobs.ts";
import type { RouterView } from "../../router.ts";
import type { Event, State } from "../state.ts";
import { reachPool } from "../unit/pool.ts";
import { filterRefusal } from "./filter.ts";
import type { JobKind, Selection } from "./job.ts";
import { kinds } from "./kinds.ts";

export type JobCommand =
  | {
      readonly type: "start_job";
      readonly kind: JobKind;
      readonly filter: string;
      readonly selection: Selection;
      readonly rate: number;
    }
  | { readonly type: "cancel_job"; readonly id: string };

export function decideJobs(state: State, command: JobCommand, context: Context): Decision<Event> {
  const refused = reachPool(context.twin<RouterView>("router"), context);
  if (refused) return refused;
  const event =
    command.type === "cancel_job"
      ? cancelJob(state.jobs, command.id, context.now)
      : start(state, command, context);
  return isRefusal(event) ? event : { events: event ? [event] : [] };
}

function start(state: State, command: Extract<JobCommand, { type: "start_job" }>, context: Context) {
  const { type: _type, ...asked } = command;
  const bad = filterRefusal(asked.filter);
  if (bad) return bad;
  const { kind, filter, selection, rate } = asked;
  const id = context.newId(state.handle);
  const total = kinds[kind].total(state, selection);
  return startJob(state.jobs, { id, kind, filter, selection, rate, total }, context);
}
