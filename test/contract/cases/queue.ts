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

async function staffed(world: World): Promise<{ pool_id: string; recipient_id: string }> {
  const pool_id = await world.pool();
  return { pool_id, recipient_id: await world.recipient(pool_id) };
}

interface RetryAll {
  operation_id: string;
  state: string;
}

const noGroup = `g_${"0".repeat(32)}`;

export const cases: readonly Case[] = [
  {
    method: "QueueService.Enqueue",
    claim: "an item is queued",
    request: async (world) => ({
      pool_id: await world.pool(),
      key: "k",
      payload: { order: [1, 2] },
      attributes: { vip: true },
      priority: 2,
    }),
  },
  {
    method: "QueueService.Enqueue",
    claim: "a priority beyond the last band is refused",
    request: async (world) => ({ pool_id: await world.pool(), priority: 6 }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "QueueService.Enqueue",
    claim: "an unknown pool is not found",
    request: () => ({ pool_id: nobody, payload: 1 }),
    refused: "NOT_FOUND",
  },
  {
    method: "QueueService.EnqueueBatch",
    claim: "each entry has its own result",
    request: async (world) => ({
      pool_id: await world.pool(),
      items: [{ payload: 1 }, { key: "b", dedup_id: "d" }],
    }),
  },
  {
    method: "QueueService.EnqueueBatch",
    claim: "an empty batch is refused",
    request: async (world) => ({ pool_id: await world.pool(), items: [] }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "QueueService.ListItems",
    claim: "items by state",
    request: async (world) => {
      const pool_id = await world.pool();
      await world.item(pool_id);
      await world.item(pool_id);
      return { pool_id, page_size: 1, states: ["ready"] };
    },
  },
  {
    method: "QueueService.ListItems",
    claim: "an unknown state is refused",
    request: async (world) => ({ pool_id: await world.pool(), states: ["lost"] }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "QueueService.GetItem",
    claim: "an item is found",
    request: async (world) => {
      const pool_id = await world.pool();
      return { pool_id, queue_item_id: await world.item(pool_id) };
    },
  },
  {
    method: "QueueService.GetItem",
    claim: "an unknown one is not found",
    request: async (world) => ({ pool_id: await world.pool(), queue_item_id: nobody }),
    refused: "NOT_FOUND",
  },
  {
    method: "QueueService.Claim",
    claim: "an item is handed out",
    request: async (world) => {
      const ids = await staffed(world);
      await world.item(ids.pool_id);
      return { ...ids, max_items: 2, lease_seconds: 10 };
    },
  },
  {
    method: "QueueService.Claim",
    claim: "an empty queue gives nothing",
    request: staffed,
  },
  {
    method: "QueueService.Claim",
    claim: "an unknown recipient is not found",
    request: async (world) => ({ pool_id: await world.pool(), recipient_id: nobody }),
    refused: "NOT_FOUND",
  },
  {
    method: "QueueService.SettleBatch",
    claim: "each entry has its own result",
    request: async (world) => {
      const { pool_id, queue_item_id, lease_token } = await world.leased();
      const stranger = { queue_item_id: nobody, lease_token: "x", outcome: "fail" };
      return {
        pool_id,
        settlements: [{ queue_item_id, lease_token, outcome: "complete", result: 1 }, stranger],
      };
    },
  },
  {
    method: "QueueService.SettleBatch",
    claim: "an unknown outcome is named with its place",
    request: async (world) => ({
      pool_id: await world.pool(),
      settlements: [{ queue_item_id: nobody, lease_token: "x", outcome: "perhaps" }],
    }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "QueueService.Complete",
    claim: "the holder completes",
    request: async (world) => ({ ...(await world.leased()), result: { ok: true } }),
  },
  {
    method: "QueueService.Complete",
    claim: "an old token is refused",
    request: async (world) => ({ ...(await world.leased()), lease_token: "stale" }),
    refused: "LEASE_LOST",
  },
  {
    method: "QueueService.Fail",
    claim: "a failure waits for its retry",
    request: async (world) => ({ ...(await world.leased()), error: "boom", delay_ms: 60_000 }),
  },
  {
    method: "QueueService.Fail",
    claim: "an old token is refused",
    request: async (world) => ({ ...(await world.leased()), lease_token: "stale" }),
    refused: "LEASE_LOST",
  },
  { method: "QueueService.Release", claim: "an item is given back", request: (world) => world.leased() },
  {
    method: "QueueService.Release",
    claim: "an old token is refused",
    request: async (world) => ({ ...(await world.leased()), lease_token: "stale" }),
    refused: "LEASE_LOST",
  },
  {
    method: "QueueService.Reject",
    claim: "a rejected item is a dead letter",
    request: async (world) => ({ ...(await world.leased()), error: "no", error_type: "bad" }),
  },
  {
    method: "QueueService.Reject",
    claim: "a token is required",
    request: async (world) => ({ ...(await world.leased()), lease_token: "" }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "QueueService.Extend",
    claim: "a lease is extended",
    request: async (world) => ({ ...(await world.leased()), lease_seconds: 120 }),
  },
  {
    method: "QueueService.Extend",
    claim: "an old token is refused",
    request: async (world) => ({ ...(await world.leased()), lease_token: "stale" }),
    refused: "LEASE_LOST",
  },
  {
    method: "QueueService.Cancel",
    claim: "a waiting item is cancelled",
    request: async (world) => {
      const pool_id = await world.pool();
      return { pool_id, queue_item_id: await world.item(pool_id) };
    },
  },
  {
    method: "QueueService.Cancel",
    claim: "an unknown one is not found",
    request: async (world) => ({ pool_id: await world.pool(), queue_item_id: nobody }),
    refused: "NOT_FOUND",
  },
  {
    method: "QueueService.Work",
    claim: "an item comes to whoever gave credit",
    request: async (world) => {
      const ids = await staffed(world);
      await world.item(ids.pool_id);
      return [{ hello: { ...ids, credit: 1 } }];
    },
    take: 1,
  },
  {
    method: "QueueService.Work",
    claim: "a malformed hello is refused",
    request: () => [{ hello: { pool_id: "x", recipient_id: nobody } }],
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "QueueControlService.ListQueues",
    claim: "the queues of the tenant",
    request: async (world) => {
      await world.pool();
      await world.pool();
      return { page_size: 1 };
    },
  },
  {
    method: "QueueControlService.ListQueues",
    claim: "another tenant's are not shown",
    request: () => ({ tenant_id: nobody }),
    refused: "PERMISSION_DENIED",
  },
  {
    method: "QueueControlService.GetQueueStatus",
    claim: "depth and states",
    request: async (world) => {
      const pool_id = await world.pool();
      await world.item(pool_id);
      return { pool_id };
    },
  },
  {
    method: "QueueControlService.GetQueueStatus",
    claim: "an unknown pool is not found",
    request: () => ({ pool_id: nobody }),
    refused: "NOT_FOUND",
  },
  {
    method: "QueueControlService.PauseQueue",
    claim: "a queue is paused",
    request: async (world) => ({ pool_id: await world.pool(), reason: "lunch" }),
  },
  {
    method: "QueueControlService.PauseQueue",
    claim: "a malformed id is no id",
    request: () => ({ pool_id: "x" }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "QueueControlService.ResumeQueue",
    claim: "a queue goes on",
    request: async (world) => {
      const pool_id = await world.pool();
      await world.call("QueueControlService.PauseQueue", { pool_id });
      return { pool_id };
    },
  },
  {
    method: "QueueControlService.ResumeQueue",
    claim: "an unknown pool is not found",
    request: () => ({ pool_id: nobody }),
    refused: "NOT_FOUND",
  },
  {
    method: "QueueControlService.DrainQueue",
    claim: "what waits is removed",
    request: async (world) => {
      const pool_id = await world.pool();
      await world.item(pool_id);
      await world.item(pool_id);
      return { pool_id, max_items: 1 };
    },
  },
  {
    method: "QueueControlService.DrainQueue",
    claim: "how many must be said",
    request: async (world) => ({ pool_id: await world.pool() }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "AdmissionService.PreviewAdmission",
    claim: "what would happen",
    request: async (world) => ({ pool_id: await world.pool(throttled), payload: 1 }),
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
  {
    method: "DeadLetterService.ListDeadLetters",
    claim: "the dead letters of a pool",
    request: async (world) => ({ pool_id: (await world.deadLetter()).pool_id }),
  },
  {
    method: "DeadLetterService.ListDeadLetters",
    claim: "an unknown pool is not found",
    request: () => ({ pool_id: nobody }),
    refused: "NOT_FOUND",
  },
  {
    method: "DeadLetterService.GetDeadLetterStats",
    claim: "how many there are",
    request: async (world) => ({ pool_id: (await world.deadLetter()).pool_id }),
  },
  {
    method: "DeadLetterService.GetDeadLetterStats",
    claim: "an unknown pool is not found",
    request: () => ({ pool_id: nobody }),
    refused: "NOT_FOUND",
  },
  ...["Retry", "Quarantine", "Release"].flatMap((verb): readonly Case[] => [
    {
      method: `DeadLetterService.${verb}`,
      claim: "each id has its own result",
      request: async (world) => {
        const { pool_id, queue_item_id } = await world.deadLetter();
        if (verb === "Release")
          await world.call("DeadLetterService.Quarantine", { pool_id, queue_item_ids: [queue_item_id] });
        return { pool_id, queue_item_ids: [queue_item_id, nobody] };
      },
    },
    {
      method: `DeadLetterService.${verb}`,
      claim: "ids are required",
      request: async (world) => ({ pool_id: await world.pool(), queue_item_ids: [] }),
      refused: "INVALID_ARGUMENT",
    },
  ]),
  {
    method: "DeadLetterService.RetryAll",
    claim: "a job is started",
    request: async (world) => ({ pool_id: await world.pool() }),
  },
  {
    method: "DeadLetterService.RetryAll",
    claim: "a rate of zero is refused",
    request: async (world) => ({ pool_id: await world.pool(), rate: 0 }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "DeadLetterService.GetRetryAll",
    claim: "the job is found",
    request: async (world) => {
      const pool_id = await world.pool();
      const { operation_id } = await world.call<RetryAll>("DeadLetterService.RetryAll", { pool_id });
      const job = { pool_id, operation_id };
      while ((await world.call<RetryAll>("DeadLetterService.GetRetryAll", job)).state === "running");
      return job;
    },
  },
  {
    method: "DeadLetterService.GetRetryAll",
    claim: "an unknown one is not found",
    request: async (world) => ({ pool_id: await world.pool(), operation_id: nobody }),
    refused: "NOT_FOUND",
  },
  {
    method: "DeadLetterService.Purge",
    claim: "dead letters are removed",
    request: async (world) => ({ pool_id: (await world.deadLetter()).pool_id }),
  },
  {
    method: "DeadLetterService.Purge",
    claim: "a time that is none is refused",
    request: async (world) => ({ pool_id: await world.pool(), older_than: "yesterday" }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "EventService.Subscribe",
    claim: "an event comes to whoever listens when it happens",
    request: () => [{ kinds: ["queue.paused"] }],
    meanwhile: async (world) => {
      const pool_id = await world.pool();
      await world.call("QueueControlService.PauseQueue", { pool_id, reason: "to be heard" });
    },
    take: 1,
  },
  {
    method: "EventService.Subscribe",
    claim: "a forged cursor is refused",
    request: () => [{ cursor: "forged" }],
    refused: "INVALID_ARGUMENT",
  },
];
