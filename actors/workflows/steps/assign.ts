import type { StepType } from "./step-type.ts";

/** Assigns a unit to a variant of an experiment, and exposes it; ends with the variant. */
export const assign: StepType = {
  module: "experiments",
  fields: {
    experiment_id: { is: "text", required: true, form: "id" },
    unit_id: { is: "text", required: true },
    attributes: { is: "object" },
  },
  permission: "experiment_assignment:write",
  call: ({ experiment_id, unit_id, attributes = {} }) => ({
    method: "ExperimentService.Assign",
    request: { experiment_id, unit_id, attributes },
  }),
  answered: ({ variant, payload = null, in_experiment, reason }) => ({
    output: { variant, payload, in_experiment, reason },
  }),
};
