import type { StepType } from "./step-type.ts";

/** Waits for a signal with this key. One that came before counts. With `timeout_seconds` it ends without one. */
export const waitEvent: StepType = { fields: { event_key: { is: "text", required: true } } };
