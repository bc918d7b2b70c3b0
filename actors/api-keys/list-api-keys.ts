import { isRefusal, limits, RefusalError } from "#base";
import type { CallContext, Orchestration } from "../module.ts";
import { apiKeyAddress } from "../shared/api-key-record.ts";
import type { PageRequest } from "../shared/cursor.ts";
import { listEntries } from "../shared/pool-lists.ts";
import type { DirectoryEntry } from "../shared/records/directory.ts";

interface ListApiKeysRequest extends PageRequest {
  readonly status?: "active" | "revoked";
}

/** The directory knows which keys a page has; each key tells when it was last used. */
export const listApiKeys: Orchestration = async (request, call) => {
  const { status, ...paging } = request as ListApiKeysRequest;
  const filter = status === undefined ? {} : { status };
  const page = await listEntries({ ...paging, filter }, call, "api_key");
  const keys: unknown[] = [];
  for (let from = 0; from < page.entries.length; from += limits.apiKeysAskedAtOnce) {
    const asked = page.entries.slice(from, from + limits.apiKeysAskedAtOnce);
    keys.push(...(await Promise.all(asked.map((entry) => askKey(entry, call)))));
  }
  return { api_keys: keys, next_page_token: page.next_page_token, total: page.total };
};

async function askKey({ id }: DirectoryEntry, call: CallContext): Promise<unknown> {
  const { caller, asker, deadlineMs, signal } = call;
  const to = apiKeyAddress(id);
  const method = "ApiKeyService.GetApiKey";
  const answer = await asker.ask({ to, method, request: { id }, caller, deadlineMs, signal });
  if (isRefusal(answer)) throw new RefusalError(answer);
  return answer.response;
}
