import { handleOf, limits } from "#base";
import { tryAsk } from "../../kit/ask.ts";
import { type EntityList, listEntities } from "../../kit/entity-list.ts";
import type { PageRequest } from "../../kit/list.ts";
import { getPool } from "../../kit/pool.ts";
import type { Orchestration } from "../../module.ts";
import { withoutPool } from "../without-pool.ts";

interface ListPoolsRequest extends PageRequest {
  readonly status?: string;
  readonly environment?: string;
}

/** The directory knows which pools a page has; each pool tells how it is now. */
export const listPools: Orchestration = async (request, call) => {
  const { status, environment, ...paging } = request as ListPoolsRequest;
  const filter = {
    ...(status !== undefined && { status }),
    ...(environment !== undefined && { environment }),
  };
  const { values, ...page } = await listEntities(pools, { ...paging, filter }, call);
  return { pools: values, ...page };
};

const pools: EntityList = {
  kind: "pool",
  atOnce: limits.poolsAskedAtOnce,
  ask(id, call) {
    return tryAsk(call, getPool, { key: handleOf(id), request: { pool_id: id } });
  },
  without: withoutPool,
};
