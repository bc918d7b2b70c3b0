import { type AnyActorDefinition, defineActor } from "#runtime";
import { describeVersion } from "../../kit/activation.ts";
import { answered, answering } from "../../kit/methods.ts";
import { type Command, decide } from "./decide.ts";
import * as methods from "./methods.ts";
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
    [methods.getProviderConfig.name]: answered<Command>(() => ({ type: "get" })),
    "ProviderConfigService.ActivateProviderConfig": move("active"),
    "ProviderConfigService.DisableProviderConfig": move("disabled"),
    "ProviderConfigService.ArchiveProviderConfig": move("archived"),
    [methods.update.name]: answering(methods.update, (given): Command => ({ type: "update", given })),
    [methods.snapshot.name]: answering(
      methods.snapshot,
      ({ connection_id }): Command => ({
        type: "snapshot",
        ...(connection_id !== undefined && { connectionId: connection_id }),
      }),
    ),
    [describeVersion.connector.name]: answering(
      describeVersion.connector,
      ({ version }): Command => ({ type: "describe_version", version }),
    ),
    [methods.takeExternalId.name]: answering(
      methods.takeExternalId,
      ({ external_id: externalId }): Command => ({ type: "take_external_id", externalId }),
    ),
    [methods.secrets.name]: answered<Command>(() => ({ type: "secrets" })),
    [methods.reencrypt.name]: answering(
      methods.reencrypt,
      (given): Command => ({ ...given, type: "reencrypt" }),
    ),
  },
  onMessage: (message): Command => message as Command,
});
