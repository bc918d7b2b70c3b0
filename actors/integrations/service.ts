import type { EntityMethod } from "#runtime";
import type { PageRequest } from "../kit/cursor.ts";
import { answered, versionOf } from "../kit/methods.ts";
import type { Channel } from "../notify/outbound/types.ts";
import type { Command } from "./decide.ts";
import { settingsOf } from "./record.ts";
import type { Event, State } from "./state.ts";

type Method = EntityMethod<State, Command, Event>;

export const methods: Readonly<Record<string, Method>> = {
  "IntegrationService.CreateIntegration": answered((request) => ({
    type: "create",
    channel: request.channel as Channel,
    given: settingsOf(request),
  })),
  "IntegrationService.GetIntegration": answered((request) => ({
    type: "get",
    id: request.integration_id as string,
  })),
  "IntegrationService.ListIntegrations": answered((request) => ({
    type: "list",
    ...(request.channel !== undefined && { channel: request.channel as Channel }),
    request: request as PageRequest,
  })),
  "IntegrationService.UpdateIntegration": answered((request) => ({
    type: "update",
    id: request.integration_id as string,
    given: settingsOf(request),
    ...versionOf(request),
  })),
  "IntegrationService.DeleteIntegration": answered((request) => ({
    type: "delete",
    id: request.integration_id as string,
    ...versionOf(request),
  })),
};
