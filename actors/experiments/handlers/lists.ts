import { errorCodes, limits, RefusalError } from "#base";
import { tryAsk } from "../../kit/ask.ts";
import { batchError } from "../../kit/batch.ts";
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
  without,
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
  without,
};

/** One entity that is isolated, full or moving does not take the others' answers away; any other refusal is that of the list. */
function without(
  { id, name }: Parameters<EntityList["without"]>[0],
  refusal: Parameters<EntityList["without"]>[1],
) {
  if (!errorCodes[refusal.code].retryable && refusal.code !== "INTERNAL") throw new RefusalError(refusal);
  return { id, name, error: batchError(refusal) };
}
