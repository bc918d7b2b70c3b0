import { limits } from "#base";
import type { StepType } from "./step-type.ts";

/** Lets time pass: this many seconds, or until a moment. */
export const wait: StepType = {
  fields: {
    seconds: { is: "number", least: 0, most: limits.workflowTimeoutSecondsMax },
    until: { is: "text", form: "time" },
  },
  wrong: ({ seconds, until }) =>
    (seconds === undefined) === (until === undefined) ? "needs either seconds or until" : undefined,
};
