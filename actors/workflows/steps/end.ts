import type { StepType } from "./step-type.ts";

/** Ends the run. */
export const end: StepType = {
  fields: {
    status: { is: "choice", choices: ["succeeded", "failed"] },
    output: { is: "template" },
  },
};
