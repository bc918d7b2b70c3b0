import { limits } from "#base";
import type { StepType } from "./step-type.ts";

/** Executes an action over a connection; ends with the execution. */
export const action: StepType = {
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
