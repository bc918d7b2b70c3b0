import { limits } from "#base";
import { apiKeyAddress } from "../kit/api-key-record.ts";
import { ask } from "../kit/ask.ts";
import type { PageRequest } from "../kit/cursor.ts";
import type { DirectoryEntry } from "../kit/directory.ts";
import { listEntries } from "../kit/entity-list.ts";
import type { CallContext, Orchestration } from "../module.ts";

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

function askKey({ id }: DirectoryEntry, call: CallContext): Promise<unknown> {
  return ask(call, { to: apiKeyAddress(id), method: "ApiKeyService.GetApiKey", request: { id } });
}
