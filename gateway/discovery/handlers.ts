import { type Access, tenantSetting } from "#actors";
import { refusalError } from "#base";
import type { Call, Plane } from "../calls/call.ts";
import type { Providers } from "../calls/stages/stage.ts";
import { type Config, settingsTable } from "../config/index.ts";
import type { Contract } from "../contract/index.ts";
import { capabilitiesOf } from "./capabilities.ts";
import { configSchema, configYaml, type Settings } from "./config-schema.ts";
import { type ListRequest, listCapabilities } from "./list-capabilities.ts";
import { servicesReport } from "./services.ts";
import { identityOf } from "./who-am-i.ts";

export interface DiscoveryParts {
  readonly contract: Contract;
  readonly config: Config;
  readonly providers: Providers;
  readonly access: Access;
  /** Whether there is a key that seals credentials. */
  readonly sealing?: boolean;
}

/** The methods the gateway answers from the contract and its own configuration, by name. */
export function discoveryHandlers(parts: DiscoveryParts): Record<string, DiscoveryHandler> {
  const { contract, config, providers, access } = parts;
  const all = capabilitiesOf(contract.capabilities, {
    config,
    providers,
    ...(parts.sealing !== undefined && { sealing: parts.sealing }),
  });
  const seenFrom = (plane: Plane) =>
    all.filter(({ internal }) => plane === "internal" || !internal).map(({ internal: _, ...shown }) => shown);
  const settings = settingsTable as unknown as Settings;
  return {
    "MetaService.GetServices": async (_request, call) => servicesReport(contract, call.plane),

    "MetaService.WhoAmI": async (_request, call) => identityOf(call, access),

    "CapabilityService.GetPosture": async (_request, call) => ({
      capabilities: seenFrom(call.plane),
    }),

    "CapabilityService.ListCapabilities": async (request, call) =>
      listCapabilities(seenFrom(call.plane), request as ListRequest, [call.tenant ?? "", call.plane]),

    "CapabilityService.GetCapability": async (request, call) => {
      const { id } = request as { id: string };
      const found = seenFrom(call.plane).find((capability) => capability.id === id);
      if (found === undefined) throw refusalError("NOT_FOUND", `there is no capability ${id}`);
      return found;
    },

    "ConfigService.GetConfigSchema": async () => configSchema(settings, config["dynamic_config.enabled"]),

    "ConfigService.ExportConfig": async (_request, call) => {
      if (!config["dynamic_config.enabled"]) {
        throw refusalError("UNAVAILABLE", "dynamic_config.enabled is false", {
          reason: "DYNAMIC_CONFIG_DISABLED",
        });
      }
      const own = { tenantSettings: call.tenantFacts?.settings };
      const yaml = await configYaml(settings, (key) => tenantSetting(config, own, key));
      return { content_type: "application/yaml", data: Buffer.from(yaml).toString("base64") };
    },
  };
}

export type DiscoveryHandler = (request: unknown, call: Call) => Promise<unknown>;
