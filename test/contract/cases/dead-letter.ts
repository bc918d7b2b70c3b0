import { type Case, nobody } from "./case.ts";

interface RetryAll {
  operation_id: string;
  state: string;
}

export const cases: readonly Case[] = [
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
      for (let asked = 0; asked < 1_000; asked++)
        if ((await world.call<RetryAll>("DeadLetterService.GetRetryAll", job)).state !== "running") break;
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
    claim: "an invalid time is refused",
    request: async (world) => ({ pool_id: await world.pool(), older_than: "yesterday" }),
    refused: "INVALID_ARGUMENT",
  },
];

export const decided = `
DeadLetterService.ListDeadLetters    | GET /api/dlq/{pool_id} | dlq:read | | R C
DeadLetterService.GetDeadLetterStats | GET /api/dlq/{pool_id}/stats | dlq:read | | R
DeadLetterService.Retry              | POST /api/dlq/{pool_id}/retry | dlq:write | | I
DeadLetterService.RetryAll           | POST /api/dlq/{pool_id}/retry-all | dlq:write | | I
DeadLetterService.GetRetryAll        | GET /api/dlq/{pool_id}/retry-all/{operation_id} | dlq:read | | R
DeadLetterService.Quarantine         | POST /api/dlq/{pool_id}/quarantine | dlq:write | | I
DeadLetterService.Release            | POST /api/dlq/{pool_id}/release | dlq:write | | I
DeadLetterService.Purge              | POST /api/dlq/{pool_id}/purge | dlq:delete + dlq:delete | | I audited
`;
