import { contractMethod, method } from "../../kit/ask.ts";
import { answered, answeredMethods, answering, takes, versionOf } from "../../kit/methods.ts";
import type { Message } from "../../kit/record.ts";
import type { Asked, Command } from "./decide.ts";

const kind = "watch";

export const createInPool = contractMethod<Asked & { readonly poolId: string }, Message>(
  kind,
  "AnomalyService.CreateMonitor",
);
export const updateInPool = contractMethod<Asked & { readonly id: string }, Message>(
  kind,
  "AnomalyService.UpdateMonitor",
);
export const listInPool = contractMethod(kind, "AnomalyService.ListAnomalies");
export const getAnomaly = contractMethod(kind, "AnomalyService.GetAnomaly");
/** Whether the pool is there, for this caller. */
export const lookAtPool = method<{ readonly poolId: string }, object>(kind, "Look");

export const methods = {
  [createInPool.name]: takes<Command>("create"),
  [updateInPool.name]: takes<Command>("update"),
  [lookAtPool.name]: answering(lookAtPool, ({ poolId }): Command => ({ type: "look", poolId })),
  [listInPool.name]: answering(listInPool, (request): Command => ({ type: "list_anomalies", request })),
  ...answeredMethods<Command>({
    "AnomalyService.ListMonitors": (request) => ({ type: "list", poolId: request.pool_id, request }),
    "AnomalyService.GetMonitor": ({ monitor_id: id }) => ({ type: "get", id }),
    "AnomalyService.GetAnomaly": ({ anomaly_id: id }) => ({ type: "get_anomaly", id }),
    "AnomalyService.CloseAnomaly": ({ anomaly_id: id }) => ({ type: "close_anomaly", id }),
  }),
  "AnomalyService.DeleteMonitor": answered<
    Command,
    { readonly monitor_id: string; readonly record_version?: number }
  >((request) => ({ type: "delete", id: request.monitor_id, ...versionOf(request) })),
};
