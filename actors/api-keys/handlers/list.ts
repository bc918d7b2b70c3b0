import { limits, systemTenantId } from "#base";
import type { GetApiKeyRequest } from "#protos";
import { apiKeyAddress } from "../../kit/api-key-record.ts";
import { contractMethod, questionOf, tryAsk } from "../../kit/ask.ts";
import { listing } from "../../kit/entity-list.ts";

const get = contractMethod("api_key", "ApiKeyService.GetApiKey");

export const getApiKey = ofOne(get.name);
export const revokeApiKey = ofOne("ApiKeyService.RevokeApiKey");

/** The tenant of the call is not that of the entity's address, so the contract cannot name the entity. */
function ofOne(method: string) {
  return questionOf(method, (request: GetApiKeyRequest) => ({ to: apiKeyAddress(request.id), request }));
}

/** The directory knows which keys a page has; each key tells when it was last used. */
export const listApiKeys = listing({
  kind: "api_key",
  many: "api_keys",
  filters: { status: "status" },
  atOnce: limits.apiKeysAskedAtOnce,
  ask: (id, call) => tryAsk(call, get, { tenant: systemTenantId, key: id, request: { id } }),
  isWhole: true,
});
