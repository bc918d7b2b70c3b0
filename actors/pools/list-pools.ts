import { handleOf, isRefusal, limits } from "#base";
import type { CallContext, Orchestration } from "../module.ts";
import { type PageRequest, pageBytesOf } from "../shared/cursor.ts";
import { listEntries, withoutPool } from "../shared/pool-lists.ts";
import { tryAsk } from "../shared/records/ask.ts";
import type { DirectoryEntry } from "../shared/records/directory.ts";

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
  const { pools, unavailable, left } = await fillPage(page.entries, call);
  const answer = { pools, unavailable, total: page.total };
  if (left === 0) return { ...answer, next_page_token: page.next_page_token };
  // Too many bytes for one answer: the directory makes another cursor.
  const last = page.entries.at(-left - 1)!.id;
  const shorter = await listEntries({ ...paging, filter, page_size: 1, cut_after: last }, call);
  return { ...answer, next_page_token: shorter.next_page_token };
};

interface FilledPage {
  readonly pools: object[];
  readonly unavailable: object[];
  /** Entries at the end that had no room. */
  readonly left: number;
}

/** At least one pool, and as many as an answer carries. They are asked some at a time: large ones fill it soon. */
async function fillPage(entries: readonly DirectoryEntry[], call: CallContext): Promise<FilledPage> {
  const pools: object[] = [];
  const unavailable: object[] = [];
  let room: number = limits.pageBytesMax;
  for (let from = 0; from < entries.length; from += limits.poolsAskedAtOnce) {
    const asked = entries.slice(from, from + limits.poolsAskedAtOnce);
    const answers = await Promise.all(asked.map(({ id }) => askPool(id, call)));
    for (const [index, answer] of answers.entries()) {
      if (!isRefusal(answer)) {
        room -= pageBytesOf(answer.response);
        if (room < 0 && pools.length > 0) return { pools, unavailable, left: entries.length - from - index };
        pools.push(answer.response as object);
      }
      // A pool deleted since the directory answered is left out.
      else if (answer.code !== "NOT_FOUND") unavailable.push(withoutPool(asked[index]!, answer));
    }
  }
  return { pools, unavailable, left: 0 };
}

function askPool(id: string, call: CallContext) {
  const to = { kind: "pool", tenant: call.caller.tenant, key: handleOf(id) };
  return tryAsk(call, { to, method: "PoolService.GetPool", request: { pool_id: id } });
}
