import type { StepType } from "./step-type.ts";

/** Takes the first case whose condition holds, or `else`. */
export const branch: StepType = {
  fields: { cases: { is: "cases", required: true }, else: { is: "steps" } },
};
