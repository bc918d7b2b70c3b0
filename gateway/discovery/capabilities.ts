import type { DeclaredCapability } from "#protos";
import { type Config, settingsTable } from "../config/index.ts";
import { type CapabilityParts, type Condition, conditions, type Mode } from "./conditions.ts";

export interface Capability {
  readonly id: string;
  readonly name: string;
  readonly mode: Mode;
  /** Why it is not active; empty when it is. */
  readonly reason: string;
  readonly dependencies: readonly string[];
  readonly internal: boolean;
}

/** The capabilities of the contract in this installation, by id. */
export function capabilitiesOf(
  declared: readonly DeclaredCapability[],
  parts: CapabilityParts,
): Capability[] {
  const byId = new Map(declared.map((capability) => [capability.id, capability]));
  for (const id of Object.keys(conditions))
    if (!byId.has(id)) throw new Error(`the condition of ${id} belongs to no capability of the contract`);
  const settled = new Map<string, Condition>();
  const conditionOf = (id: string): Condition => {
    const known = settled.get(id);
    if (known !== undefined) return known;
    const capability = byId.get(id)!;
    const own = bySettings(capability, parts) ?? conditions[id]?.(parts);
    const found = own ?? byNeeds(capability, conditionOf) ?? (["active", ""] as const);
    settled.set(id, found);
    return found;
  };
  return declared
    .map(({ id, name, needs, internal }) => {
      const [mode, reason] = conditionOf(id);
      return { id, name, mode, reason, dependencies: needs, internal };
    })
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

function bySettings(capability: DeclaredCapability, { config }: CapabilityParts): Condition | undefined {
  const { id, enabledBy, requires } = capability;
  const settingOf = (key: string): unknown => {
    if (!(key in settingsTable)) throw new Error(`capability ${id}: there is no setting ${key}`);
    return config[key as keyof Config];
  };
  if (enabledBy !== undefined && isOff(settingOf(enabledBy)))
    return ["disabled", offReason(enabledBy, settingOf(enabledBy))];
  const missing = requires.find((key) => isOff(settingOf(key)));
  return missing === undefined ? undefined : ["unwired", offReason(missing, settingOf(missing))];
}

function isOff(value: unknown): boolean {
  return value === false || value === 0 || value === "" || value === "none" || value === undefined;
}

function offReason(key: string, value: unknown): string {
  return value === "" || value === undefined ? `${key} is not set` : `${key} is ${value}`;
}

function byNeeds(
  { needs }: DeclaredCapability,
  conditionOf: (id: string) => Condition,
): Condition | undefined {
  const found = needs.map((id) => [id, ...conditionOf(id)] as const);
  const absent = found.find(([, mode]) => mode === "disabled" || mode === "unwired");
  if (absent !== undefined) return ["unwired", `needs ${absent[0]}, which is ${absent[1]}: ${absent[2]}`];
  const degraded = found.find(([, mode]) => mode === "degraded");
  return degraded === undefined ? undefined : ["degraded", `${degraded[0]} is degraded: ${degraded[2]}`];
}
