import { handleOf, limits } from "#base";
import { tryAsk } from "../../kit/ask.ts";
import { listing } from "../../kit/entity-list.ts";
import { getPool } from "../../kit/pool.ts";
import { withoutPool } from "../without-pool.ts";

/** The directory knows which pools a page has; each pool tells how it is now. */
export const listPools = listing({
  kind: "pool",
  many: "pools",
  filters: { status: "status", environment: "environment" },
  atOnce: limits.poolsAskedAtOnce,
  ask: (id, call) => tryAsk(call, getPool, { key: handleOf(id), request: { pool_id: id } }),
  without: withoutPool,
});
