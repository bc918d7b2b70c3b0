import { handleOf, isRefusal, RefusalError, refuse } from "#base";
import { tryAsk } from "../../../kit/ask.ts";
import { listEntries } from "../../../kit/entity-list.ts";
import type { PageRequest } from "../../../kit/list.ts";
import type { CallContext, Orchestration } from "../../../module.ts";
import { withoutPool } from "../../without-pool.ts";
import { getStatus } from "./questions.ts";

interface ListQueuesRequest extends PageRequest {
  readonly tenant_id?: string;
  readonly paused_only?: boolean;
  readonly environment?: string;
  readonly name?: string;
  readonly name_prefix?: string;
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
  const asked = page.entries.map(({ id }) =>
    tryAsk(call, getStatus, { key: handleOf(id), request: { pool_id: id } }),
  );
  const answers = await Promise.all(asked);
  const queues: object[] = [];
  const unavailable: object[] = [];
  for (const [index, answer] of answers.entries()) {
    const entry = page.entries[index]!;
    if (!isRefusal(answer)) queues.push({ name: entry.name, ...answer.response });
    // A pool deleted since the directory answered is left out.
    else if (answer.code !== "NOT_FOUND") unavailable.push(withoutPool(entry, answer));
  }
  const { entries: _, ...paged } = page;
  return { queues, ...paged, unavailable };
};

/** A platform principal may look into any tenant; everybody else only names its own. */
function inTenant(call: CallContext, tenant: string | undefined): CallContext {
  if (!tenant || tenant === call.caller.tenant) return call;
  if (!call.caller.platform)
    throw new RefusalError(refuse("PERMISSION_DENIED", "tenant_id names another tenant"));
  return { ...call, caller: { ...call.caller, tenant } };
}
