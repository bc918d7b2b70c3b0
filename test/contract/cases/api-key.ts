import { type Case, nobody } from "./case.ts";
import type { World } from "./world.ts";

async function key(world: World): Promise<{ id: string }> {
  const request = { name: "a key", roles: ["viewer"] };
  const { id } = await world.call<{ id: string }>("ApiKeyService.CreateApiKey", request);
  return { id };
}

export const cases: readonly Case[] = [
  {
    method: "ApiKeyService.CreateApiKey",
    claim: "a key with scopes",
    request: () => ({ name: "worker", roles: ["service"], scopes: ["queue_item:write"] }),
  },
  {
    method: "ApiKeyService.CreateApiKey",
    claim: "an unknown role is refused",
    request: () => ({ name: "worker", roles: ["viewer", "plumber"] }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "ApiKeyService.CreateApiKey",
    claim: "an unknown mode is refused",
    request: () => ({ name: "worker", roles: ["viewer"], environment_mode: "mostly" }),
    refused: "INVALID_ARGUMENT",
  },
  { method: "ApiKeyService.GetApiKey", claim: "one by its id", request: key },
  {
    method: "ApiKeyService.GetApiKey",
    claim: "an unknown one is not found",
    request: () => ({ id: nobody }),
    refused: "NOT_FOUND",
  },
  {
    method: "ApiKeyService.ListApiKeys",
    claim: "a page",
    request: async (world) => {
      await key(world);
      return { page_size: 1, status: "active" };
    },
  },
  {
    method: "ApiKeyService.ListApiKeys",
    claim: "a forged cursor is refused",
    request: () => ({ page_token: "forged" }),
    refused: "INVALID_ARGUMENT",
  },
  { method: "ApiKeyService.RevokeApiKey", claim: "one by its id", request: key },
  {
    method: "ApiKeyService.RevokeApiKey",
    claim: "an unknown one is not found",
    request: () => ({ id: nobody }),
    refused: "NOT_FOUND",
  },
];

export const decided = `
ApiKeyService.CreateApiKey | POST /api/v2/api-keys | api_key:write + tenant:write | admin | I
ApiKeyService.ListApiKeys  | GET /api/v2/api-keys | api_key:read + tenant:read | admin | R C
ApiKeyService.GetApiKey    | GET /api/v2/api-keys/{id} | api_key:read | admin | R
ApiKeyService.RevokeApiKey | POST /api/v2/api-keys/{id}/revoke | api_key:write + tenant:write | admin | I
`;
