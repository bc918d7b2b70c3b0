import { type AnyActorDefinition, defineActor } from "#runtime";
import { answered } from "../../kit/methods.ts";
import { type Command, decide, type UpdateRequest } from "./decide.ts";
import { apply, empty, recordRows, restore } from "./state.ts";

const move = (to: Extract<Command, { type: "move" }>["to"]) =>
  answered<Command>(() => ({ type: "move", to }));

export const providerConfigActor: AnyActorDefinition = defineActor({
  kind: "provider_config",
  placement: "key",
  empty,
  resident: [recordRows],
  restore,
  decide,
  apply,
  methods: {
    "ProviderConfigService.GetProviderConfig": answered<Command>(() => ({ type: "get" })),
    "ProviderConfigService.ActivateProviderConfig": move("active"),
    "ProviderConfigService.DisableProviderConfig": move("disabled"),
    "ProviderConfigService.ArchiveProviderConfig": move("archived"),
    "ProviderConfig.Update": answered<Command>((given) => ({
      type: "update",
      given: given as UpdateRequest,
    })),
    "ProviderConfig.Snapshot": answered<Command>(({ connection_id }) => ({
      type: "snapshot",
      ...(connection_id !== undefined && { connectionId: connection_id as string }),
    })),
    "ProviderConfig.DescribeVersion": answered<Command>(({ version }) => ({
      type: "describe_version",
      version: version as number,
    })),
    "ProviderConfig.TakeExternalId": answered<Command>((request) => ({
      type: "take_external_id",
      externalId: request.external_id as string,
    })),
    "ProviderConfig.Secrets": answered<Command>(() => ({ type: "secrets" })),
    "ProviderConfig.Reseal": answered<Command>((request) => ({
      ...(request as unknown as Omit<Extract<Command, { type: "reseal" }>, "type">),
      type: "reseal",
    })),
  },
  onMessage: (message): Command => message as Command,
});
