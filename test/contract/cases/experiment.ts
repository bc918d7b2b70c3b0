import { randomBytes } from "node:crypto";
import { type Case, nobody } from "./case.ts";
import type { World } from "./world.ts";

interface Named {
  readonly id: string;
}

const draft = {
  name: "checkout",
  variants: [
    { key: "old", weight: 0.5, payload: { color: "grey" } },
    { key: "new", weight: 0.5 },
  ],
  metrics: [
    { key: "paid", kind: "binary", role: "primary" },
    { key: "spent", kind: "sum", cap: 1000, covariate: true },
  ],
};
/** Keys are unique in a tenant. */
const named = () => ({ ...draft, key: `key-${randomBytes(6).toString("hex")}` });

async function made(world: World, fields: object = {}): Promise<string> {
  return (await world.call<Named>("ExperimentService.CreateExperiment", { ...named(), ...fields })).id;
}

async function started(world: World, fields: object = {}): Promise<string> {
  const experiment_id = await made(world, fields);
  await world.call("ExperimentService.StartExperiment", { experiment_id });
  return experiment_id;
}

async function receipt(world: World, experiment_id: string, expose = true): Promise<string> {
  const request = { experiment_id, unit_id: "u1", expose };
  return (await world.call<{ receipt: string }>("ExperimentService.Assign", request)).receipt;
}

const group = async (world: World) =>
  (await world.call<Named>("ExperimentGroupService.CreateExperimentGroup", { name: "a group" })).id;

