import { handleOf } from "#base";
import type { Address } from "#runtime";
import type { ModuleParts } from "../parts.ts";
import type { Catalogue, Provider } from "./catalogue/types.ts";
import type { Connection, Session } from "./connection/record.ts";
import type { ProviderConfig } from "./provider-config/state.ts";

/** What the doors and effects of this module are made of. */
export interface Parts extends Pick<ModuleParts, "outgoing" | "keyRing" | "call" | "clock"> {
  readonly catalogue: () => Catalogue;
  /** Where browsers and providers reach this service; empty: not known. */
  readonly publicUrl: string;
  /** The external door listens on this machine only. */
  readonly loopback: boolean;
  /** Ids of keys that only open. */
  readonly retiredKeyIds: readonly string[];
}

export function connectionAddress(tenant: string, connectionId: string): Address {
  return { kind: "connection", tenant, key: handleOf(connectionId) };
}

export function providerConfigAddress(tenant: string, providerConfigId: string): Address {
  return { kind: "provider_config", tenant, key: handleOf(providerConfigId) };
}

/** What a handler knows of the connection it works for. */
export interface Known {
  readonly record: Connection;
  readonly config: ProviderConfig;
  readonly provider: Provider;
}

export interface Looked {
  readonly session: Session;
  readonly record: Connection;
}
