import { RefusalError, refusalError } from "#base";
import { askAs } from "../../kit/ask.ts";
import type { CallContext } from "../../module.ts";
import { knownConnection, openConnection as opened } from "../../notify/outbound/methods.ts";
import type { ConnectionRequest, OutboundConnection } from "../../notify/outbound/types.ts";
import type { ModuleCall } from "../../parts.ts";
import { type StaticConnections, staticPrefix } from "./static-connections.ts";

/** What an attempt sends with. */
export function openConnection(files: StaticConnections, call: ModuleCall) {
  return async (
    { connection_id }: ConnectionRequest,
    { caller, signal }: CallContext,
  ): Promise<OutboundConnection> => {
    if (connection_id.startsWith(staticPrefix))
      return inFile(files, caller.tenant, connection_id.slice(staticPrefix.length));
    const { tenant, subject } = caller;
    const as = { tenant, subject, key: connection_id, ...(signal instanceof AbortSignal && { signal }) };
    return askAs(call, opened, { request: { connection_id } }, as);
  };
}

async function inFile(files: StaticConnections, tenant: string, name: string): Promise<OutboundConnection> {
  const found = await files.get(tenant, name);
  if (found === undefined) throw unknown(`${staticPrefix}${name}`);
  return found;
}

/** The provider of a connection. Refuses a connection that the tenant does not have. */
export async function providerOf(
  files: StaticConnections,
  moduleCall: ModuleCall,
  connectionId: string,
  { caller }: CallContext,
): Promise<string> {
  if (connectionId.startsWith(staticPrefix))
    return (await inFile(files, caller.tenant, connectionId.slice(staticPrefix.length))).providerKey;
  const as = { tenant: caller.tenant, subject: caller.subject, key: connectionId };
  try {
    const request = { connection_id: connectionId };
    return (await askAs(moduleCall, knownConnection, { request }, as)).provider_key;
  } catch (error) {
    if (error instanceof RefusalError && error.refusal.code === "NOT_FOUND") throw unknown(connectionId);
    throw error;
  }
}

function unknown(connectionId: string): RefusalError {
  return refusalError("FAILED_PRECONDITION", `there is no connection ${connectionId}`, {
    reason: "UNKNOWN_CONNECTION",
  });
}
