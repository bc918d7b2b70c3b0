import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { badVersion, type Case, nobody } from "./case.ts";
import type { World } from "./world.ts";

/** An HTTP server that answers every request. */
const loopback = (async () => {
  const server = createServer((_request, response) => void response.end("{}")).listen(0, "127.0.0.1");
  server.unref();
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
})();

async function config(world: World, active = true): Promise<{ provider_config_id: string }> {
  const request = { name: "a config", provider_key: "probe", config: { base_url: await loopback } };
  const { id } = await world.call<{ id: string }>("ProviderConfigService.CreateProviderConfig", request);
  if (active) await world.call("ProviderConfigService.ActivateProviderConfig", { provider_config_id: id });
  return { provider_config_id: id };
}

interface Session {
  readonly connect_session_id: string;
  readonly connection_id: string;
}

async function session(world: World): Promise<Session> {
  const made = await world.call<{ id: string; connection_id: string }>(
    "ConnectSessionService.CreateConnectSession",
    await config(world),
  );
  return { connect_session_id: made.id, connection_id: made.connection_id };
}

async function connection(world: World): Promise<{ connection_id: string }> {
  const { connect_session_id, connection_id } = await session(world);
  await world.call("ConnectSessionService.SubmitConnectSession", { connect_session_id });
  return { connection_id };
}

async function execution(world: World): Promise<{ execution_id: string; connection_id: string }> {
  const { connection_id } = await connection(world);
  const { id } = await world.call<{ id: string }>("ConnectorService.ExecuteAction", {
    key: "probe.look",
    connection_id,
  });
  return { execution_id: id, connection_id };
}

const sessionId = async (world: World) => {
  const { connect_session_id } = await session(world);
  return { connect_session_id };
};
const executionId = async (world: World) => {
  const { execution_id } = await execution(world);
  return { execution_id };
};
const disabled = async (world: World) => {
  const made = await connection(world);
  await world.call("ConnectionService.DisableConnection", made);
  return made;
};
const revoked = async (world: World) => {
  const made = await connection(world);
  await world.call("ConnectionService.RevokeConnection", made);
  return made;
};

const subscription = async (world: World) => (await subscribed(world)).named;
const subscribed = async (world: World) => {
  const owner = await connection(world);
  const request = { ...owner, trigger_key: "probe.told", secret: "a-probe-secret" };
  const { id } = await world.call<{ id: string }>(
    "TriggerSubscriptionService.CreateTriggerSubscription",
    request,
  );
  return { owner, named: { trigger_subscription_id: id } };
};
const noSubscription = { trigger_subscription_id: nobody };

const one = (method: string, request: Case["request"]): Case => ({ method, claim: "one", request });
const bad = (
  method: string,
  claim: string,
  request: object,
  refused: NonNullable<Case["refused"]>,
): Case => ({
  method,
  claim,
  request: () => request,
  refused,
});
const missing = (method: string, request: object): Case =>
  bad(method, "an unknown one is not found", request, "NOT_FOUND");
const forged = (method: string): Case =>
  bad(method, "a forged cursor is refused", { page_token: "forged" }, "INVALID_ARGUMENT");
const noConfig = { provider_config_id: nobody };
const noSession = { connect_session_id: nobody };
const noConnection = { connection_id: nobody };

