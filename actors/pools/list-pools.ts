import { handleOf, isRefusal, RefusalError } from "#base";
import type { CallContext, Orchestration } from "../module.ts";
import { cutToBytes, type PageRequest } from "../shared/cursor.ts";
import { type DirectoryPage, directoryOf } from "../shared/directory.ts";

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
  const found = await Promise.all(page.entries.map(({ id }) => getPool(id, call)));
  const pools = found.filter((pool) => pool !== undefined);
  const shown = cutToBytes(pools);
  if (shown.length === pools.length)
    return { pools, next_page_token: page.next_page_token, total: page.total };
  // Too many bytes for one answer: the cursor comes from asking for a page of just this length.
  const last = (shown.at(-1) as { id: string }).id;
  const size = page.entries.findIndex(({ id }) => id === last) + 1;
  const shorter = await listEntries({ ...paging, filter, page_size: size }, call);
  return { pools: shown, next_page_token: shorter.next_page_token, total: page.total };
};

async function listEntries(request: unknown, call: CallContext): Promise<DirectoryPage> {
  const { caller, asker, deadlineMs, signal } = call;
  const to = directoryOf(caller.tenant, "pool");
  const answer = await asker.ask({ to, method: "Directory.List", request, caller, deadlineMs, signal });
  if (isRefusal(answer)) throw new RefusalError(answer);
  return answer.response as DirectoryPage;
}

/** A pool deleted since the directory answered is left out. */
async function getPool(id: string, call: CallContext): Promise<unknown> {
  const { caller, asker, deadlineMs, signal } = call;
  const to = { kind: "pool", tenant: caller.tenant, key: handleOf(id) };
  const request = { pool_id: id };
  const answer = await asker.ask({ to, method: "PoolService.GetPool", request, caller, deadlineMs, signal });
  if (!isRefusal(answer)) return answer.response;
  if (answer.code === "NOT_FOUND") return undefined;
  throw new RefusalError(answer);
}
