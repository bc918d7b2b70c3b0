import type { EntityMethod } from "#runtime";
import { lookAtApiKey, useApiKey } from "../kit/api-key-record.ts";
import { answering, oneRecordMethods } from "../kit/methods.ts";
import type { Command } from "./decide.ts";
import { apiKeyResource, type State } from "./record.ts";
import type { Event } from "./state.ts";

export const methods: Readonly<Record<string, EntityMethod<State, Command, Event>>> = {
  ...oneRecordMethods(apiKeyResource, "Get"),
  [lookAtApiKey.name]: answering(lookAtApiKey, () => ({ type: "look" })),
  [useApiKey.name]: answering(useApiKey, () => ({ type: "use" })),
};
