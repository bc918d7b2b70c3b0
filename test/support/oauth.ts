import type { ExecutionContext } from "ava";
import { moduleRoutes } from "../../gateway/http/module-routes.ts";
import type { HttpRequest } from "../../gateway/http/server.ts";
import { type ConnectorWorld, executed, startConnectors } from "./connectors.ts";
import { clientSecret, listen, type OidcSide, oauthCatalogue, startOidc } from "./oidc.ts";

export interface Scene extends OidcSide {
  readonly world: ConnectorWorld;
  /** Our pages. */
  readonly pages: string;
  /** A page of the caller. */
  readonly app: string;
  readonly configId: string;
  readonly clientConfigId: string;
}

/** A real provider, and the module with its pages. */
export async function scene(t: ExecutionContext): Promise<Scene> {
  const folder = oauthCatalogue(t);
  const world = await startConnectors({ settings: { "connector.catalogue_dir": folder } });
  t.teardown(() => world.close());
  const pages = await listen(t, async (request, response) => {
    const [path = "", query = ""] = (request.url ?? "").split("?");
    const headers = { get: (name: string) => request.headers[name] as string | undefined };
    const chunks: Buffer[] = [];
    for await (const part of request) chunks.push(part as Buffer);
    const asked = { method: request.method!, path, query, headers, body: async () => Buffer.concat(chunks) };
    const answer = await moduleRoutes({ ...world, providers: {}, errorsUrl: "/docs/errors" })(
      asked as unknown as HttpRequest,
    );
    if (answer === undefined) response.writeHead(404).end();
    else response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(answer.body as string);
  });
  const app = await listen(t, (_request, response) => void response.end("back at the caller"));
  const oidc = await startOidc(t, `${pages}/connect/callback`);
  const create = async (auth: string, client_id: string, scopes: readonly string[]) => {
    const { id } = await world.call<{ id: string }>("ProviderConfigService.CreateProviderConfig", {
      name: "a provider",
      provider_key: "oidc",
      auth,
      client_id,
      client_secret: clientSecret,
      scopes,
      config: { issuer: oidc.issuer, api: oidc.api },
      allowed_return_origins: ["https://app.example.com", app],
    });
    await world.call("ProviderConfigService.ActivateProviderConfig", { provider_config_id: id });
    return id;
  };
  const configId = await create("code", "app", ["openid", "read"]);
  const clientConfigId = await create("client", "robot", []);
  return Object.assign(oidc, { world, pages, app, configId, clientConfigId });
}

/** Follows redirects as a browser does, with cookies by origin, until `until` returns true. */
export class Browser {
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

export const open = ({ world, configId }: Scene, more: object = {}) =>
  world.call<Session>("ConnectSessionService.CreateConnectSession", {
    provider_config_id: configId,
    ...more,
  });

export async function connected(made: Scene): Promise<string> {
  const session = await open(made);
  const end = await new Browser().go(`${made.pages}/connect/${session.token}`);
  if (!end.text.includes("Connected")) throw new Error(end.text);
  return session.connection_id;
}

export const execute = ({ world }: Scene, connection_id: string, key = "oidc.read") =>
  executed(world, { key, connection_id });
