import { apiKeyRevokedTopic, type KeyHasher } from "#actors";
import { systemClock } from "#base";
import type { Asker, Runtime } from "#runtime";
import type { Plane } from "../calls/call.ts";
import type { Providers } from "../calls/stages/stage.ts";
import type { Config } from "../config/index.ts";
import { ApiKeys } from "../identity/index.ts";

export interface ProviderParts {
  readonly config: Config;
  readonly asker: Asker & Pick<Runtime, "onBroadcast">;
  readonly hasher: KeyHasher;
}

/** Who vouches for the callers of each plane, and what the settings leave out. */
export function openProviders(parts: ProviderParts): Readonly<Record<Plane, Providers>> {
  return { external: externalProviders(parts), internal: {} };
}

function externalProviders({ config, asker, hasher }: ProviderParts): Providers {
  if (!config["auth.enabled"] || !config["auth.api_key_enabled"]) return {};
  const apiKey = new ApiKeys({ asker, hasher, clock: systemClock });
  asker.onBroadcast((topic, payload) => {
    if (topic === apiKeyRevokedTopic) apiKey.revoked((payload as { id: string }).id);
  });
  return { apiKey };
}
