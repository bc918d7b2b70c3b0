import { type ModuleParts, publicUrlOf } from "../parts.ts";

export interface Parts extends Pick<ModuleParts, "clock" | "metrics"> {
  readonly publicUrl: string;
  readonly ttlMs: number;
  readonly idleMs: number;
}

interface Settings {
  readonly "console.session_ttl": number;
  readonly "console.session_idle": number;
}

export function partsOf({ settings: given, clock, metrics }: ModuleParts): Parts {
  const settings = given as unknown as Settings;
  return {
    clock,
    metrics,
    publicUrl: publicUrlOf(given),
    ttlMs: settings["console.session_ttl"],
    idleMs: settings["console.session_idle"],
  };
}
