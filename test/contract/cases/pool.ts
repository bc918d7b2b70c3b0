import { badVersion, type Case, newName, nobody } from "./case.ts";

export const cases: readonly Case[] = [
  {
    method: "PoolService.CreatePool",
    claim: "a name is enough, everything else has a default",
    request: () => ({ name: "orders" }),
  },
  {
    method: "PoolService.CreatePool",
    claim: "what is given comes back",
    request: () => ({
      name: "orders",
      description: "of the shop",
      strategy: "round_robin",
      config: { lease_seconds: 60, max_bytes: 5_000_000_000, backoff: { initial_ms: 10 } },
    }),
  },
  {
    method: "PoolService.CreatePool",
    claim: "if_absent makes a pool of a new name",
    request: () => ({ name: newName(), if_absent: true }),
  },
  {
    method: "PoolService.CreatePool",
    claim: "if_absent answers with the pool of that name",
    request: async (world) => {
      const name = newName();
      await world.pool({ name });
      return { name, if_absent: true };
    },
  },
  {
    method: "PoolService.CreatePool",
    claim: "several wrong fields are all named",
    request: () => ({ name: "", strategy: "by_colour", config: { lease_seconds: 0 } }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "PoolService.CreatePool",
    claim: "a slip in a value is told with the value that is near",
    request: () => ({ name: "orders", strategy: "round_robbin" }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "PoolService.CreatePool",
    claim: "an old version is refused",
    request: () => ({ name: "orders" }),
    headers: badVersion,
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "PoolService.CreatePool",
    claim: "another tenant cannot be chosen",
    request: () => ({ name: "orders" }),
    headers: { "x-tenant-id": nobody },
    refused: "TENANT_MISMATCH",
  },
  {
    method: "PoolService.CreatePool",
    claim: "a key with a space is refused",
    request: () => ({ name: "orders" }),
    headers: { "idempotency-key": "a b" },
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "PoolService.GetPool",
    claim: "a pool is found",
    request: async (world) => ({ pool_id: await world.pool() }),
  },
  {
    method: "PoolService.GetPool",
    claim: "an unknown id is not found",
    request: () => ({ pool_id: nobody }),
    refused: "NOT_FOUND",
  },
  {
    method: "PoolService.GetPool",
    claim: "a malformed id is refused",
    request: () => ({ pool_id: "pool-1" }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "PoolService.ListPools",
    claim: "a page has the asked size and leads to the next",
    request: async (world) => {
      const name = newName();
      await world.pool({ name });
      await world.pool({ name });
      return { name, page_size: 1, status: "STATUS_ACTIVE" };
    },
  },
  {
    method: "PoolService.ListPools",
    claim: "pools are found by what their names begin with",
    request: async (world) => {
      const name = newName();
      await world.pool({ name: `${name} first` });
      return { name_prefix: name, environment: "production" };
    },
  },
  {
    method: "PoolService.ListPools",
    claim: "a name and a beginning are not asked together",
    request: () => ({ name: "orders", name_prefix: "or" }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "PoolService.ListPools",
    claim: "a forged cursor is refused",
    request: () => ({ page_token: "forged" }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "PoolService.UpdatePool",
    claim: "only what is named changes",
    request: async (world) => ({ pool_id: await world.pool(), name: "renamed", update_mask: ["name"] }),
  },
  {
    method: "PoolService.UpdatePool",
    claim: "another version is a conflict",
    request: async (world) => ({
      pool_id: await world.pool(),
      name: "renamed",
      record_version: 99,
      update_mask: ["name"],
    }),
    refused: "VERSION_CONFLICT",
  },
  {
    method: "PoolService.SetPoolEnabled",
    claim: "a pool is disabled",
    request: async (world) => ({ pool_id: await world.pool(), enabled: false }),
  },
  {
    method: "PoolService.SetPoolEnabled",
    claim: "the target state is required",
    request: async (world) => ({ pool_id: await world.pool() }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "PoolService.DeletePool",
    claim: "a pool is deleted",
    request: async (world) => ({ pool_id: await world.pool() }),
  },
  {
    method: "PoolService.DeletePool",
    claim: "an unknown one is not found",
    request: () => ({ pool_id: nobody }),
    refused: "NOT_FOUND",
  },
];

export const decided = `
PoolService.CreatePool        | POST /api/pools | pool:write | | I
PoolService.GetPool           | GET /api/pools/{pool_id} | pool:read | | R
PoolService.ListPools         | GET /api/pools | pool:read | | R C
PoolService.UpdatePool        | PATCH /api/pools/{pool_id} | pool:write | | I
PoolService.SetPoolEnabled    | POST /api/pools/{pool_id}:set_enabled | pool:write | | I
PoolService.DeletePool        | DELETE /api/pools/{pool_id} | pool:delete | | I
PoolService.CreatePoolVersion | POST /api/pools/{pool_id}/versions | pool_version:write | | I
PoolService.ListPoolVersions  | GET /api/pools/{pool_id}/versions | pool_version:read | | R C
PoolService.GetPoolVersion    | GET /api/pools/{pool_id}/versions/{version} | pool_version:read | | R
PoolService.SetChangeControl  | POST /api/pools/{pool_id}:set_change_control | pool:admin | admin | I
`;
