import type { Setting } from "../config/index.ts";

export type Settings = Readonly<Record<string, Setting<unknown>>>;

/** `ConfigService.GetConfigSchema`: the settings a tenant may have a value of its own for. */
export function configSchema(settings: Settings, enabled: boolean): unknown {
  const dynamic = dynamicSettings(settings);
  return {
    enabled,
    settings: dynamic.map(([key, { kind, default: usual, reason, dynamic: scope }]) => ({
      key,
      type: typeOf(usual),
      unit: unitOf(kind.name),
      default: usual,
      description: reason,
      scope,
    })),
    json_schema: {
      type: "object",
      properties: Object.fromEntries(
        dynamic.map(([key, { default: usual, reason }]) => [
          key,
          { type: typeOf(usual), default: usual, description: reason },
        ]),
      ),
      additionalProperties: false,
    },
  };
}

/** `ConfigService.ExportConfig`: the values in force for one tenant, as YAML. */
export async function configYaml(settings: Settings, settingOf: (key: string) => unknown): Promise<string> {
  const { stringify } = await import("yaml");
  return stringify(Object.fromEntries(dynamicSettings(settings).map(([key]) => [key, settingOf(key)])));
}

function dynamicSettings(settings: Settings): [string, Setting<unknown>][] {
  return Object.entries(settings).filter(([, { dynamic }]) => dynamic === "tenant");
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}

/** Settings of these kinds are kept as numbers. */
function unitOf(kind: string): string {
  return kind === "duration" ? "ms" : kind === "bytes" ? "bytes" : "";
}
