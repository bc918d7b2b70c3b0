import { tenantSecretOf } from "../../kit/tenants.ts";
import type { Orchestration } from "../../module.ts";
import { unitKeyOf } from "../receipt.ts";
import { askUnits } from "./ask-units.ts";

interface UnitRef {
  readonly experiment_id: string;
  readonly unit_id: string;
}

export const getUnit: Orchestration = async (request, call) => {
  const { experiment_id: experimentId, unit_id } = request as UnitRef;
  const { key, shard } = unitKeyOf(await tenantSecretOf(call), experimentId, unit_id);
  return askUnits(call, { experimentId, shard, command: { type: "get", key } });
};

export const deleteUnit: Orchestration = async (request, call) => {
  const { experiment_id: experimentId, unit_id } = request as UnitRef;
  const { key, shard } = unitKeyOf(await tenantSecretOf(call), experimentId, unit_id);
  await askUnits(call, { experimentId, shard, command: { type: "remove", key }, step: "" });
  return { id: unit_id, deleted: true };
};
