import type { EntityMethod } from "#runtime";
import { apiKeyAddress, apiKeyResource } from "../kit/api-key-record.ts";
import { questionOf } from "../kit/ask.ts";
import type { Question } from "../module.ts";
import type { Command } from "./decide.ts";
import type { Event, State } from "./state.ts";

type Method = EntityMethod<State, Command, Event>;

const resource: Method["respond"] = (state) => apiKeyResource(state.key!);

export const methods: Readonly<Record<string, Method>> = {
  "ApiKeyService.GetApiKey": { command: () => ({ type: "get" }), respond: resource },
  "ApiKeyService.RevokeApiKey": { command: () => ({ type: "revoke" }), respond: resource },
  "ApiKey.Look": { command: () => ({ type: "look" }), respond: (state) => state.key },
  "ApiKey.Use": { command: () => ({ type: "use" }), respond: () => ({}) },
};

export const getApiKey = keyMethod("ApiKeyService.GetApiKey");
export const revokeApiKey = keyMethod("ApiKeyService.RevokeApiKey");

/** The tenant of the call is not that of the entity's address, so the contract cannot name the entity. */
function keyMethod(method: string): Question {
  return questionOf(method, (request) => ({ to: apiKeyAddress((request as { id: string }).id), request }));
}
