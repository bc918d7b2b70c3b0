import type { StepType } from "./step-type.ts";

/** Puts an item into a queue; ends when it is stored, with `wait` when the item has ended. */
export const enqueue: StepType = {
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
