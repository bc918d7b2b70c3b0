import test from "ava";
import { handleOf, limits } from "#base";
import {
  claimIdentity,
  claimTransaction,
  triggerOne,
  upsertSubscribers,
} from "../../actors/audience/methods.ts";
import { noCredentials } from "../../actors/connectors/connection/record.ts";
import { apiKeyAddress } from "../../actors/kit/api-key-record.ts";
import { directoryOf } from "../../actors/kit/directory.ts";
import { listDirectory } from "../../actors/kit/entity-list.ts";
import { quotaOf, reserveQuota } from "../../actors/kit/quota.ts";
import { findTenant, tenantsAddress } from "../../actors/kit/tenants.ts";
import { audienceOf, noticeAddress, topicAddress } from "../../actors/notify/address.ts";
import type { Manifest } from "../../actors/notify/manifest.ts";
import { addTopicMembers, broadcast } from "../../actors/notify/methods.ts";
import { integrationsAddress, layoutsAddress } from "../../actors/notify/outbound/types.ts";
import { packRoute } from "../../actors/pools/router/wire.ts";
import { runAddress, streamAddress } from "../../actors/workflow-streams/stream/record.ts";
import { addStream } from "../../actors/workflow-streams/waits/service.ts";
import { EntityDriver } from "../support/entity.ts";
import { modules } from "../support/module-parts.ts";

type Message = Record<string, unknown>;

/** A tenant with more pools than one step of a purge deletes, each with items, rules and recipients. */
function filled(driver: EntityDriver, pools: number): string {
  driver.ask(tenantsAddress, findTenant.name, { tenant_id: "none" });
  const { id: tenant } = driver.ask(tenantsAddress, "TenantService.CreateTenant", { name: "acme" }) as {
    id: string;
  };
  for (let n = 0; n < pools; n++) {
    const pool = driver.ask(directoryOf(tenant, "pool"), "PoolService.CreatePool", {
      name: `p${n}`,
      tenantKey: "key",
    }) as Message;
    const pool_id = pool.id as string;
    const of = (kind: string) => ({ kind, tenant, key: handleOf(pool_id) });
    const { id: recipient_id } = driver.ask(of("pool"), "RecipientService.CreateRecipient", {
      pool_id,
      name: "r",
    }) as Message;
    for (let item = 0; item < 3; item++)
      driver.ask(of("queue"), "QueueService.Enqueue", { pool_id, payload: item });
    driver.ask(of("queue"), "QueueService.Claim", { pool_id, recipient_id, max_items: 1 });
    driver.ask(of("router"), "router.Route", [pool_id, [packRoute({ key: "k" }, 0)], false, [], "", true]);
  }
  const key = { name: "k", roles: ["viewer"], hash: "hash" };
  driver.ask(directoryOf(tenant, "api_key"), "ApiKeyService.CreateApiKey", key);
  const reservation = { operation: "enqueue", amount: 1, limit: 10, ref: "r" };
  driver.ask(quotaOf(tenant), reserveQuota.name, reservation);
  return tenant;
}

/** A stream with records, an experiment, a layout, and an integration with its send rate limiter. */
function filledModules(driver: EntityDriver, tenant: string): { stream: string; run: string } {
  const run = "01J9ZC5T8N4W0QK7V3M2B6XH1D";
  const { id: stream } = driver.ask(runAddress(tenant, run), addStream.name, {
    run_id: run,
    name: "s",
    content_classes: ["json"],
  }) as {
    id: string;
  };
  const records = [{ payload: 1 }, { kind: "input", payload: 2 }];
  const appended = { run_id: run, stream_id: stream, records };
  driver.ask(streamAddress(tenant, stream), "WorkflowStreamService.AppendRecords", appended);
  const variants = [
    { key: "a", weight: 0.5 },
    { key: "b", weight: 0.5 },
  ];
  const metrics = [{ key: "m", kind: "binary", role: "primary" }];
  driver.ask(directoryOf(tenant, "experiment"), "ExperimentService.CreateExperiment", {
    name: "e",
    key: "e",
    variants,
    metrics,
  });
  const layout = { channel: "email", name: "l", engine: "liquid", body: "{{ content }}", is_default: true };
  driver.ask(layoutsAddress(tenant), "LayoutService.CreateLayout", layout);
  const integration = { channel: "in_app", name: "i", provider_key: "inbox", rate: { per_second: 1 } };
  driver.ask(integrationsAddress(tenant), "IntegrationService.CreateIntegration", integration);
  filledNotifications(driver, tenant);
  filledConnectors(driver, tenant);
  return { stream, run };
}

