import { handleOf } from "#base";
import { noCredentials } from "../../actors/connectors/connection/record.ts";
import { EntityDriver } from "./entity.ts";
import { modules } from "./module-parts.ts";

export const tenant = "01JD0000000000000000000001";
export const connectionId = "01JD0000000000000000000002";
export const connectionAt = { kind: "connection", tenant, key: handleOf(connectionId) };

/** The entity of one active connection without credentials. */
export function connectedDriver(): EntityDriver {
  const driver = new EntityDriver(modules.flatMap(({ actors }) => actors));
  const session = driver.ask(connectionAt, "connection.CreateSession", {
    connection_id: connectionId,
    reconnect: false,
    provider_config_id: "01JD0000000000000000000003",
    provider_key: "http",
    auth: "none",
    auth_type: "none",
    environment: "production",
    external_id: "",
    name: "calls",
    scopes: [],
    return_url: "",
    ttl_ms: 60_000,
    token_hash: "",
  }) as { id: string };
  const credentials = { ...noCredentials, version: 1 };
  driver.ask(connectionAt, "connection.Submit", { id: session.id, credentials, effect: false });
  return driver;
}