export const cases: readonly Case[] = [
  {
    method: "ExperimentService.CreateExperiment",
    claim: "a draft with defaults",
    request: named,
  },
  {
    method: "ExperimentService.CreateExperiment",
    claim: "weights that do not add up to 1 are refused",
    request: () => ({
      ...named(),
      variants: [
        { key: "a", weight: 0.5 },
        { key: "b", weight: 0.4 },
      ],
    }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "ExperimentService.CreateExperiment",
    claim: "targeting that does not compile is refused with its position",
    request: () => ({ ...named(), targeting: "attributes.country = 'DE'" }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "ExperimentService.GetExperiment",
    claim: "one experiment",
    request: async (world) => ({ experiment_id: await made(world) }),
  },
  {
    method: "ExperimentService.GetExperiment",
    claim: "an unknown one is not found",
    request: () => ({ experiment_id: nobody }),
    refused: "NOT_FOUND",
  },
  {
    method: "ExperimentService.ListExperiments",
    claim: "a page of experiments",
    request: async (world) => {
      await started(world);
      await started(world);
      return { page_size: 1, status: "running" };
    },
  },
  {
    method: "ExperimentService.ListExperiments",
    claim: "a forged cursor is refused",
    request: () => ({ page_token: "AAAA" }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "ExperimentService.UpdateExperiment",
    claim: "only what is named changes",
    request: async (world) => ({
      experiment_id: await made(world),
      coverage: 0.25,
      update_mask: ["coverage"],
    }),
  },
  {
    method: "ExperimentService.UpdateExperiment",
    claim: "weights of a running one open a phase",
    request: async (world) => ({
      experiment_id: await started(world),
      variants: [
        { key: "old", weight: 0.1, payload: { color: "grey" } },
        { key: "new", weight: 0.9 },
      ],
      carry: "keep",
      update_mask: ["variants", "carry"],
    }),
  },
  {
    method: "ExperimentService.UpdateExperiment",
    claim: "metrics of a running one stay as they are",
    request: async (world) => ({
      experiment_id: await started(world),
      metrics: [{ key: "other", kind: "count", role: "primary" }],
      update_mask: ["metrics"],
    }),
    refused: "STATE_CONFLICT",
  },
  {
    method: "ExperimentService.DeleteExperiment",
    claim: "a draft is deleted",
    request: async (world) => ({ experiment_id: await made(world) }),
  },
  {
    method: "ExperimentService.DeleteExperiment",
    claim: "a running one is not deleted",
    request: async (world) => ({ experiment_id: await started(world) }),
    refused: "STATE_CONFLICT",
  },
  {
    method: "ExperimentService.StartExperiment",
    claim: "a draft is started",
    request: async (world) => ({ experiment_id: await made(world) }),
  },
  {
    method: "ExperimentService.StartExperiment",
    claim: "an experiment group without room is refused",
    request: async (world) => {
      const id = await group(world);
      await started(world, { group: { id, share: 0.7 } });
      return { experiment_id: await made(world, { group: { id, share: 0.4 } }) };
    },
    refused: "FAILED_PRECONDITION",
  },
  {
    method: "ExperimentService.PauseExperiment",
    claim: "a running one pauses",
    request: async (world) => ({ experiment_id: await started(world) }),
  },
  {
    method: "ExperimentService.PauseExperiment",
    claim: "a draft is not paused",
    request: async (world) => ({ experiment_id: await made(world) }),
    refused: "STATE_CONFLICT",
  },
  {
    method: "ExperimentService.CompleteExperiment",
    claim: "a running one is completed with a winner",
    request: async (world) => ({ experiment_id: await started(world), winner: "new" }),
  },
  {
    method: "ExperimentService.CompleteExperiment",
    claim: "a winner that is not a variant is refused",
    request: async (world) => ({ experiment_id: await started(world), winner: "newer" }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "ExperimentService.StopExperiment",
    claim: "a draft is stopped",
    request: async (world) => ({ experiment_id: await made(world), reason: "no need any more" }),
  },
  {
    method: "ExperimentService.StopExperiment",
    claim: "a reason is required",
    request: async (world) => ({ experiment_id: await made(world) }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "ExperimentService.Assign",
    claim: "an override is returned with its payload",
    request: async (world) => ({
      experiment_id: await started(world, { overrides: { u1: "old" } }),
      unit_id: "u1",
      attributes: { country: "DE" },
    }),
  },
  {
    method: "ExperimentService.Assign",
    claim: "a draft assigns no unit",
    request: async (world) => ({ experiment_id: await made(world), unit_id: "u1" }),
    refused: "FAILED_PRECONDITION",
  },
  {
    method: "ExperimentService.AssignMany",
    claim: "a refusal by one experiment is returned at its position",
    request: async (world) => ({
      experiment_ids: [await started(world, { coverage: 0 }), nobody],
      unit_id: "u1",
    }),
  },
  {
    method: "ExperimentService.AssignMany",
    claim: "at least one experiment is named",
    request: () => ({ experiment_ids: [], unit_id: "u1" }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "ExperimentService.RecordExposures",
    claim: "a receipt is redeemed, and a forged one is refused at its position",
    request: async (world) => {
      const experiment_id = await started(world);
      const good = await receipt(world, experiment_id, false);
      return { experiment_id, exposures: [{ receipt: good }, { receipt: "er1_forged" }, { receipt: good }] };
    },
  },
  {
    method: "ExperimentService.RecordExposures",
    claim: "at least one receipt is sent",
    request: async (world) => ({ experiment_id: await started(world), exposures: [] }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "ExperimentService.RecordScore",
    claim: "a score before the exposure does not count",
    request: async (world) => {
      const experiment_id = await started(world, { overrides: {}, variants: one });
      await receipt(world, experiment_id);
      return { experiment_id, score_id: "s1", unit_id: "u1", metric: "spent", value: 1.5, occurred_at: past };
    },
  },
  {
    method: "ExperimentService.RecordScore",
    claim: "a unit that was not exposed is reported",
    request: async (world) => ({
      experiment_id: await started(world),
      score_id: "s1",
      unit_id: "u2",
      metric: "paid",
    }),
    refused: "FAILED_PRECONDITION",
  },
  {
    method: "ExperimentService.RecordScores",
    claim: "each score is answered by itself",
    request: async (world) => {
      const experiment_id = await started(world, { variants: one });
      await receipt(world, experiment_id);
      const score = { score_id: "s1", unit_id: "u1", metric: "spent", value: 2, occurred_at: past };
      return {
        experiment_id,
        scores: [score, { ...score, metric: "unknown" }, score, { ...score, value: 3 }],
      };
    },
  },
  {
    method: "ExperimentService.RecordScores",
    claim: "at least one score is sent",
    request: async (world) => ({ experiment_id: await started(world), scores: [] }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "ExperimentService.GetResults",
    claim: "stats of an experiment with one unit",
    request: async (world) => {
      const experiment_id = await started(world, { variants: one });
      await receipt(world, experiment_id);
      return { experiment_id };
    },
  },
  {
    method: "ExperimentService.GetResults",
    claim: "an unknown phase is refused",
    request: async (world) => ({ experiment_id: await started(world), phase: 2 }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "ExperimentService.GetUnit",
    claim: "what is stored of a unit",
    request: async (world) => {
      const experiment_id = await started(world, { variants: one });
      await receipt(world, experiment_id);
      return { experiment_id, unit_id: "u1" };
    },
  },
  {
    method: "ExperimentService.GetUnit",
    claim: "an unknown one is not found",
    request: async (world) => ({ experiment_id: await started(world), unit_id: "u 2 ü" }),
    refused: "NOT_FOUND",
  },
  {
    method: "ExperimentService.DeleteUnit",
    claim: "a unit is deleted",
    request: async (world) => {
      const experiment_id = await started(world);
      await receipt(world, experiment_id);
      return { experiment_id, unit_id: "u1" };
    },
  },
  {
    method: "ExperimentService.DeleteUnit",
    claim: "an unknown one is not found",
    request: async (world) => ({ experiment_id: await started(world), unit_id: "u2" }),
    refused: "NOT_FOUND",
  },
  {
    method: "ExperimentGroupService.CreateExperimentGroup",
    claim: "a group",
    request: () => ({ name: "checkout page" }),
  },
  {
    method: "ExperimentGroupService.CreateExperimentGroup",
    claim: "a name is required",
    request: () => ({}),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "ExperimentGroupService.GetExperimentGroup",
    claim: "a group without allocated ranges",
    request: async (world) => ({ id: await group(world) }),
  },
  {
    method: "ExperimentGroupService.GetExperimentGroup",
    claim: "an unknown one is not found",
    request: () => ({ id: nobody }),
    refused: "NOT_FOUND",
  },
  {
    method: "ExperimentGroupService.ListExperimentGroups",
    claim: "a page of groups",
    request: async (world) => {
      await group(world);
      await group(world);
      return { page_size: 1 };
    },
  },
  {
    method: "ExperimentGroupService.ListExperimentGroups",
    claim: "a forged cursor is refused",
    request: () => ({ page_token: "AAAA" }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "ExperimentGroupService.DeleteExperimentGroup",
    claim: "a group without ranges is deleted",
    request: async (world) => ({ id: await group(world) }),
  },
  {
    method: "ExperimentGroupService.DeleteExperimentGroup",
    claim: "a group with an allocated range is not deleted",
    request: async (world) => {
      const id = await group(world);
      await started(world, { group: { id, share: 0.5 } });
      return { id };
    },
    refused: "FAILED_PRECONDITION",
  },
];

/** Every unit gets the second variant, so that answers do not depend on the experiment's id. */
const one = [
  { key: "old", weight: 0 },
  { key: "new", weight: 1 },
];
const past = "2024-01-01T00:00:00.000Z";

export const decided = `
ExperimentService.CreateExperiment           | POST /api/experiments | experiment:write | | I
ExperimentService.GetExperiment              | GET /api/experiments/{experiment_id} | experiment:read | | R
ExperimentService.ListExperiments            | GET /api/experiments | experiment:read | | R C
ExperimentService.UpdateExperiment           | PATCH /api/experiments/{experiment_id} | experiment:write | | I
ExperimentService.DeleteExperiment           | DELETE /api/experiments/{experiment_id} | experiment:delete | | I
ExperimentService.StartExperiment            | POST /api/experiments/{experiment_id}/start | experiment:write | | I
ExperimentService.PauseExperiment            | POST /api/experiments/{experiment_id}/pause | experiment:write | | I
ExperimentService.CompleteExperiment         | POST /api/experiments/{experiment_id}/complete | experiment:write | | I
ExperimentService.StopExperiment             | POST /api/experiments/{experiment_id}/stop | experiment:write | | I
ExperimentService.Assign                     | POST /api/experiments/{experiment_id}/assign | experiment_assignment:write | | I
ExperimentService.AssignMany                 | POST /api/experiments:assign | experiment_assignment:write | | I
ExperimentService.RecordExposures            | POST /api/experiments/{experiment_id}/exposures | experiment_assignment:write | | I
ExperimentService.RecordScore                | POST /api/experiments/{experiment_id}/scores | experiment_score:write | | I
ExperimentService.RecordScores               | POST /api/experiments/{experiment_id}/scores:batch | experiment_score:write | | I
ExperimentService.GetResults                 | GET /api/experiments/{experiment_id}/results | experiment:read | | R
ExperimentService.GetUnit                    | GET /api/experiments/{experiment_id}/units/{unit_id} | experiment:read | | R
ExperimentService.DeleteUnit                 | DELETE /api/experiments/{experiment_id}/units/{unit_id} | experiment:delete | | I
ExperimentGroupService.CreateExperimentGroup | POST /api/experiment-groups | experiment:write | | I
ExperimentGroupService.GetExperimentGroup    | GET /api/experiment-groups/{id} | experiment:read | | R
ExperimentGroupService.ListExperimentGroups  | GET /api/experiment-groups | experiment:read | | R C
ExperimentGroupService.DeleteExperimentGroup | DELETE /api/experiment-groups/{id} | experiment:delete | | I
`;
