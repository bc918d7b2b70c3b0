import { limits } from "#base";
import {
  type ApiKeyCreation,
  type ApiKeyRecord,
  apiKeyAddress,
  apiKeyResource,
} from "../shared/api-key-record.ts";
import type { DirectoryKind } from "./kinds.ts";

/** What the orchestration sends: the request with the hash of the secret it has drawn. */
interface CreateApiKey {
  readonly name: string;
  readonly roles: readonly string[];
  readonly scopes?: readonly string[];
  readonly environment_mode?: ApiKeyRecord["environmentMode"];
  readonly expires_at?: string;
  readonly hash: string;
}

export const apiKeyKind: DirectoryKind = {
  environments: false,
  max: { status: "active", count: limits.apiKeysActiveMax },

  create(id, request, context) {
    const asked = request as CreateApiKey;
    const { tenant } = context.address;
    const key: ApiKeyRecord = {
      id,
      tenant,
      name: asked.name,
      roles: asked.roles,
      scopes: asked.scopes ?? [],
      environmentMode: asked.environment_mode ?? "any",
      hash: asked.hash,
      createdAt: context.now,
      createdBy: context.caller?.subject ?? "",
      owner: context.caller?.owner ?? "",
      ...(asked.expires_at !== undefined && { expiresAt: Date.parse(asked.expires_at) }),
    };
    const body: ApiKeyCreation = { type: "create", key };
    const entry = { id, name: key.name, status: "active", environment: "", paused: false };
    return { entry, message: { to: apiKeyAddress(id), body } };
  },

  respond: ({ message }) => apiKeyResource((message.body as ApiKeyCreation).key),
};
