import type { StepType } from "./step-type.ts";

/** Runs several lists of steps side by side, until all have ended or any has. */
export const parallel: StepType = {
  fields: {
    branches: { is: "branches", required: true },
    until: { is: "choice", choices: ["all", "any"] },
  },
};
