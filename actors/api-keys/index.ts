/**
 * Owns API keys: entity (api_key, system, id) is one key, whatever tenant it is of, because a key is met before its tenant
 * is known. The tenant's directory lists its keys; a create commits there first.
 *
 * 1. No secret is stored: the entity has a hash of it, drawn and made by the handler of a create.
 * 2. A revoked key stays revoked, and every thread is told of it by the commit that revokes it.
 * 3. Only callers of the key's tenant see it.
 * 4. Uses of a key cost at most one write a minute.
 *
 * Tells the directory when a key is revoked.
 */
import { defineActor } from "#runtime";
import type { ApiKeyCreation } from "../kit/api-key-record.ts";
import type { EntityPurge } from "../kit/directory.ts";
import type { Module } from "../module.ts";
import type { ModuleParts } from "../parts.ts";
import { type Command, decide } from "./decide.ts";
import { apiKeyDirectory } from "./directory.ts";
import { createApiKey } from "./handlers/create.ts";
import { getApiKey, listApiKeys, revokeApiKey } from "./handlers/list.ts";
import { apiKeyResource } from "./record.ts";
import { methods } from "./service.ts";
import { apply, empty } from "./state.ts";

export function apiKeys(parts: Pick<ModuleParts, "access" | "keyHasher">): Module {
  return {
    name: "api-keys",
    actors: [
      defineActor({
        kind: "api_key",
        placement: "key",
        empty,
        resident: [apiKeyResource.store.resident],
        restore: (state, row) => void apiKeyResource.store.restore(state.records, row),
        decide,
        apply,
        methods,
        onMessage: (message: ApiKeyCreation | EntityPurge): Command => message,
      }),
    ],
    directories: [apiKeyDirectory],
    orchestrations: {
      "ApiKeyService.ListApiKeys": listApiKeys,
      "ApiKeyService.CreateApiKey": createApiKey(parts),
      "ApiKeyService.GetApiKey": getApiKey,
      "ApiKeyService.RevokeApiKey": revokeApiKey,
    },
  };
}
