import { handleOf, limits, RefusalError, refusalError } from "#base";
import { ask, type Method } from "../../kit/ask.ts";
import type { Directory } from "../../kit/directory.ts";
import { checkEnvironment } from "../../kit/environment.ts";
import { decrypt, secretOf, unconfigured } from "../../kit/secrets.ts";
import type { CallContext, Handlers } from "../../module.ts";
import type { ConnectionRequest, OutboundConnection } from "../../notify/outbound/types.ts";
import { awaitCheck, getConnection, look, resolve, check as startCheck } from "../connection/methods.ts";
import type { Connection } from "../connection/record.ts";
import type { Parts } from "../parts.ts";
import { snapshot } from "../provider-config/methods.ts";
import { failed, notFound, providerOf, waitOf } from "./checks.ts";
import { listing } from "./provider-configs.ts";

/** A connection sends its entry once it has credentials. */
export const connectionDirectory: Directory = {
  kind: "connection",
  filters: ["status", "provider_key", "environment", "key_id"],
};

export function connectionMethods(parts: Parts): Handlers {
  return {
    "ConnectionService.ListConnections": listing("connection", ["provider_key", "status"], (id, call) =>
      ask(call, getConnection, { key: handleOf(id), request: {} }),
    ),
    "ConnectionService.VerifyConnection": async ({ connection_id }, call) => {
      const key = handleOf(connection_id);
      const record = await ask(call, look, { key, request: {} });
      if (providerOf(parts, record).file.verify === undefined)
        throw failed(
          "NO_VERIFY_ACTION",
          `${record.providerKey} has no action that shows whether credentials work`,
        );
      await ask(call, startCheck, { key, request: {}, step: "" });
      const { connection, check } = await ask(call, awaitCheck, { key, request: { waitMs: waitOf(call) } });
      if (!check.working && (check.error === "" || connection.status !== "active")) return connection;
      const detail = check.error === "" ? "the provider has not answered yet" : check.error;
      const { retryAfterMs } = limits;
      throw refusalError("UNAVAILABLE", detail, { reason: "PROVIDER_UNAVAILABLE", retryAfterMs });
    },
  };
}

/** A connection that works, with its credentials in the clear. For effects only. */
export function opened(parts: Parts) {
  return async ({ connection_id: id }: ConnectionRequest, call: CallContext): Promise<OutboundConnection> => {
    const record = await recordOf(id, resolve, call);
    const { providerConfigId, providerKey, credentials } = record;
    const request = { connection_id: id };
    const { config } = await ask(call, snapshot, { key: handleOf(providerConfigId), request });
    const { encrypted, version } = credentials;
    if (encrypted === "") return { providerKey, config, credential: {} };
    if (parts.keyRing === undefined) throw new RefusalError(unconfigured);
    const of = secretOf("connection", record, version);
    const credential = decrypt<OutboundConnection["credential"]>(parts, encrypted, of);
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
  if (record.id !== id) throw notFound("there is no such connection");
  return record;
}

/** What never changes of a connection, from its first session until it is deleted; its id is never used again. */
type FixedPart = Pick<Connection, "id" | "providerKey" | "providerConfigId" | "environment">;

/** The fixed parts of connections that this thread was asked to execute over: each is read once. */
export class KnownConnections {
  readonly #known = new Map<string, FixedPart>();

  /** Throws a RefusalError. A connection that was deleted may be known here still: it refuses the execution itself. */
  async of(connectionId: string, call: CallContext): Promise<FixedPart> {
    const name = `${call.caller.tenant}/${connectionId}`;
    const known = this.#known.get(name);
    if (known !== undefined) {
      const foreign = checkEnvironment(known.environment, call.caller);
      if (foreign) throw new RefusalError(foreign);
      return known;
    }
    const { id, providerKey, providerConfigId, environment } = await recordOf(connectionId, look, call);
    if (this.#known.size >= limits.connectionsKnownMax) this.#known.clear();
    const fixed = { id, providerKey, providerConfigId, environment };
    this.#known.set(name, fixed);
    return fixed;
  }
}
