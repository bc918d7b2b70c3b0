import { handleOf, RefusalError, refuse } from "#base";
import { ask, type Method } from "../../kit/ask.ts";
import type { CallContext } from "../../module.ts";
import type { ConnectionRequest, OutboundConnection } from "../../notify/outbound/types.ts";
import { look, resolve } from "../connection/methods.ts";
import type { Connection } from "../connection/record.ts";
import type { Parts } from "../parts.ts";
import { snapshot } from "../provider-config/methods.ts";
import { decrypt, unconfigured } from "../secrets.ts";
import { failed } from "./checks.ts";

/** A connection that works, with its credentials in the clear. For effects only. */
export function opened({ keyRing }: Parts) {
  return async ({ connection_id: id }: ConnectionRequest, call: CallContext): Promise<OutboundConnection> => {
    const record = await recordOf(id, resolve, call);
    const { tenant, environment, providerConfigId, providerKey } = record;
    const { config } = await ask(call, snapshot, {
      key: handleOf(providerConfigId),
      request: { connection_id: id },
    });
    const { encrypted, version } = record.credentials;
    if (encrypted === "") return { providerKey, config, credential: {} };
    if (keyRing === undefined) throw new RefusalError(unconfigured);
    const of = { kind: "connection", tenant, environment, id, version } as const;
    const credential = decrypt<OutboundConnection["credential"]>(keyRing, encrypted, of);
    if (credential === undefined)
      throw failed("KEY_MISSING", `no key here decrypts the credentials of ${id}`);
    return { providerKey, config, credential };
  };
}

/** The provider of a connection. */
export async function known({ connection_id: id }: ConnectionRequest, call: CallContext) {
  return { provider_key: (await recordOf(id, look, call)).providerKey };
}

export async function recordOf(
  id: string,
  method: Method<object, Connection>,
  call: CallContext,
): Promise<Connection> {
  const record = await ask(call, method, { key: handleOf(id), request: {} });
  // An address is a part of an id.
  if (record.id !== id) throw new RefusalError(refuse("NOT_FOUND", "there is no such connection"));
  return record;
}
