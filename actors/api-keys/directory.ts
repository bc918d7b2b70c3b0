import { limits } from "#base";
import {
  type ApiKeyCreation,
  type ApiKeyRecord,
  apiKeyAddress,
  apiKeyMessage,
} from "../kit/api-key-record.ts";
import type { Directory } from "../kit/directory.ts";
import { newRecord } from "../kit/record.ts";

/** What the orchestration sends: the request with what it left open and the hash of the secret. */
interface CreateApiKey {
  readonly name: string;
  readonly roles: readonly string[];
  readonly scopes: readonly string[];
  readonly environment_mode: ApiKeyRecord["environmentMode"];
  readonly expires_at?: string;
  readonly hash: string;
}

/** Keys by id: a tenant's, in no environment. */
export const apiKeyDirectory: Directory<CreateApiKey> = {
  kind: "api_key",
  filters: ["status"],
  addressOf: (_tenant, id) => apiKeyAddress(id),
  limit: { most: limits.apiKeysActiveMax, many: "active API keys", where: { status: "active" } },
  create: {
    method: "ApiKeyService.CreateApiKey",
    make(id, asked, context) {
      const { tenant } = context.address;
      const settings = {
        tenant,
        name: asked.name,
        roles: asked.roles,
        scopes: asked.scopes,
        environmentMode: asked.environment_mode,
        hash: asked.hash,
        createdBy: context.caller?.subject ?? "",
        owner: context.caller?.owner ?? "",
        ...(asked.expires_at !== undefined && { expiresAt: Date.parse(asked.expires_at) }),
      };
      const key: ApiKeyRecord = newRecord(id, settings, context.now);
      const body: ApiKeyCreation = { type: "create", key };
      const entry = { id, name: key.name, status: "active" };
      return { entry, message: { to: apiKeyAddress(id), body }, answer: apiKeyMessage(key) };
    },
  },
};
