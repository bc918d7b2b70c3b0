import type { StepType } from "./step-type.ts";

/** Chooses a recipient of a pool; ends with the decision. */
export const route: StepType = {
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
