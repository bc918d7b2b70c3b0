import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import test, { type ExecutionContext } from "ava";
import Provider from "oidc-provider";
import { RefusalError } from "#base";
import { moduleRoutes } from "../../gateway/http/module-routes.ts";
import type { HttpRequest } from "../../gateway/http/server.ts";
import { type ConnectorWorld, executed, startConnectors } from "../../test/support/connectors.ts";

async function listen(t: ExecutionContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Scene {
  readonly world: ConnectorWorld;
  /** Our pages. */
  readonly pages: string;
  readonly issuer: string;
  readonly configId: string;
  readonly clientConfigId: string;
  /** Requests of the token endpoint, by grant type. */
  readonly granted: string[];
  /** Bearers that the API has seen. */
  readonly bearers: string[];
  /** How the person at the provider decides. */
  consent: "yes" | "no";
  firstTtlSeconds: number;
  tokenStatus: number | undefined;
}

/** A real provider with rotation and reuse detection, an API behind it, and our pages. */
async function scene(t: ExecutionContext): Promise<Scene> {
  const made = {
    granted: [] as string[],
    bearers: [] as string[],
    consent: "yes",
    firstTtlSeconds: 3_600,
  } as unknown as {
    -readonly [K in keyof Scene]: Scene[K];
  };
  let provider: Provider | undefined;
  let handle: RequestListener | undefined;
  made.issuer = await listen(t, async (request, response) => {
    if (request.url?.startsWith("/interaction/")) {
      const result = made.consent === "yes" ? await consented(provider!) : { error: "access_denied" };
      await provider!.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
      return;
    }
    if (request.url === "/token") {
      const body: Buffer[] = [];
      request.on("data", (part: Buffer) => body.push(part));
      request.on("end", () =>
        made.granted.push(new URLSearchParams(Buffer.concat(body).toString()).get("grant_type") ?? ""),
      );
      if (made.tokenStatus !== undefined) {
        await once(request, "end");
        response.writeHead(made.tokenStatus).end();
        return;
      }
    }
    handle?.(request, response);
  });
  const api = await listen(t, (request, response) => {
    made.bearers.push(request.headers.authorization ?? "");
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  made.pages = await listen(t, async (request, response) => {
    const [path = "", query = ""] = (request.url ?? "").split("?");
    const headers = { get: (name: string) => request.headers[name] as string | undefined };
    const chunks: Buffer[] = [];
    for await (const part of request) chunks.push(part as Buffer);
    const asked = { method: request.method!, path, query, headers, body: async () => Buffer.concat(chunks) };
    const answer = await moduleRoutes(made.world)(asked as unknown as HttpRequest);
    if (answer === undefined) response.writeHead(404).end();
    else response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(answer.body as string);
  });
  const shared = { client_secret: "client secret", redirect_uris: [`${made.pages}/connect/callback`] };
  provider = new Provider(made.issuer, {
    clients: [
      { ...shared, client_id: "app", grant_types: ["authorization_code", "refresh_token"] },
      {
        ...shared,
        client_id: "robot",
        grant_types: ["client_credentials"],
        response_types: [],
        redirect_uris: [],
      },
    ],
    scopes: ["openid", "read", "write"],
    pkce: { required: () => true },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      revocation: { enabled: true },
    },
    rotateRefreshToken: true,
    issueRefreshToken: async () => true,
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_context: unknown, accountId: string) => ({
      accountId,
      claims: async () => ({ sub: accountId }),
    }),
    ttl: {
      AccessToken: () => (made.granted.includes("refresh_token") ? 3_600 : made.firstTtlSeconds),
      ClientCredentials: () => 3_600,
      RefreshToken: () => 86_400,
      Grant: () => 86_400,
      Session: () => 86_400,
      Interaction: () => 600,
      IdToken: () => 600,
      AuthorizationCode: () => 60,
    },
  });
  handle = provider.callback();
  const folder = mkdtempSync(join(tmpdir(), "switchyard.catalogue-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "oidc.yaml"), providerFile);
  made.world = await startConnectors({ settings: { "connector.catalogue_dir": folder } });
  t.teardown(() => made.world.close());
  const create = async (auth: string, client_id: string, scopes: readonly string[]) => {
    const { id } = await made.world.call<{ id: string }>("ProviderConfigService.CreateProviderConfig", {
      name: "a provider",
      provider_key: "oidc",
      auth,
      client_id,
      client_secret: "client secret",
      scopes,
      config: { issuer: made.issuer, api },
      allowed_return_origins: ["https://app.example.com"],
    });
    await made.world.call("ProviderConfigService.ActivateProviderConfig", { provider_config_id: id });
    return id;
  };
  made.configId = await create("code", "app", ["openid", "read"]);
  made.clientConfigId = await create("client", "robot", []);
  return made;
}

/** Alice logs in and lets the client read. */
async function consented(provider: Provider): Promise<object> {
  const grant = new provider.Grant({ clientId: "app", accountId: "alice" });
  grant.addOIDCScope("openid read");
  return { login: { accountId: "alice" }, consent: { grantId: await grant.save() } };
}

const providerFile = `
schema: 1
key: oidc
version: "1"
name: A real provider
base_url: \${config.api}
config: {type: object, required: [issuer, api], properties: {issuer: {type: string}, api: {type: string}}}
auth:
  code:
    type: oauth2_code
    authorization_url: \${config.issuer}/auth
    token_url: \${config.issuer}/token
    revocation_url: \${config.issuer}/token/revocation
    issuer: \${config.issuer}
  client: {type: oauth2_client, token_url: "\${config.issuer}/token", issuer: "\${config.issuer}"}
limits: {rps: 10000, burst: 10000, concurrency: 64}
actions:
  - {key: read, title: Read, mutation: none, scopes: {any_of: [[read]]}, input: {type: object}, request: {path: /}}
  - {key: write, title: Write, mutation: none, scopes: {any_of: [[write]]}, input: {type: object}, request: {path: /}}
`;

/** Follows redirects as a browser does, with cookies by origin; ends where `until` says. */
class Browser {
  readonly #cookies = new Map<string, Map<string, string>>();

  async go(
    from: string,
    until: (url: string) => boolean = () => false,
  ): Promise<{ url: string; status: number; text: string }> {
    let url = from;
    for (let hops = 0; hops < 20; hops++) {
      if (until(url)) return { url, status: 0, text: "" };
      const jar = this.#cookies.get(new URL(url).origin) ?? new Map<string, string>();
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
      const answer = await fetch(url, { redirect: "manual", headers: { cookie } });
      for (const set of answer.headers.getSetCookie()) {
        const [pair = ""] = set.split(";");
        jar.set(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1));
      }
      this.#cookies.set(new URL(url).origin, jar);
      const location = answer.headers.get("location");
      if (location === null) return { url, status: answer.status, text: await answer.text() };
      url = new URL(location, url).href;
    }
    throw new Error("too many redirects");
  }
}

interface Session {
  readonly id: string;
  readonly connection_id: string;
  readonly token: string;
}

const open = ({ world, configId }: Scene, more: object = {}) =>
  world.call<Session>("ConnectSessionService.CreateConnectSession", {
    provider_config_id: configId,
    ...more,
  });

async function connected(made: Scene): Promise<string> {
  const session = await open(made);
  const end = await new Browser().go(`${made.pages}/connect/${session.token}`);
  if (!end.text.includes("Connected")) throw new Error(end.text);
  return session.connection_id;
}

const execute = ({ world }: Scene, connection_id: string, key = "oidc.read") =>
  executed(world, { key, connection_id });

test("a browser connects by code and PKCE, comes back to the caller's page, and the token is sent with actions", async (t) => {
  const made = await scene(t);
  const session = await open(made, { return_url: "https://app.example.com/done?x=1" });
  const end = await new Browser().go(`${made.pages}/connect/${session.token}`, (url) =>
    url.startsWith("https://app."),
  );
  t.is(end.url, `https://app.example.com/done?x=1&connect_session_id=${session.id}&status=connected`);
  const connection = await made.world.call("ConnectionService.GetConnection", {
    connection_id: session.connection_id,
  });
  t.like(connection, { status: "active", granted_scopes: ["openid", "read"], credential_version: 1 });
  t.is((await execute(made, session.connection_id)).status, "succeeded");
  t.regex(made.bearers[0]!, /^Bearer .{20,}/);
  const { refusal } = (await t.throwsAsync(execute(made, session.connection_id, "oidc.write"), {
    instanceOf: RefusalError,
  })) as RefusalError;
  t.like(refusal, { reason: "MISSING_SCOPES", extra: { missing_scopes: ["write"] } });
  t.is(made.bearers.length, 1, "no call without the scopes");
});

test("200 executions on an expired token: one refresh, and the provider's reuse detection stays quiet", async (t) => {
  const made = await scene(t);
  made.firstTtlSeconds = 1;
  const connection = await connected(made);
  await sleep(1_100);
  const done = await Promise.all(Array.from({ length: 200 }, () => execute(made, connection)));
  t.deepEqual([...new Set(done.map(({ status }) => status))], ["succeeded"]);
  t.deepEqual(made.granted, ["authorization_code", "refresh_token"]);
  t.like(await made.world.call("ConnectionService.GetConnection", { connection_id: connection }), {
    status: "active",
    credential_version: 2,
  });
});

test("a token endpoint that answers 500 fails the refresh and keeps the connection; later it is refreshed", async (t) => {
  const made = await scene(t);
  made.firstTtlSeconds = 1;
  const connection = await connected(made);
  await sleep(1_100);
  made.tokenStatus = 500;
  const waiting = execute(made, connection);
  while (!made.granted.includes("refresh_token")) await sleep(20);
  const failing = await made.world.call("ConnectionService.GetConnection", { connection_id: connection });
  t.is(failing.status, "active");
  made.tokenStatus = undefined;
  t.is((await waiting).status, "succeeded");
});

test("client credentials: no browser, the session gets its token itself", async (t) => {
  const made = await scene(t);
  const session = await open(made, { provider_config_id: made.clientConfigId });
  const done = await made.world.call("ConnectSessionService.SubmitConnectSession", {
    connect_session_id: session.id,
  });
  t.is(done.status, "connected", JSON.stringify(done));
  t.deepEqual(made.granted, ["client_credentials"]);
});

test("a state is good once, in the browser it was given to, and of the issuer", async (t) => {
  const made = await scene(t);
  const session = await open(made);
  let back = "";
  const isBack = (url: string) => {
    if (url.includes("/connect/callback")) back = url;
    return back !== "";
  };
  const browser = new Browser();
  await browser.go(`${made.pages}/connect/${session.token}`, isBack);
  t.is((await new Browser().go(back)).status, 400, "another browser");
  t.is((await browser.go(`${back}&code=again`)).status, 400, "a parameter twice");
  const wrong = new URL(back);
  wrong.searchParams.set("iss", "https://evil.example.com");
  t.regex((await browser.go(wrong.href)).text, /not from the issuer/);
  t.is((await browser.go(back)).status, 400, "used up");
  t.deepEqual(made.granted, [], "no code was exchanged");
  const failed = await made.world.call("ConnectSessionService.GetConnectSession", {
    connect_session_id: session.id,
  });
  t.is(failed.status, "failed");
  t.regex((await browser.go(`${made.pages}/connect/${session.token}`)).text, /Connected/, "it may try again");
});

test("consent denied: the session has failed with the provider's word, and may try again", async (t) => {
  const made = await scene(t);
  made.consent = "no";
  const session = await open(made);
  const browser = new Browser();
  t.regex((await browser.go(`${made.pages}/connect/${session.token}`)).text, /access_denied/);
  made.consent = "yes";
  t.regex((await browser.go(`${made.pages}/connect/${session.token}`)).text, /Connected/);
  t.is((await browser.go(`${made.pages}/connect/${session.token}`)).status, 410, "and then it is over");
});

test("a token of nothing, a forged one and a revoked session's are refused", async (t) => {
  const made = await scene(t);
  const session = await open(made);
  const bytes = Buffer.from(session.token, "base64url");
  bytes[bytes.length - 1]! ^= 1;
  t.is((await new Browser().go(`${made.pages}/connect/${bytes.toString("base64url")}`)).status, 404);
  t.is((await new Browser().go(`${made.pages}/connect/nothing`)).status, 404);
  await made.world.call("ConnectSessionService.RevokeConnectSession", { connect_session_id: session.id });
  t.is((await new Browser().go(`${made.pages}/connect/${session.token}`)).status, 410);
});

test("a revoked connection tells the provider and forgets its credentials", async (t) => {
  const made = await scene(t);
  const connection_id = await connected(made);
  await made.world.call("ConnectionService.RevokeConnection", { connection_id });
  let keyId: unknown = "?";
  while (keyId !== "") {
    await sleep(20);
    keyId = (await made.world.call("ConnectionService.GetConnection", { connection_id })).key_id;
  }
  t.deepEqual(await made.world.call("ConnectionService.DeleteConnection", { connection_id }), {
    id: connection_id,
    deleted: true,
  });
});
