import { contractMethod } from "./ask.ts";

/** What other modules ask of a pool. */
export const getPool = contractMethod<{ readonly pool_id: string }, { readonly environment: string }>(
  "pool",
  "PoolService.GetPool",
);
