import { channels } from "../../notify/outbound/types.ts";
import type { StepType } from "./step-type.ts";

const recipients = ["subscriber_external_id", "subscriber_id", "topic"];

/**
 * Sends a notification with the content of its own workflow; ends when it is accepted. Every attempt has the same transaction id:
 * however often the step is tried, a subscriber gets it once.
 */
export const notify: StepType = {
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
