/**
 * Real processes are killed around a refresh of a token that the provider rotates; then all output is searched for
 * every secret that was sent in.
 */
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import test, { type ExecutionContext } from "ava";
import { eventually } from "../support/eventually.ts";
import { Browser } from "../support/oauth.ts";
import { clientSecret, listen, type OidcSide, oauthCatalogue, startOidc } from "../support/oidc.ts";
import { findSecrets } from "../support/secret-search.ts";
import { Server } from "./server.ts";

type Message = Record<string, unknown>;

/** A service that can be killed and restarted, a collector of its traces, and all of its output. */
async function started(t: ExecutionContext) {
  const traces: Buffer[] = [];
  const collector = await listen(t, async (request, response) => {
    traces.push(await buffer(request));
    response.end("{}");
  });
  const server = new Server([
    `connector.catalogue_dir=${oauthCatalogue(t)}`,
    `telemetry.otlp_endpoint=${collector}/v1/traces`,
    "telemetry.sample_percent=100",
    "log.level=debug",
  ]);
  t.teardown(() => server.remove());
  const logs: string[] = [];
  server.heard = (text) => void logs.push(text);
  await server.start();
  const call = async (method: string, path: string, body?: object): Promise<Message> => {
    const answer = await fetch(`${server.url}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    });
    const read = (await answer.json()) as { data?: Message } & Message;
    if (!answer.ok) throw new Error(JSON.stringify(read));
    return Array.isArray(read.data) ? read : (read.data ?? read);
  };
  return { server, call, traces, logs };
}

type Started = Awaited<ReturnType<typeof started>>;
const at = "/api/v2/connector";

async function connect(service: Started, oidc: OidcSide) {
  const config = await service.call("POST", `${at}/provider-configs`, {
    name: "a provider",
    provider_key: "oidc",
    auth: "code",
    client_id: "app",
    client_secret: clientSecret,
    scopes: ["openid", "read"],
    config: { issuer: oidc.issuer, api: oidc.api },
  });
  await service.call("POST", `${at}/provider-configs/${config.id}:activate`, {});
  const session = await service.call("POST", `${at}/connect-sessions`, { provider_config_id: config.id });
  const page = await new Browser().go(`${service.server.url}/connect/${session.token}`);
  if (!page.text.includes("Connected")) throw new Error(page.text);
  return { connection: session.connection_id as string, token: session.token as string };
}

const execute = (service: Started, connection_id: string) =>
  service.call("POST", `${at}/actions/oidc.read:execute`, { connection_id, wait_seconds: 25 });
const connectionOf = (service: Started, id: string) => service.call("GET", `${at}/connections/${id}`);

test("kill -9 before the provider has handled a refresh: it is asked again after the token has expired, and nothing is lost", async (t) => {
  t.timeout(900_000);
  const service = await started(t);
  const oidc = await startOidc(t, `${service.server.url}/connect/callback`);
  oidc.firstTtlSeconds = 2;
  const { connection } = await connect(service, oidc);
  await sleep(2_100);
  let killed: Promise<void> | undefined;
  oidc.token = async (_body, response) => {
    oidc.token = undefined;
    killed = service.server.kill();
    await killed;
    response.destroy();
    return true;
  };
  await Promise.all(Array.from({ length: 20 }, () => execute(service, connection).catch(() => undefined)));
  await killed;
  await service.server.start();
  await eventually("every execution has ended", async () => {
    const totals = await Promise.all(
      ["queued", "running", "waiting"].map((status) =>
        service.call("GET", `${at}/connections/${connection}/executions?limit=1&status=${status}`),
      ),
    );
    return totals.every(({ total }) => total === 0) || undefined;
  });
  t.is((await execute(service, connection)).status, "succeeded");
  t.is((await connectionOf(service, connection)).status, "active");
  t.deepEqual(oidc.granted, ["authorization_code", "refresh_token", "refresh_token"]);
});

test("kill -9 after the provider has rotated the token: one more attempt, then a person must reconnect; no secret is left anywhere", async (t) => {
  t.timeout(900_000);
  const service = await started(t);
  const oidc = await startOidc(t, `${service.server.url}/connect/callback`);
  oidc.firstTtlSeconds = 2;
  const { connection, token } = await connect(service, oidc);
  const key = "an-api-key-that-was-sent-in-4711";
  const plain = await service.call("POST", `${at}/provider-configs`, {
    name: "calls",
    provider_key: "http",
    auth: "api_key",
    config: { base_url: oidc.api },
  });
  await service.call("POST", `${at}/provider-configs/${plain.id}:activate`, {});
  const session = await service.call("POST", `${at}/connect-sessions`, { provider_config_id: plain.id });
  await service.call("POST", `${at}/connect-sessions/${session.id}/submit`, { fields: { api_key: key } });
  const request = { connection_id: session.connection_id, input: { url: "/" } };
  t.is((await service.call("POST", `${at}/actions/http.request:execute`, request)).status, "succeeded");
  await sleep(2_100);
  let killed: Promise<void> | undefined;
  oidc.token = async (body, response) => {
    oidc.token = undefined;
    const rotated = await fetch(`${oidc.behind}/token`, {
      method: "POST",
      body,
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        authorization: `Basic ${Buffer.from(`app:${encodeURIComponent(clientSecret)}`).toString("base64")}`,
      },
    });
    t.is(rotated.status, 200, await rotated.text());
    killed = service.server.kill();
    await killed;
    response.destroy();
    return true;
  };
  await execute(service, connection).catch(() => undefined);
  await killed;
  await service.server.start();
  const state = await eventually("the reuse was noticed", async () => {
    await execute(service, connection).catch(() => undefined);
    const shown = await connectionOf(service, connection);
    return shown.status === "needs_reauth" ? shown : undefined;
  });
  t.is(state.status_reason, "INVALID_GRANT");
  t.deepEqual(oidc.granted, ["authorization_code", "refresh_token", "refresh_token"]);
  const exported = await fetch(`${service.server.url}/api/config/export`).then((answer) => answer.text());
  const events = await fetch(`${service.server.url}/api/events?limit=200`).then((answer) => answer.text());
  await service.server.terminate();
  const secrets = [clientSecret, key, token, ...oidc.secrets, ...oidc.bearers.map((one) => one.slice(7))];
  t.true(secrets.length > 8, `${secrets.length}`);
  t.true(service.traces.length > 0, "there are traces");
  t.true(service.logs.join("").length > 0, "there are logs");
  const texts = {
    logs: service.logs.join(""),
    traces: Buffer.concat(service.traces),
    exported,
    events,
  };
  t.deepEqual(findSecrets(new Set(secrets), { folder: service.server.folder, texts }), []);
});
