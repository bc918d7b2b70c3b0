import type { ModuleParts } from "../parts.ts";

export interface Parts extends Pick<ModuleParts, "clock" | "metrics"> {
  readonly publicUrl: string;
  readonly ttlMs: number;
  readonly idleMs: number;
}

interface Settings {
  readonly "server.public_url": string;
  readonly "console.session_ttl": number;
  readonly "console.session_idle": number;
}

export function partsOf({ settings: given, clock, metrics }: ModuleParts): Parts {
  const settings = given as unknown as Settings;
  return {
    clock,
    metrics,
    publicUrl: settings["server.public_url"].replace(/\/$/, ""),
    ttlMs: settings["console.session_ttl"],
    idleMs: settings["console.session_idle"],
  };
}