export const cases: readonly Case[] = [
  one("ConnectorService.ListProviders", () => ({ text: "prob" })),
  forged("ConnectorService.ListProviders"),
  one("ConnectorService.GetProvider", () => ({ key: "probe" })),
  missing("ConnectorService.GetProvider", { key: "nowhere" }),
  one("ConnectorService.ListActions", () => ({ provider_key: "probe", runtime_status: "executable" })),
  forged("ConnectorService.ListActions"),
  one("ConnectorService.GetAction", () => ({ key: "http.request" })),
  missing("ConnectorService.GetAction", { key: "http.nothing" }),
  one("ConnectorService.ListTriggers", () => ({ provider_key: "probe" })),
  forged("ConnectorService.ListTriggers"),
  one("ConnectorService.GetTrigger", () => ({ key: "probe.seen" })),
  missing("ConnectorService.GetTrigger", { key: "probe.nothing" }),
  one("ConnectorService.ExecuteAction", async (world) => ({
    key: "probe.look",
    ...(await connection(world)),
  })),
  {
    method: "ConnectorService.ExecuteAction",
    claim: "an action of another provider is refused",
    request: async (world) => ({ key: "http.request", input: { url: "/" }, ...(await connection(world)) }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "ConnectorService.ExecuteAction",
    claim: "an action that cannot be executed is refused",
    request: async (world) => ({ key: "probe.dream", ...(await connection(world)) }),
    refused: "FAILED_PRECONDITION",
  },
  one("ConnectorService.PreviewAction", async (world) => ({
    key: "probe.look",
    ...(await connection(world)),
  })),
  missing("ConnectorService.PreviewAction", { key: "probe.look", ...noConnection }),
  one("ConnectorService.GetExecution", async (world) => ({ ...(await executionId(world)), wait_seconds: 1 })),
  missing("ConnectorService.GetExecution", { execution_id: nobody }),
  one("ConnectorService.ListExecutions", async (world) => {
    const { connection_id } = await execution(world);
    return { connection_id, status: "succeeded" };
  }),
  missing("ConnectorService.ListExecutions", noConnection),
  one("ConnectorService.CancelExecution", executionId),
  missing("ConnectorService.CancelExecution", { execution_id: nobody }),
  one("ConnectorService.GetEncryptionStatus", () => ({})),
  {
    method: "ConnectorService.GetEncryptionStatus",
    claim: "an API version that is too old is refused",
    request: () => ({}),
    headers: badVersion,
    refused: "INVALID_ARGUMENT",
  },
  one("ConnectorService.RotateCredentials", () => ({ page_size: 1 })),
  bad(
    "ConnectorService.RotateCredentials",
    "too many at once are refused",
    { page_size: 5_000 },
    "INVALID_ARGUMENT",
  ),

  one("ProviderConfigService.CreateProviderConfig", async () => ({
    name: "a config",
    provider_key: "probe",
    config: { base_url: "http://127.0.0.1:1" },
    allowed_return_origins: ["https://app.example.com"],
  })),
  bad(
    "ProviderConfigService.CreateProviderConfig",
    "settings that the provider does not take are refused",
    { name: "a config", provider_key: "probe", config: {} },
    "INVALID_ARGUMENT",
  ),
  one("ProviderConfigService.GetProviderConfig", (world) => config(world)),
  missing("ProviderConfigService.GetProviderConfig", noConfig),
  one("ProviderConfigService.ListProviderConfigs", async (world) => {
    await config(world);
    return { page_size: 1, status: "active" };
  }),
  forged("ProviderConfigService.ListProviderConfigs"),
  one("ProviderConfigService.UpdateProviderConfig", async (world) => ({
    ...(await config(world)),
    name: "renamed",
    update_mask: ["name"],
  })),
  missing("ProviderConfigService.UpdateProviderConfig", {
    ...noConfig,
    name: "renamed",
    update_mask: ["name"],
  }),
  one("ProviderConfigService.ActivateProviderConfig", (world) => config(world, false)),
  missing("ProviderConfigService.ActivateProviderConfig", noConfig),
  one("ProviderConfigService.DisableProviderConfig", (world) => config(world)),
  {
    method: "ProviderConfigService.DisableProviderConfig",
    claim: "a draft is refused",
    request: (world) => config(world, false),
    refused: "STATE_CONFLICT",
  },
  one("ProviderConfigService.ArchiveProviderConfig", (world) => config(world, false)),
  {
    method: "ProviderConfigService.ArchiveProviderConfig",
    claim: "an active one is refused",
    request: (world) => config(world),
    refused: "STATE_CONFLICT",
  },

  one("ConnectSessionService.CreateConnectSession", async (world) => ({
    ...(await config(world)),
    external_id: "seven",
  })),
  {
    method: "ConnectSessionService.CreateConnectSession",
    claim: "a foreign return_url is refused",
    request: async (world) => ({ ...(await config(world)), return_url: "https://evil.example.com/" }),
    refused: "INVALID_ARGUMENT",
  },
  one("ConnectSessionService.GetConnectSession", sessionId),
  missing("ConnectSessionService.GetConnectSession", noSession),
  one("ConnectSessionService.SubmitConnectSession", sessionId),
  missing("ConnectSessionService.SubmitConnectSession", noSession),
  one("ConnectSessionService.RevokeConnectSession", sessionId),
  missing("ConnectSessionService.RevokeConnectSession", noSession),

  one("ConnectionService.GetConnection", connection),
  missing("ConnectionService.GetConnection", noConnection),
  one("ConnectionService.ListConnections", async (world) => {
    await connection(world);
    return { page_size: 1, provider_key: "probe", status: "active" };
  }),
  forged("ConnectionService.ListConnections"),
  one("ConnectionService.UpdateConnection", async (world) => ({
    ...(await connection(world)),
    metadata: { team: "support" },
    update_mask: ["metadata"],
  })),
  missing("ConnectionService.UpdateConnection", { ...noConnection, name: "x", update_mask: ["name"] }),
  one("ConnectionService.DeleteConnection", revoked),
  {
    method: "ConnectionService.DeleteConnection",
    claim: "one that is not revoked is refused",
    request: connection,
    refused: "STATE_CONFLICT",
  },
  one("ConnectionService.VerifyConnection", connection),
  missing("ConnectionService.VerifyConnection", noConnection),
  one("ConnectionService.DisableConnection", connection),
  missing("ConnectionService.DisableConnection", noConnection),
  one("ConnectionService.EnableConnection", disabled),
  {
    method: "ConnectionService.EnableConnection",
    claim: "a revoked one is refused",
    request: revoked,
    refused: "STATE_CONFLICT",
  },
  one("ConnectionService.RevokeConnection", connection),
  missing("ConnectionService.RevokeConnection", noConnection),

  one("TriggerSubscriptionService.CreateTriggerSubscription", async (world) => ({
    ...(await connection(world)),
    trigger_key: "probe.told",
    secret: "a-probe-secret",
  })),
  {
    method: "TriggerSubscriptionService.CreateTriggerSubscription",
    claim: "a filter that does not compile is refused",
    request: async (world) => ({
      ...(await connection(world)),
      trigger_key: "probe.told",
      filter: "event ==",
    }),
    refused: "INVALID_ARGUMENT",
  },
  one("TriggerSubscriptionService.GetTriggerSubscription", subscription),
  missing("TriggerSubscriptionService.GetTriggerSubscription", noSubscription),
  one("TriggerSubscriptionService.ListTriggerSubscriptions", async (world) => ({
    ...(await subscribed(world)).owner,
    status: "active",
  })),
  forged("TriggerSubscriptionService.ListTriggerSubscriptions"),
  one("TriggerSubscriptionService.UpdateTriggerSubscription", async (world) => ({
    ...(await subscription(world)),
    status: "disabled",
  })),
  missing("TriggerSubscriptionService.UpdateTriggerSubscription", { ...noSubscription, status: "disabled" }),
  one("TriggerSubscriptionService.DeleteTriggerSubscription", subscription),
  missing("TriggerSubscriptionService.DeleteTriggerSubscription", noSubscription),
];

export const decided = `
ConnectorService.ListProviders                       | GET /api/v2/connector/providers | connector:read | | R C
ConnectorService.GetProvider                         | GET /api/v2/connector/providers/{key} | connector:read | | R
ConnectorService.ListActions                         | GET /api/v2/connector/actions | connector:read | | R C
ConnectorService.GetAction                           | GET /api/v2/connector/actions/{key} | connector:read | | R
ConnectorService.ListTriggers                        | GET /api/v2/connector/triggers | connector:read | | R C
ConnectorService.GetTrigger                          | GET /api/v2/connector/triggers/{key} | connector:read | | R
ConnectorService.ExecuteAction                       | POST /api/v2/connector/actions/{key}:execute | connector_execution:write | | I
ConnectorService.PreviewAction                       | POST /api/v2/connector/actions/{key}:preview | connector_execution:preview | | N
ConnectorService.GetExecution                        | GET /api/v2/connector/executions/{execution_id} | connector_execution:read | | R
ConnectorService.ListExecutions                      | GET /api/v2/connector/connections/{connection_id}/executions | connector_execution:read | | R C
ConnectorService.CancelExecution                     | POST /api/v2/connector/executions/{execution_id}/cancel | connector_execution:write | | I
ConnectorService.GetEncryptionStatus                 | GET /api/v2/connector/encryption | connector:admin | | INT R
ConnectorService.RotateCredentials                   | POST /api/v2/connector/encryption:rotate | connector:admin | | INT I
ProviderConfigService.CreateProviderConfig           | POST /api/v2/connector/provider-configs | provider_config:write | admin | I
ProviderConfigService.GetProviderConfig              | GET /api/v2/connector/provider-configs/{provider_config_id} | provider_config:read | | R
ProviderConfigService.ListProviderConfigs            | GET /api/v2/connector/provider-configs | provider_config:read | | R C
ProviderConfigService.UpdateProviderConfig           | PATCH /api/v2/connector/provider-configs/{provider_config_id} | provider_config:write | admin | I
ProviderConfigService.ActivateProviderConfig         | POST /api/v2/connector/provider-configs/{provider_config_id}:activate | provider_config:write | admin | I
ProviderConfigService.DisableProviderConfig          | POST /api/v2/connector/provider-configs/{provider_config_id}:disable | provider_config:write | admin | I
ProviderConfigService.ArchiveProviderConfig          | POST /api/v2/connector/provider-configs/{provider_config_id}:archive | provider_config:write | admin | I
ConnectSessionService.CreateConnectSession           | POST /api/v2/connector/connect-sessions | connect_session:write | | I
ConnectSessionService.GetConnectSession              | GET /api/v2/connector/connect-sessions/{connect_session_id} | connect_session:read | | R
ConnectSessionService.SubmitConnectSession           | POST /api/v2/connector/connect-sessions/{connect_session_id}/submit | connect_session:write | | I
ConnectSessionService.RevokeConnectSession           | POST /api/v2/connector/connect-sessions/{connect_session_id}/revoke | connect_session:write | | I
ConnectionService.GetConnection                      | GET /api/v2/connector/connections/{connection_id} | connection:read | | R
ConnectionService.ListConnections                    | GET /api/v2/connector/connections | connection:read | | R C
ConnectionService.UpdateConnection                   | PATCH /api/v2/connector/connections/{connection_id} | connection:write | | I
ConnectionService.DeleteConnection                   | DELETE /api/v2/connector/connections/{connection_id} | connection:delete | | I
ConnectionService.VerifyConnection                   | POST /api/v2/connector/connections/{connection_id}:verify | connection:write | | I
ConnectionService.DisableConnection                  | POST /api/v2/connector/connections/{connection_id}:disable | connection:write | | I
ConnectionService.EnableConnection                   | POST /api/v2/connector/connections/{connection_id}:enable | connection:write | | I
ConnectionService.RevokeConnection                   | POST /api/v2/connector/connections/{connection_id}:revoke | connection:delete | | I
TriggerSubscriptionService.CreateTriggerSubscription | POST /api/v2/connector/trigger-subscriptions | connector_trigger:write | | I
TriggerSubscriptionService.GetTriggerSubscription    | GET /api/v2/connector/trigger-subscriptions/{trigger_subscription_id} | connector_trigger:read | | R
TriggerSubscriptionService.ListTriggerSubscriptions  | GET /api/v2/connector/trigger-subscriptions | connector_trigger:read | | R C
TriggerSubscriptionService.UpdateTriggerSubscription | PATCH /api/v2/connector/trigger-subscriptions/{trigger_subscription_id} | connector_trigger:write | | I
TriggerSubscriptionService.DeleteTriggerSubscription | DELETE /api/v2/connector/trigger-subscriptions/{trigger_subscription_id} | connector_trigger:delete | | I
`;
