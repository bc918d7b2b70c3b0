import { limits } from "#base";
import { channels } from "../../notify/outbound/types.ts";
import type { StepType } from "./step-type.ts";

export type { Answer, Call, Field, Form, StepType } from "./step-type.ts";

/** Executes an action over a connection; ends with the execution. */
const action: StepType = {
  module: "connectors",
  fields: {
    action_key: { is: "text", required: true, form: "action" },
    connection_id: { is: "text", required: true, form: "id" },
    input: { is: "object" },
  },
  permission: "connector_execution:write",
  call: ({ action_key, connection_id, input = {} }, { timeout_seconds: seconds }) => ({
    method: "ConnectorService.ExecuteAction",
    request: {
      key: action_key,
      connection_id,
      input,
      wait_seconds: 0,
      ...(typeof seconds === "number" && {
        deadline_seconds: Math.min(seconds, limits.executionDeadlineMsMax / 1_000),
      }),
    },
    origin: true,
  }),
  answered: ({ id, connection_id }) => ({ held: { execution_id: id, connection_id } }),
  actsOutside: true,
  undo: ({ execution_id }) => ({ method: "ConnectorService.CancelExecution", request: { execution_id } }),
};

/** Puts an item into a queue; ends when it is stored, with `wait` when the item has ended. */
const enqueue: StepType = {
  fields: {
    pool_id: { is: "text", required: true, form: "id" },
    key: { is: "text" },
    payload: { is: "template" },
    attributes: { is: "object" },
    wait: { is: "flag" },
  },
  permission: "queue_item:write",
  call: ({ pool_id, key = "", payload = null, attributes = {}, wait }) => ({
    method: "QueueService.Enqueue",
    request: { pool_id, key, payload, attributes },
    ...(wait === true && { origin: true }),
  }),
  answered(answer, { wait }) {
    const { item, admission } = answer as { item: Readonly<Record<string, unknown>>; admission?: object };
    const named = { queue_item_id: item.id, pool_id: item.pool_id };
    return wait === true ? { held: named } : { output: { ...named, admission } };
  },
  undo: ({ pool_id, queue_item_id }) => ({
    method: "QueueService.Cancel",
    request: { pool_id, queue_item_id },
  }),
};

const recipients = ["subscriber_external_id", "subscriber_id", "topic"];

/**
 * Sends a notification with the content of its own workflow; ends when it is accepted. Every attempt has the same transaction id:
 * however often the step is tried, a subscriber gets it once.
 */
const notify: StepType = {
  module: "audience",
  fields: {
    to: {
      is: "object",
      required: true,
      names: [...recipients, "subscriber", "user_id"],
      exactlyOne: recipients,
      forms: { subscriber_id: "id" },
    },
    channels: { is: "list", choices: channels },
    payload: { is: "object" },
  },
  permission: "notification:write",
  call: ({ to, channels: chosen, payload = {} }, { id }, run) => ({
    method: "NotificationService.Trigger",
    request: {
      ...(to as object),
      workflow_key: run.definitionKey,
      ...(chosen !== undefined && { channels: chosen }),
      payload,
      transaction_id: `${run.id}.${id as string}`,
      wait_ms: 0,
    },
  }),
  answered: ({ transaction_id, outcomes = [] }) => ({ output: { transaction_id, outcomes } }),
};

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