/** A workflow, a topic with a member, a broadcast to it, and direct deliveries: sent on, waiting, failed. */
function filledNotifications(driver: EntityDriver, tenant: string): void {
  const content = { engine: "liquid", subject: "s", body: "b" };
  driver.ask(noticeAddress(tenant, "news"), "NoticeService.PutNotice", {
    workflow_key: "news",
    channels: { email: content },
  });
  driver.ask(noticeAddress(tenant, "news"), "NoticeService.PutUserPreference", {
    workflow_key: "news",
    user_id: "u",
    preference: { all: { enabled: true } },
  });
  const audience = audienceOf(tenant, "user-1");
  const given = [{ external_id: "user-1", email: "a@example.com", phone: "+12025550123" }];
  const [{ id: subscriber_id }] = driver.ask(audience, upsertSubscribers.name, { given }) as [{ id: string }];
  const endpoint = { subscriberId: subscriber_id, channel: "push", providerKey: "fcm", identity: "token" };
  driver.ask(audienceOf(tenant, "token"), claimIdentity.name, { endpoint });
  const preference = { subscriber_id, workflow_key: "other", all: { enabled: false } };
  driver.ask(audience, "SubscriberService.PutPreference", preference);
  driver.ask(directoryOf(tenant, "topic"), "TopicService.CreateTopic", { key: "all" });
  const topic = topicAddress(tenant, "all");
  const member = { key: "all", subscriberIds: [subscriber_id], contextKeys: [] };
  driver.ask(topic, addTopicMembers.name, member);
  driver.ask(topic, broadcast.name, { key: "all", manifest: manifest("all") });
  driver.advance(10);
  // The remaining rows of a deleted topic are purged too.
  driver.ask(topic, "TopicService.DeleteTopic", { key: "all" });
  const asked = { manifest: manifest(""), subscriberId: subscriber_id, retentionDays: 30, waitMs: 0 };
  driver.ask(audience, triggerOne.name, asked);
  const claim = { transactionId: "order-7", fingerprint: "f", owner: audience.key };
  driver.ask(audienceOf(tenant, "order-7"), claimTransaction.name, claim);
  driver.advance(10);
}

function manifest(topicKey: string): Manifest {
  return {
    transactionId: "",
    workflowKey: "news",
    workflowVersion: 1,
    content: {},
    layer1: null,
    channels: ["email", "sms", "in_app"],
    overrides: {},
    payload: {},
    userId: "",
    topicKey,
    environment: "production",
    ttlMs: 86_400_000,
    timezone: "UTC",
    requireVerified: false,
    tiered: true,
  };
}

/** A provider config with a named connection and an execution that waits. Subscriptions have their own test. */
function filledConnectors(driver: EntityDriver, tenant: string): void {
  const [configId, connectionId] = ["01JD0000000000000000000003", "01JD0000000000000000000002"];
  const record = {
    id: configId,
    tenant,
    environment: "production",
    name: "calls",
    providerKey: "webhook",
    auth: "none",
    authType: "none",
    status: "active",
    clientId: "",
    scopes: [],
    config: {},
    allowedReturnOrigins: [],
    clientSecret: "",
    credentialVersion: 0,
    keyId: "",
    version: 1,
    activeVersion: 1,
  };
  driver.ask(directoryOf(tenant, "provider_config"), "ProviderConfigService.CreateProviderConfig", {
    record,
  });
  const configAt = { kind: "provider_config", tenant, key: handleOf(configId) };
  driver.ask(configAt, "provider_config.TakeExternalId", { external_id: "customer" });
  const at = { kind: "connection", tenant, key: handleOf(connectionId) };
  const session = driver.ask(at, "connection.CreateSession", {
    connection_id: connectionId,
    reconnect: true,
    provider_config_id: configId,
    provider_key: "webhook",
    auth: "none",
    auth_type: "none",
    environment: "production",
    external_id: "",
    name: "calls",
    scopes: [],
    return_url: "",
    ttl_ms: 60_000,
    token_hash: "",
  }) as Message;
  const credentials = { ...noCredentials, version: 1 };
  driver.ask(at, "connection.Submit", { id: session.id, credentials, effect: false });
  driver.ask(at, "connection.Execute", {
    action_key: "webhook.send",
    action_version: "1",
    mutation: "idempotent",
    scopes: [],
    input: {},
    bytes: 2,
    deadline_ms: 60_000,
    limits: { rps: 1, burst: 1, concurrency: 1 },
  });
}

