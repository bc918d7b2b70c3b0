import { limits, RefusalError, systemTenantId } from "#base";
import { apiKeyAddress } from "../../kit/api-key-record.ts";
import { contractMethod, questionOf, tryAsk } from "../../kit/ask.ts";
import { type EntityList, listEntities } from "../../kit/entity-list.ts";
import type { PageRequest } from "../../kit/list.ts";
import type { Orchestration, Question } from "../../module.ts";

interface OneKey {
  readonly id: string;
}

const get = contractMethod<OneKey, object>("api_key", "ApiKeyService.GetApiKey");

export const getApiKey = ofOne(get.name);
export const revokeApiKey = ofOne("ApiKeyService.RevokeApiKey");

/** The tenant of the call is not that of the entity's address, so the contract cannot name the entity. */
function ofOne(method: string): Question {
  return questionOf(method, (request) => ({ to: apiKeyAddress((request as OneKey).id), request }));
}

/** The directory knows which keys a page has; each key tells when it was last used. */
export const listApiKeys: Orchestration = async (request, call) => {
  const { status, ...paging } = request as PageRequest & { readonly status?: "active" | "revoked" };
  const filter = status === undefined ? {} : { status };
  const { values, next_page_token, total } = await listEntities(keys, { ...paging, filter }, call);
  return { api_keys: values, next_page_token, total };
};

const keys: EntityList = {
  kind: "api_key",
  atOnce: limits.apiKeysAskedAtOnce,
  ask: (id, call) => tryAsk(call, get, { tenant: systemTenantId, key: id, request: { id } }),
  without(_key, refusal) {
    throw new RefusalError(refusal);
  },
};
