import { RefusalError, refuse } from "#base";
import { ask } from "../../kit/ask.ts";
import type { CallContext, Orchestration } from "../../module.ts";
import type { OutboundConnection } from "../../notify/outbound/types.ts";
import type { Connection } from "../connection/record.ts";
import { connectionAddress, type Parts, providerConfigAddress } from "../parts.ts";
import type { ProviderConfig } from "../provider-config/state.ts";
import { open, unconfigured } from "../secrets.ts";

/** The internal call `Connection.Open`: a connection that works, with its credentials in the clear. For effects only. */
export function openConnection({ keyRing }: Parts): Orchestration {
  return async (request, call): Promise<OutboundConnection> => {
    const { connection_id: id } = request as { connection_id: string };
    const record = await recordOf(id, "Connection.Resolve", call);
    const { tenant, environment, providerConfigId, providerKey } = record;
    const { config } = await ask<ProviderConfig>(call, {
      to: providerConfigAddress(tenant, providerConfigId),
      method: "ProviderConfig.Snapshot",
      request: { connection_id: record.id },
    });
    const { sealed, version } = record.credentials;
    if (sealed === "") return { providerKey, config, credential: {} };
    if (keyRing === undefined) throw new RefusalError(unconfigured);
    const of = { kind: "connection", tenant, environment, id, version } as const;
    const credential = open<OutboundConnection["credential"]>(keyRing, sealed, of);
    if (credential === undefined)
      throw new RefusalError(
        refuse("FAILED_PRECONDITION", `no key here opens the credentials of ${id}`, {
          reason: "KEY_MISSING",
        }),
      );
    return { providerKey, config, credential };
  };
}

/** The internal call `Connection.Known`: of which provider a connection is; NOT_FOUND where the tenant has none. */
export const knowsConnection: Orchestration = async (request, call) => {
  const { connection_id: id } = request as { connection_id: string };
  const { providerKey } = await recordOf(id, "Connection.Look", call);
  return { provider_key: providerKey };
};

export async function recordOf(id: string, method: string, call: CallContext): Promise<Connection> {
  const record = await ask<Connection>(call, {
    to: connectionAddress(call.caller.tenant, id),
    method,
    request: {},
  });
  // An address is a part of an id.
  if (record.id !== id) throw new RefusalError(refuse("NOT_FOUND", "there is no such connection"));
  return record;
}
