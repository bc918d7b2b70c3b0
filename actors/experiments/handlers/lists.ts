import { limits } from "#base";
import { tryAsk } from "../../kit/ask.ts";
import type { PageRequest } from "../../kit/cursor.ts";
import { type EntityList, listEntities } from "../../kit/entity-list.ts";
import type { Orchestration } from "../../module.ts";
import { experimentAddress, groupAddress } from "../record.ts";

interface ListRequest extends PageRequest {
  readonly status?: string;
  readonly environment?: string;
}

export const listExperiments: Orchestration = async (request, call) => {
  const { status, environment, ...paging } = request as ListRequest;
  const filter = {
    ...(status !== undefined && { status }),
    ...(environment !== undefined && { environment }),
  };
  const { values, ...page } = await listEntities(experiments, { ...paging, filter }, call);
  return { experiments: values, ...page };
};

export const listGroups: Orchestration = async (request, call) => {
  const { environment, ...paging } = request as ListRequest;
  const filter = environment === undefined ? {} : { environment };
  const { values, ...page } = await listEntities(groups, { ...paging, filter }, call);
  return { experiment_groups: values, ...page };
};

const experiments: EntityList = {
  kind: "experiment",
  atOnce: limits.experimentsAskedAtOnce,
  ask: (id, call) =>
    tryAsk(call, {
      to: experimentAddress(call.caller.tenant, id),
      method: "ExperimentService.GetExperiment",
      request: { experiment_id: id },
    }),
};

const groups: EntityList = {
  kind: "experiment_group",
  atOnce: limits.experimentsAskedAtOnce,
  ask: (id, call) =>
    tryAsk(call, {
      to: groupAddress(call.caller.tenant, id),
      method: "ExperimentGroupService.GetExperimentGroup",
      request: { id },
    }),
};
