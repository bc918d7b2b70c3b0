import { handleOf } from "#base";
import type { EffectRun } from "#runtime";
import type { Connection, Credentials } from "../connection/record.ts";
import type { Parts } from "../parts.ts";
import { snapshot } from "../provider-config/methods.ts";
import type { ProviderConfig } from "../provider-config/state.ts";
import { decrypt } from "../secrets.ts";
import { inside } from "./inside.ts";
import type { Credential } from "./request.ts";

/** As this connection uses it. */
export function configOf(parts: Parts, run: EffectRun, record: Connection): Promise<ProviderConfig> {
  return inside(parts, run, snapshot, { connection_id: record.id }, handleOf(record.providerConfigId));
}

/** Credentials of auth `none` are nothing, and nothing is encrypted for them. */
export function openCredentials(
  { keyRing }: Parts,
  { tenant, environment, id, credentials }: Connection,
  { encrypted, version }: Credentials = credentials,
): Credential | undefined {
  if (encrypted === "") return {};
  const of = { kind: "connection", tenant, environment, id, version } as const;
  return keyRing && decrypt<Credential>(keyRing, encrypted, of);
}
