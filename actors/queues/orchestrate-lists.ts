import { isRefusal, limits, RefusalError, refuse } from "#base";
import type { CallContext, Orchestration } from "../module.ts";
import { type CursorScope, openCursor, type PageRequest, sealCursor } from "../shared/cursor.ts";
import { cursorSecretOf } from "../shared/cursor-secret.ts";
import { type DirectoryListRequest, type DirectoryPage, directoryOf } from "../shared/directory.ts";
import { askQueue, tryQueue } from "./ask.ts";
import { olderThan } from "./request.ts";

interface ListQueuesRequest extends PageRequest {
  readonly tenant_id?: string;
  readonly paused_only?: boolean;
  readonly environment?: string;
}

/** The directory knows which queues a page has; each queue tells how it is now. */
export const listQueues: Orchestration = async (request, given) => {
  const { tenant_id, paused_only, environment, ...paging } = request as ListQueuesRequest;
  const call = inTenant(given, tenant_id);
  const filter = {
    ...(paused_only && { paused: true }),
    ...(environment !== undefined && { environment }),
  };
  const page = await listEntries({ ...paging, filter }, call);
  const asked = page.entries.map(({ id }) => tryQueue(call, id, "QueueControlService.GetQueueStatus", {}));
  const answers = await Promise.all(asked);
  const queues = answers.flatMap((answer, index) => {
    // A pool deleted since the directory answered is left out.
    if (isRefusal(answer) && answer.code !== "NOT_FOUND") throw new RefusalError(answer);
    return isRefusal(answer) ? [] : [{ name: page.entries[index]!.name, ...(answer.response as object) }];
  });
  return { queues, next_page_token: page.next_page_token, total: page.total };
};

interface ListGroupsRequest extends PageRequest {
  readonly pool_id?: string;
  readonly environment?: string;
  readonly constraint_kind?: string;
  readonly status?: string;
}

/** Where a list over all pools stands: a page of the directory, a pool in it, a page of that pool. */
interface Position {
  readonly directory: string;
  readonly pool: string;
  readonly inner: string;
}

/** Of one pool, or pool by pool; then a page may end early, where it has looked at many pools. */
export const listAdmissionGroups: Orchestration = async (request, call) => {
  const { pool_id, environment, ...rest } = request as ListGroupsRequest;
  if (pool_id) return askQueue(call, pool_id, "AdmissionService.ListAdmissionGroups", rest);
  const { page_size = 0, page_token = "", offset = 0, ...filter } = rest;
  const size = page_size <= 0 ? limits.pageSizeDefault : Math.min(page_size, limits.pageSizeMax);
  const skip = Math.max(0, offset);
  const seal = new GroupsSeal(call, { ...filter, environment });
  const start = await seal.open(page_token);
  const page = await listEntries(
    { page_token: start.directory, filter: environment === undefined ? {} : { environment } },
    call,
  );
  const groups: unknown[] = [];
  let inner = start.inner;
  const first = start.pool === "" ? 0 : page.entries.findIndex(({ id }) => id >= start.pool);
  for (let i = Math.max(0, first); i < page.entries.length; i++) {
    const { id } = page.entries[i]!;
    const answer: { admission_groups: unknown[]; next_page_token: string } = await askQueue(
      call,
      id,
      "AdmissionService.ListAdmissionGroups",
      { ...filter, page_size: skip + size - groups.length, ...(inner && { page_token: inner }) },
    );
    groups.push(...answer.admission_groups);
    inner = answer.next_page_token;
    const next = inner ? id : page.entries[i + 1]?.id;
    if (groups.length >= skip + size && next)
      return pageOfGroups(groups, skip, await seal.close({ directory: start.directory, pool: next, inner }));
  }
  const more = page.next_page_token;
  return pageOfGroups(groups, skip, more ? await seal.close({ directory: more, pool: "", inner: "" }) : "");
};

/** Everything older than a time, in steps that each are one commit. */
export const purgeDeadLetters: Orchestration = async (request, call) => {
  const { pool_id, older_than, include_quarantined } = request as {
    pool_id: string;
    older_than?: string;
    include_quarantined?: boolean;
  };
  const before = olderThan(older_than, call.now);
  if (isRefusal(before)) throw new RefusalError(before);
  let purged = 0;
  for (let step = 0; ; step++) {
    const answer: { purged: number } = await askQueue(
      call,
      pool_id,
      "DeadLetterService.Purge",
      { before, include_quarantined: include_quarantined ?? false },
      `#${step}`,
    );
    purged += answer.purged;
    if (answer.purged < limits.queueStepMax) return { purged };
  }
};

/** A platform principal may look into any tenant; everybody else only names its own. */
function inTenant(call: CallContext, tenant: string | undefined): CallContext {
  if (!tenant || tenant === call.caller.tenant) return call;
  if (!call.caller.platform)
    throw new RefusalError(refuse("PERMISSION_DENIED", "tenant_id names another tenant"));
  return { ...call, caller: { ...call.caller, tenant } };
}

async function listEntries(request: DirectoryListRequest, call: CallContext): Promise<DirectoryPage> {
  const { caller, asker, deadlineMs, signal } = call;
  const to = directoryOf(caller.tenant, "pool");
  const answer = await asker.ask({ to, method: "Directory.List", request, caller, deadlineMs, signal });
  if (isRefusal(answer)) throw new RefusalError(answer);
  return answer.response as DirectoryPage;
}

function pageOfGroups(groups: readonly unknown[], skip: number, next_page_token: string): object {
  return { admission_groups: groups.slice(skip), next_page_token };
}

/** Its parts are sealed by whoever listed them; this binds them to each other, to the tenant and to the filter. */
class GroupsSeal {
  readonly #call: CallContext;
  readonly #scope: CursorScope;

  constructor(call: CallContext, filter: object) {
    this.#call = call;
    this.#scope = ["admission-groups", call.caller.tenant, Object.entries(filter).sort()];
  }

  async open(token: string): Promise<Position> {
    if (token === "") return { directory: "", pool: "", inner: "" };
    const parts = openCursor(await cursorSecretOf(this.#call), this.#scope, token);
    if (isRefusal(parts)) throw new RefusalError(parts);
    const [directory, pool, inner] = parts as [string, string, string];
    return { directory, pool, inner };
  }

  async close({ directory, pool, inner }: Position): Promise<string> {
    return sealCursor(await cursorSecretOf(this.#call), this.#scope, [directory, pool, inner]);
  }
}
