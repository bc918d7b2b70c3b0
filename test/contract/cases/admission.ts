import { type Case, nobody } from "./case.ts";
import type { World } from "./world.ts";

const throttled = { config: { admission: { throttle: { limit: 1, period_ms: 60_000 } } } };

/** A pool whose items form one throttle group, and that group's id. */
async function group(world: World): Promise<{ pool_id: string; constraint_kind: string; group_id: string }> {
  const pool_id = await world.pool(throttled);
  const recipient_id = await world.recipient(pool_id);
  await world.item(pool_id);
  await world.item(pool_id);
  await world.call("QueueService.Claim", { pool_id, recipient_id });
  const listed = await world.call<{ admission_groups: { group_id: string }[] }>(
    "AdmissionService.ListAdmissionGroups",
    { pool_id },
  );
  return { pool_id, constraint_kind: "throttle", group_id: listed.admission_groups[0]!.group_id };
}

const noGroup = `g_${"0".repeat(32)}`;

export const cases: readonly Case[] = [
  {
    method: "AdmissionService.PreviewAdmission",
    claim: "what would happen",
    request: async (world) => ({ pool_id: await world.pool(throttled), payload: 1 }),
  },
  {
    method: "AdmissionService.PreviewAdmission",
    claim: "what would happen in the pool that a rule sends it to",
    request: async (world) => {
      const [pool_id, target] = [await world.pool(), await world.pool(throttled)];
      const action = { redirect: { pool_id: target } };
      await world.call("RuleService.CreateRule", { pool_id, name: "away", action });
      return { pool_id, payload: 1 };
    },
  },
  {
    method: "AdmissionService.PreviewAdmission",
    claim: "a priority beyond the last band is refused",
    request: async (world) => ({ pool_id: await world.pool(), priority: 0 }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "AdmissionService.ExplainAdmission",
    claim: "why an item waits",
    request: async (world) => {
      const pool_id = await world.pool();
      return { pool_id, queue_item_id: await world.item(pool_id) };
    },
  },
  {
    method: "AdmissionService.ExplainAdmission",
    claim: "an unknown one is not found",
    request: async (world) => ({ pool_id: await world.pool(), queue_item_id: nobody }),
    refused: "NOT_FOUND",
  },
  {
    method: "AdmissionService.ListAdmissionGroups",
    claim: "the groups of a pool",
    request: async (world) => ({ pool_id: (await group(world)).pool_id, constraint_kind: "throttle" }),
  },
  {
    method: "AdmissionService.ListAdmissionGroups",
    claim: "an unknown kind is refused",
    request: () => ({ constraint_kind: "mood" }),
    refused: "INVALID_ARGUMENT",
  },
  { method: "AdmissionService.GetAdmissionGroup", claim: "one group", request: group },
  {
    method: "AdmissionService.GetAdmissionGroup",
    claim: "an unknown one is not found",
    request: async (world) => ({
      pool_id: await world.pool(),
      constraint_kind: "throttle",
      group_id: noGroup,
    }),
    refused: "NOT_FOUND",
  },
  {
    method: "AdmissionService.ClearAdmissionGroup",
    claim: "a group is cleared, with the reason",
    request: async (world) => ({ ...(await group(world)), reason: "again" }),
  },
  {
    method: "AdmissionService.ClearAdmissionGroup",
    claim: "a reason is required",
    request: async (world) => ({ ...(await group(world)), reason: "" }),
    refused: "INVALID_ARGUMENT",
  },
];

export const decided = `
AdmissionService.PreviewAdmission    | POST /api/queues/{pool_id}:preview-admission | queue:preview | | N
AdmissionService.ExplainAdmission    | GET /api/queues/{pool_id}/items/{queue_item_id}/admission-explanation | queue:read | | R
AdmissionService.ListAdmissionGroups | GET /api/queues/admission-groups | queue:read | | R C
AdmissionService.GetAdmissionGroup   | GET /api/queues/{pool_id}/admission-groups/{constraint_kind}/{group_id} | queue:read | | R
AdmissionService.ClearAdmissionGroup | POST /api/queues/{pool_id}/admission-groups/{constraint_kind}/{group_id}:clear | queue:write | | I audited
`;
