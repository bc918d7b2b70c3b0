import { type Case, nobody } from "./case.ts";

export const cases: readonly Case[] = [
  {
    method: "LiveService.WatchPools",
    claim: "a watcher gets all pools at first, with their recipients, and why one tells nothing",
    request: async (world) => {
      const pool_id = await world.pool();
      await world.recipient(pool_id);
      return [{ pool_ids: [pool_id, nobody], include_recipients: true }];
    },
    take: 1,
  },
  {
    method: "LiveService.WatchPools",
    claim: "an interval that is too short is refused",
    request: () => [{ pool_ids: [nobody], interval_ms: 499 }],
    refused: "INVALID_ARGUMENT",
  },
];

export const decided = `
LiveService.WatchPools | GET /api/live/pools | queue:read | | stream R
`;
