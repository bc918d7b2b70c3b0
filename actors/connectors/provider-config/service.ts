import { type AnyActorDefinition, defineActor } from "#runtime";
import { describeVersion } from "../../kit/activation.ts";
import { answered, answering, takes } from "../../kit/methods.ts";
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
  environmentOf: ({ record }) => record?.environment,
  decide,
  apply,
  methods: {
    [methods.getProviderConfig.name]: takes<Command>("get"),
    "ProviderConfigService.ActivateProviderConfig": move("active"),
    "ProviderConfigService.DisableProviderConfig": move("disabled"),
    "ProviderConfigService.ArchiveProviderConfig": move("archived"),
    [methods.update.name]: takes<Command>("update"),
    [methods.snapshot.name]: takes<Command>("snapshot"),
    [describeVersion.connector.name]: answering(
      describeVersion.connector,
      ({ version }): Command => ({ type: "describe_version", version }),
    ),
    [methods.takeExternalId.name]: takes<Command>("take_external_id"),
    [methods.secrets.name]: takes<Command>("secrets"),
    [methods.reencrypt.name]: takes<Command>("reencrypt"),
  },
  onMessage: (message: Command) => message,
});
