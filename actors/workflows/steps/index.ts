import { limits } from "#base";
import { action } from "./action.ts";
import { enqueue } from "./enqueue.ts";
import { notify } from "./notify.ts";
import type { StepType } from "./step-type.ts";

export type { Answer, Call, Field, Form, StepType } from "./step-type.ts";

/** Assigns a unit to a variant of an experiment, and exposes it; ends with the variant. */
const assign: StepType = {
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

/** Takes the first case whose condition holds, or `else`. */
const branch: StepType = {
  fields: { cases: { is: "cases", required: true }, else: { is: "steps" } },
};

/** Ends the run. */
const end: StepType = {
  fields: {
    status: { is: "choice", choices: ["succeeded", "failed"] },
    output: { is: "template" },
  },
};

/** Runs several lists of steps side by side, until all have ended or any has. */
const parallel: StepType = {
  fields: {
    branches: { is: "branches", required: true },
    until: { is: "choice", choices: ["all", "any"] },
  },
};

/** Chooses a recipient of a pool; ends with the decision. */
const route: StepType = {
  fields: {
    pool_id: { is: "text", required: true, form: "id" },
    key: { is: "text" },
    attributes: { is: "object" },
  },
  permission: "routing:write",
  call: ({ pool_id, key = "", attributes = {} }) => ({
    method: "RoutingService.Route",
    request: { pool_id, key, attributes },
  }),
  answered: ({ id, pool_id, recipient_id, strategy }) => ({
    output: { routing_id: id, pool_id, recipient_id, strategy },
  }),
};

/** Lets time pass: this many seconds, or until a moment. */
const wait: StepType = {
  fields: {
    seconds: { is: "number", least: 0, most: limits.workflowTimeoutSecondsMax },
    until: { is: "text", form: "time" },
  },
  wrong: ({ seconds, until }) =>
    (seconds === undefined) === (until === undefined) ? "needs either seconds or until" : undefined,
};

/** Waits for a signal with this key. One that came before counts. With `timeout_seconds` it ends without one. */
const waitEvent: StepType = { fields: { event_key: { is: "text", required: true } } };

/** Every kind of step. */
export const stepTypes: Readonly<Record<string, StepType>> = {
  action,
  notify,
  route,
  enqueue,
  assign,
  wait,
  wait_event: waitEvent,
  branch,
  parallel,
  end,
};

export function stepTypeOf(type: string): StepType | undefined {
  return Object.hasOwn(stepTypes, type) ? stepTypes[type] : undefined;
}
