import { handleOf, limits } from "#base";
import { tryAsk } from "../../kit/ask.ts";
import { type EntityList, listEntities } from "../../kit/entity-list.ts";
import type { PageRequest } from "../../kit/list.ts";
import type { Orchestration } from "../../module.ts";
import { getGroup } from "../groups/service.ts";
import { getExperiment } from "../service.ts";

interface ListRequest extends PageRequest {
  readonly status?: string;
  readonly environment?: string;
}

export const listExperiments: Orchestration = async (request, call) => {
  const { status, environment, ...paging } = request as ListRequest;
  const filter = { status, environment };
  const { values, ...page } = await listEntities(experiments, { ...paging, filter }, call);
  return { experiments: values, ...page };
};

export const listGroups: Orchestration = async (request, call) => {
  const { environment, ...paging } = request as ListRequest;
  const { values, ...page } = await listEntities(groups, { ...paging, filter: { environment } }, call);
  return { experiment_groups: values, ...page };
};

const experiments: EntityList = {
  kind: "experiment",
  atOnce: limits.experimentsAskedAtOnce,
  ask: (id, call) => tryAsk(call, getExperiment, { key: handleOf(id), request: { experiment_id: id } }),
};

const groups: EntityList = {
  kind: "experiment_group",
  atOnce: limits.experimentsAskedAtOnce,
  ask: (id, call) => tryAsk(call, getGroup, { key: handleOf(id), request: { id } }),
};
