import { handleOf, limits } from "#base";
import { tryAsk } from "../../kit/ask.ts";
import { listing } from "../../kit/entity-list.ts";
import { getGroup } from "../groups/service.ts";
import { getExperiment } from "../service.ts";

export const listExperiments = listing({
  kind: "experiment",
  many: "experiments",
  filters: { status: "status", environment: "environment" },
  atOnce: limits.experimentsAskedAtOnce,
  ask: (id, call) => tryAsk(call, getExperiment, { key: handleOf(id), request: { experiment_id: id } }),
});

export const listGroups = listing({
  kind: "experiment_group",
  many: "experiment_groups",
  filters: { environment: "environment" },
  atOnce: limits.experimentsAskedAtOnce,
  ask: (id, call) => tryAsk(call, getGroup, { key: handleOf(id), request: { id } }),
});
