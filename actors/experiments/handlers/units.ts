import { tenantSecretOf } from "../../kit/tenants.ts";
import type { Handler } from "../../module.ts";
import { unitKeyOf } from "../receipt.ts";
import { askUnits } from "./ask-units.ts";

export const getUnit: Handler<"ExperimentService.GetUnit"> = async ({ experiment_id, unit_id }, call) => {
  const { key, shard } = unitKeyOf(await tenantSecretOf(call), experiment_id, unit_id);
  return askUnits(call, { experimentId: experiment_id, shard, command: { type: "get", key } });
};

export const deleteUnit: Handler<"ExperimentService.DeleteUnit"> = async (
  { experiment_id, unit_id },
  call,
) => {
  const { key, shard } = unitKeyOf(await tenantSecretOf(call), experiment_id, unit_id);
  const command = { type: "remove", key } as const;
  await askUnits(call, { experimentId: experiment_id, shard, command, step: "" });
  return { id: unit_id, deleted: true };
};