function drive() {
  return new EntityDriver(modules.flatMap(({ actors }) => actors));
}

test("given a deleted tenant, then no row of it is left after the purge, and its record stays deleted", (t) => {
  const driver = drive();
  const tenant = filled(driver, limits.purgeStepMax + 20);
  const other = filled(driver, 2);
  // Leases end meanwhile, which changes other rows.
  const keptOf = () =>
    driver.rowsOf(other).filter((row) => / (pool|recipients|item|entries|used): /.test(row));
  const kept = keptOf();
  t.true(driver.rowsOf(tenant).length > 500);
  const { entries } = driver.ask(directoryOf(tenant, "api_key"), listDirectory.name, {}) as {
    entries: { id: string }[];
  };
  const look = () => driver.ask(apiKeyAddress(entries[0]!.id), "api_key.Look", {}) as Message;
  t.is(look().hash, "hash");
  driver.ask(tenantsAddress, "TenantService.DeleteTenant", { tenant_id: tenant });
  driver.advance(limits.tenantPurgeAfterMs - 1);
  t.true(driver.rowsOf(tenant).length > 500, "requests that were accepted before may still be under way");
  driver.advance(1 + 5 * limits.purgeStepMs);
  t.deepEqual(driver.rowsOf(tenant), []);
  t.like(look(), { code: "NOT_FOUND" });
  t.deepEqual(keptOf(), kept, "another tenant keeps its rows");
  const found = driver.ask(tenantsAddress, findTenant.name, { tenant_id: tenant });
  t.like(found, { tenant: { status: "deleted" } });
});

test("given a deleted tenant with streams and experiments, then only what a legal hold keeps is left", (t) => {
  const driver = drive();
  const tenant = filled(driver, 1);
  const { stream, run } = filledModules(driver, tenant);
  const hold = (held: boolean) =>
    driver.ask(streamAddress(tenant, stream), "WorkflowStreamService.SetLegalHold", {
      run_id: run,
      stream_id: stream,
      held,
      reason: "r",
    });
  hold(true);
  const kinds = [
    "experiment",
    "layouts",
    "integrations",
    "pacer",
    "audience",
    "topic",
    "notice",
    "provider_config",
    "connection",
  ];
  for (const kind of kinds)
    t.true(
      driver.rowsOf(tenant).some((row) => row.startsWith(`${kind}/`)),
      kind,
    );
  const before = driver.rowsOf(tenant);
  driver.ask(tenantsAddress, "TenantService.DeleteTenant", { tenant_id: tenant });
  driver.advance(limits.tenantPurgeAfterMs + 10 * limits.purgeStepMs);
  const left = driver.rowsOf(tenant);
  for (const collection of [
    "subscribers.entries",
    "deliveries",
    "dead.entries",
    "identities",
    "claims",
    "paced",
  ])
    t.true(
      before.some((row) => row.startsWith("audience/") && row.includes(` ${collection}: `)),
      collection,
    );
  t.true(left.some((row) => row.includes(" chunks: ")));
  t.deepEqual(
    left.filter((row) => !/^(stream|workflow_wait|directory)/.test(row)),
    [],
  );
  hold(false);
  driver.advance(2 * limits.purgeAgainMs);
  t.deepEqual(driver.rowsOf(tenant), []);
});

test("given a crash between two steps of a purge, then the purge continues where it was", (t) => {
  const driver = drive();
  const tenant = filled(driver, 2 * limits.purgeStepMax + 1);
  driver.ask(tenantsAddress, "TenantService.DeleteTenant", { tenant_id: tenant });
  driver.restart();
  driver.advance(limits.tenantPurgeAfterMs);
  t.true(driver.rowsOf(tenant).length > 0);
  for (let step = 0; step < 5; step++) {
    driver.restart();
    driver.advance(limits.purgeStepMs);
  }
  t.deepEqual(driver.rowsOf(tenant), []);
  t.deepEqual(driver.timers(directoryOf(tenant, "pool")), []);
});
