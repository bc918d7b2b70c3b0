import { handleOf, isRefusal } from "#base";
import type { Answer } from "#runtime";
import type { CallContext, Orchestration } from "../module.ts";
import { cutToBytes, type PageRequest } from "../shared/cursor.ts";
import { listEntries, withoutPool } from "../shared/pool-lists.ts";

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
  const page = await listEntries({ ...paging, filter }, call);
  const answers = await Promise.all(page.entries.map(({ id }) => askPool(id, call)));
  const pools: object[] = [];
  const unavailable: object[] = [];
  for (const [index, answer] of answers.entries()) {
    if (!isRefusal(answer)) pools.push(answer.response as object);
    // A pool deleted since the directory answered is left out.
    else if (answer.code !== "NOT_FOUND") unavailable.push(withoutPool(page.entries[index]!, answer));
  }
  const shown = cutToBytes(pools);
  if (shown.length === pools.length)
    return { pools, next_page_token: page.next_page_token, total: page.total, unavailable };
  // Too many bytes for one answer: the directory makes another cursor.
  const last = (shown.at(-1) as { id: string }).id;
  const shorter = await listEntries({ ...paging, filter, page_size: 1, cut_after: last }, call);
  const before = unavailable.filter((one) => (one as { pool_id: string }).pool_id < last);
  return { pools: shown, next_page_token: shorter.next_page_token, total: page.total, unavailable: before };
};

function askPool(id: string, call: CallContext): Promise<Answer> {
  const { caller, asker, deadlineMs, signal } = call;
  const to = { kind: "pool", tenant: caller.tenant, key: handleOf(id) };
  const request = { pool_id: id };
  return asker.ask({ to, method: "PoolService.GetPool", request, caller, deadlineMs, signal });
}
