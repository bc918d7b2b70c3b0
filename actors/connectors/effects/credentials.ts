import { handleOf } from "#base";
import type { EffectRun } from "#runtime";
import type { Credentials } from "../connection/record.ts";
import type { Parts } from "../parts.ts";
import { snapshot } from "../provider-config/methods.ts";
import type { ProviderConfig } from "../provider-config/state.ts";
import { decrypt } from "../secrets.ts";
import { inside } from "./inside.ts";
import type { Credential } from "./request.ts";

/** As this connection uses it. */
export function configOf(
  parts: Parts,
  run: EffectRun,
  of: { readonly provider_config_id: string; readonly connection_id: string },
): Promise<ProviderConfig> {
  const { provider_config_id, connection_id } = of;
  return inside(parts, run, snapshot, { connection_id }, handleOf(provider_config_id));
}

/** Credentials of auth `none` are nothing, and nothing is encrypted for them. */
export function openCredentials(
  { keyRing }: Parts,
  { address: { tenant } }: EffectRun,
  { credentials, environment, connection_id: id }: Encrypted,
): Credential | undefined {
  const { encrypted, version } = credentials;
  if (encrypted === "") return {};
  return (
    keyRing &&
    decrypt<Credential>(keyRing, encrypted, { kind: "connection", tenant, environment, id, version })
  );
}

export interface Encrypted {
  readonly credentials: Credentials;
  readonly environment: string;
  readonly connection_id: string;
}
